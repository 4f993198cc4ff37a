import { isTooLong } from "../../file/lines.ts";
import { useRange } from "../../file/range.ts";
import { type JsonNeedle, jsonNeedle, needleFinder } from "../../format/json-needle.ts";
import { WHOLE } from "../../format/searchable.ts";
import type { Index } from "../../store/open.ts";
import { type BodyPlace, PLACE_COLUMNS, textsOf } from "../../store/tables/entry-bodies.ts";
import { type Condition, whereClause } from "../conditions.ts";

/** An entry in which a text may stand. */
export interface ScannedEntry extends BodyPlace {
  key: number;
  /** Unix ms. */
  timestamp: number | null;
}

const ENTRIES = `SELECT e.key, e.timestamp, ${PLACE_COLUMNS}
  FROM entries e JOIN sessions s ON s.file_id = e.file_id JOIN files f ON f.id = e.file_id`;

/** Entries that meet the conditions of a search, and whether its text stands in them. */
export class SubstringEntries {
  /** How to find the lines that may hold the text. */
  readonly needle: JsonNeedle;
  readonly #index: Index;
  readonly #text: string;
  readonly #conditions: Condition[];

  constructor(index: Index, { needle, conditions }: { needle: string; conditions: Condition[] }) {
    this.needle = jsonNeedle(needle);
    this.#index = index;
    this.#text = needle;
    this.#conditions = conditions;
  }

  where(condition: Condition): ScannedEntry[] {
    const { sql, values } = whereClause([condition, ...this.#conditions]);
    return this.#index.database.prepare(`${ENTRIES} ${sql}`).all(...values) as ScannedEntry[];
  }

  /** Reads it back from its file; false where that has something else in its place by now. */
  holdsText(place: ScannedEntry): boolean {
    if (isTooLong(place)) return false;
    const { realPath: path, offset, length } = place;
    const mayHold = (bytes: Buffer): boolean => needleFinder(bytes, this.needle)(0) >= 0;
    return (
      useRange({ path, offset, length }, (bytes) => mayHold(bytes) && this.holdsTextIn(bytes, place)) ?? false
    );
  }

  /** The same of bytes that have been read. */
  holdsTextIn(bytes: Buffer, place: ScannedEntry): boolean {
    return textsOf(bytes, place, WHOLE)?.some((text) => text.includes(this.#text)) ?? false;
  }
}

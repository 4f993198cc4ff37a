import { isSqliteError, SessionDbError } from "../../errors.ts";
import { isTooLong } from "../../files/lines.ts";
import { useRange } from "../../files/range.ts";
import { type Condition, whereClause } from "../../filters/where.ts";
import { WHOLE } from "../../format/searchable.ts";
import type { Index } from "../../store/open.ts";
import { LONG_LINE_BYTES } from "../../store/schema/limits.ts";
import { inOneState, prepared } from "../../store/statements.ts";
import { type BodyPlace, PLACE_COLUMNS, textsOfBody } from "../../store/tables/entry-bodies.ts";
import { readFullTextState } from "../full-text-state.ts";
import { type JsonNeedle, jsonNeedle, needleFinder } from "./needle.ts";

/** Reading more entries than this back from their files takes longer than looking through all files. */
const MOST = 10_000;

const MATCHING = "SELECT rowid FROM search.entry_text WHERE entry_text MATCH ? LIMIT ? + 0";
/**
 * Entries of which the full text does not know everything: those it has not taken in, and those that may be longer than
 * what it takes in of one text. (A text has no more UTF-16 units than its line has bytes.)
 */
const UNTOLD = `SELECT key FROM entries WHERE key > ?
  UNION SELECT key FROM entry_rows INDEXED BY entries_long WHERE length > ${LONG_LINE_BYTES}
  UNION SELECT e.key FROM search.missed_keys m JOIN entries e ON e.key BETWEEN m.first_key AND m.last_key`;

/**
 * The keys of all entries in which a text can stand, told by the whole words in it; null where it has none, where there
 * are too many, and where the full text cannot be asked.
 */
export function candidatesOf(index: Index, text: string): number[] | null {
  const expression = expressionOf(text);
  if (expression === null || !index.hasFullText) return null;
  try {
    return inOneState(index.reader, () => keysOfAll(index, expression));
  } catch (error) {
    // The full text is damaged, of another version, or locked: it is not needed, the files hold everything.
    if (error instanceof SessionDbError || isSqliteError(error)) return null;
    throw error;
  }
}

function keysOfAll(index: Index, expression: string): number[] | null {
  const { behind, isOurs, watermark } = readFullTextState(index);
  if (!isOurs || behind > MOST) return null;
  const matching = keysOf(index, MATCHING, [expression, MOST + 1]);
  if (matching.length > MOST) return null;
  return [...new Set([...matching, ...keysOf(index, UNTOLD, [watermark])])];
}

function keysOf({ reader }: Index, sql: string, values: (string | number)[]): number[] {
  return prepared(reader, sql)
    .pluck()
    .all(...values) as number[];
}

/** Only within ASCII is it certain where the full text ends a word. */
const ASCII = /[\0-\x7f]+/g;
/** A word with a separator on both sides: it is a word of its own, whatever stands around the text that is looked for. */
const WHOLE_WORD = /(?<=[^a-z0-9])[a-z0-9]+(?=[^a-z0-9])/gi;
/** A last word, which may go on after the text. Its last letter is left out: with an accent after it, it is another one. */
const BEGINNING = /(?<=[^a-z0-9])[a-z0-9]{4,}(?=[a-z0-9]$)/i;
/** More words than these exclude few entries more. */
const MOST_WORDS = 12;
const MOST_PHRASES = 4;

/** What every entry with the text matches, in the full text's own language: the words of the text in a row. */
function expressionOf(text: string): string | null {
  const phrases = (text.match(ASCII) ?? []).flatMap((stretch) => phraseOf(stretch) ?? []);
  return phrases.length === 0 ? null : phrases.slice(0, MOST_PHRASES).join(" AND ");
}

function phraseOf(stretch: string): string | null {
  const words: string[] = stretch.match(WHOLE_WORD) ?? [];
  if (words.length > MOST_WORDS) return `"${words.slice(0, MOST_WORDS).join(" ")}"`;
  const [beginning] = BEGINNING.exec(stretch) ?? [];
  if (beginning !== undefined) return `"${[...words, beginning].join(" ")}" *`;
  return words.length === 0 ? null : `"${words.join(" ")}"`;
}

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

  /** Whether a text stands in an entry whose bytes have been read. */
  holdsTextIn(bytes: Buffer, place: ScannedEntry): boolean {
    return textsOfBody(bytes, place, WHOLE)?.some((text) => text.includes(this.#text)) ?? false;
  }
}

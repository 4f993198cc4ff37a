import type { Index } from "../../db/open.ts";
import { LineScanner } from "../../file/scan.ts";
import { type JsonNeedle, jsonNeedle, needleFinder } from "../../format/json-needle.ts";
import { searchableTexts, WHOLE } from "../../format/searchable.ts";
import { type BodyPlace, bodyOf, readBody } from "../body.ts";
import { type Condition, whereClause } from "../conditions.ts";
import { type Found, groupCopies, inOrder } from "./found.ts";
import type { SearchSort } from "./search-sort.ts";

export interface SubstringSearch {
  /** Exactly these characters. */
  needle: string;
  /** Upon `entries e`, `sessions s` and `files f`. */
  conditions: Condition[];
  /** Relevance is newest first. */
  sort: SearchSort;
  /** `Infinity`: all. */
  limit: number;
}

export interface SubstringHits {
  /** How many were found, copies included. */
  total: number;
  /** Whether everything was looked at; else it ended with enough hits. */
  isTotalExact: boolean;
  groups: Found[][];
}

/** The last entry is mostly later than what a session is sorted by elsewhere: the last word of a person or a model. */
const FILES = `SELECT s.file_id AS fileId, f.real_path AS realPath,
    max(s.modified_at, coalesce(last.timestamp, s.modified_at)) AS lastAt
  FROM sessions s JOIN files f ON f.id = s.file_id LEFT JOIN entries last ON last.key = s.leaf_key`;
const ENTRIES = `SELECT e.key, e.offset, e.length, e.line, e.entry_id AS entryId, e.type, e.timestamp, s.version
  FROM entries e JOIN sessions s ON s.file_id = e.file_id JOIN files f ON f.id = e.file_id`;

interface ScannedFile {
  fileId: number;
  realPath: string;
  /** Unix ms; no entry is later. */
  lastAt: number;
}

/** Finds a text of any characters by looking through the bytes of the session files, those written last first. */
export function findBySubstring(index: Index, search: SubstringSearch): SubstringHits {
  const scan = new SubstringScan(index, search);
  const sort = search.sort === "oldest" ? "oldest" : "newest";
  let found: Found[] = [];
  for (const file of filesOf(index, search.conditions)) {
    if (sort === "newest" && isEnough(found, search.limit, file)) {
      return { total: found.length, isTotalExact: false, groups: groupCopies(found).slice(0, search.limit) };
    }
    found = inOrder([...found, ...scan.foundIn(file)], sort);
  }
  return { total: found.length, isTotalExact: true, groups: groupCopies(found).slice(0, search.limit) };
}

/** Only what a condition says of sessions can keep a file from being looked at. */
function filesOf(index: Index, conditions: Condition[]): ScannedFile[] {
  const where = whereClause(conditions.filter(({ sql }) => !/\be\./.test(sql)));
  const sql = `${FILES} ${where.sql} ORDER BY lastAt DESC, s.file_id DESC`;
  return index.database.prepare(sql).all(...where.values) as ScannedFile[];
}

/** Whether nothing that comes could be among the first, nor a copy of one: sessions come by the time of their last entry. */
function isEnough(found: Found[], limit: number, next: ScannedFile): boolean {
  if (found.length < limit) return false;
  const last = groupCopies(found)[limit - 1]?.[0];
  return last !== undefined && (last.timestamp ?? 0) > next.lastAt;
}

interface ScannedEntry extends BodyPlace {
  key: number;
  timestamp: number | null;
}

class SubstringScan {
  readonly #index: Index;
  readonly #search: SubstringSearch;
  readonly #needle: JsonNeedle;
  readonly #scanner = new LineScanner();

  constructor(index: Index, search: SubstringSearch) {
    this.#index = index;
    this.#search = search;
    this.#needle = jsonNeedle(search.needle);
  }

  foundIn(file: ScannedFile): Found[] {
    return file.realPath.endsWith(".json") ? this.#foundInArray(file) : this.#foundInLines(file);
  }

  #foundInLines(file: ScannedFile): Found[] {
    const found: Found[] = [];
    let places: Map<number, ScannedEntry> | undefined;
    for (const line of this.#scanner.lines(file.realPath, (bytes) => needleFinder(bytes, this.#needle))) {
      places ??= new Map(this.#placesIn(file).map((place) => [place.offset, place]));
      const place = places.get(line.offset);
      const body = place && bodyOf(line.bytes.subarray(0, place.length), place);
      if (place && body && this.#isIn(body.entry)) found.push(toFound(place));
    }
    return found;
  }

  /** A file that is one JSON array has no lines. */
  #foundInArray(file: ScannedFile): Found[] {
    return this.#placesIn(file).flatMap((place) => {
      const body = readBody(place);
      return body !== null && this.#isIn(body.entry) ? [toFound(place)] : [];
    });
  }

  #placesIn({ fileId, realPath }: ScannedFile): ScannedEntry[] {
    const where = whereClause([{ sql: "e.file_id = ?", values: [fileId] }, ...this.#search.conditions]);
    const rows = this.#index.database.prepare(`${ENTRIES} ${where.sql}`).all(...where.values);
    return (rows as Omit<ScannedEntry, "realPath">[]).map((row) => ({ ...row, realPath }));
  }

  #isIn(entry: Parameters<typeof searchableTexts>[0]): boolean {
    return searchableTexts(entry, WHOLE).some((text) => text.includes(this.#search.needle));
  }
}

function toFound({ key, timestamp, entryId }: ScannedEntry): Found {
  return { key, timestamp, entryId, score: 0 };
}

import type { Database, Statement } from "../db/native.ts";

/** An entry whose text is wanted: where it stands, and what proves that it still does. */
export interface WantedEntry {
  key: number;
  fileId: number;
  offset: number;
  /** Bytes. */
  length: number;
  entryId: string | null;
  type: string;
  /** Unix ms. */
  timestamp: number | null;
  realPath: string;
  /** Format version of the session. */
  version: number;
}

/** One batch, which is one transaction, takes this many entries or stops after this many bytes of lines. */
export const BATCH_ENTRIES = 4000;
export const BATCH_BYTES = 8 * 1024 * 1024;

const WANTED = `SELECT e.key, e.file_id AS fileId, e.offset, e.length, e.entry_id AS entryId, e.type, e.timestamp,
  f.real_path AS realPath, s.version
  FROM entries e JOIN files f ON f.id = e.file_id JOIN sessions s ON s.file_id = e.file_id
  WHERE e.key BETWEEN ? AND ? ORDER BY e.key LIMIT ${BATCH_ENTRIES}`;

/** Enough of an entry to tell whether it is the one that was read ahead, at a third of the cost. */
export type EntryPlace = [
  key: number,
  fileId: number,
  offset: number,
  length: number,
  entryId: string | null,
  timestamp: number | null,
];

const PLACES = `SELECT key, file_id, offset, length, entry_id, timestamp FROM entries
  WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ${BATCH_ENTRIES}`;

/** The entries of the index by their keys, a batch at a time. */
export class WantedEntries {
  readonly #between: Statement;
  readonly #places: Statement;

  constructor(rows: Database) {
    this.#between = rows.prepare(WANTED);
    this.#places = rows.prepare(PLACES).raw();
  }

  /** Both ends included. */
  placesBetween(first: number, last: number): EntryPlace[] {
    return this.#places.all(first, last) as EntryPlace[];
  }

  /** Both ends included. */
  between(first: number, last: number): WantedEntry[] {
    return this.#between.all(first, last) as WantedEntry[];
  }

  after(key: number): WantedEntry[] {
    return this.between(key + 1, Number.MAX_SAFE_INTEGER);
  }
}

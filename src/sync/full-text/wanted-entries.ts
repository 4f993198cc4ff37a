import type { Database, Statement } from "../../store/native.ts";
import { damaged } from "../../store/sqlite-errors.ts";
import { inOneState } from "../../store/statements.ts";

/** An entry whose text is wanted: where it stands, and what proves that it still does. */
export interface WantedEntry extends WantedFile {
  key: number;
  fileId: number;
  offset: number;
  /** Bytes. */
  length: number;
  entryId: string | null;
  type: string;
  /** Unix ms. */
  timestamp: number | null;
}

interface WantedFile {
  realPath: string;
  /** Format version of the session. */
  version: number;
}

/** One batch, which is one transaction, takes this many entries or stops after this many bytes of lines. */
export const BATCH_ENTRIES = 4000;
export const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Two statements and no join: what concerns the file is asked once a file. Rows come as arrays, at a third of the cost
 * of objects.
 */
const WANTED = `SELECT key, file_id, offset, length, entry_id, timestamp, type FROM entries
  WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ${BATCH_ENTRIES}`;

const FILE = `SELECT f.real_path AS realPath, s.version
  FROM files f JOIN sessions s ON s.file_id = f.id WHERE f.id = ?`;

type WantedRow = [
  key: number,
  fileId: number,
  offset: number,
  length: number,
  entryId: string | null,
  timestamp: number | null,
  type: string,
];

/** The entries of the index by their keys, a batch at a time. */
export class WantedEntries {
  readonly #database: Database;
  readonly #between: Statement;
  readonly #file: Statement;

  constructor(rows: Database) {
    this.#database = rows;
    this.#between = rows.prepare(WANTED).raw();
    this.#file = rows.prepare(FILE);
  }

  /** Both ends included. @throws SessionDbError `index_corrupt` */
  between(first: number, last: number): WantedEntry[] {
    // In one state: an entry whose file was removed in between would be passed over for good.
    return inOneState(this.#database, () => this.#read(first, last));
  }

  #read(first: number, last: number): WantedEntry[] {
    const rows = this.#between.all(first, last) as WantedRow[];
    const wanted: WantedEntry[] = [];
    let file: WantedFile | undefined;
    let fileOf = -1;
    let before = first - 1;
    for (const [key, fileId, offset, length, entryId, timestamp, type] of rows) {
      // Keys that do not grow would be followed for ever.
      if (key <= before) throw damaged(this.#database.name, new Error(`key ${key} comes after ${before}`));
      before = key;
      if (fileId !== fileOf) file = this.#file.get(fileId) as WantedFile | undefined;
      fileOf = fileId;
      if (file === undefined) continue;
      const { realPath, version } = file;
      wanted.push({ key, fileId, offset, length, entryId, type, timestamp, realPath, version });
    }
    return wanted;
  }
}

import { endsMatch } from "../../files/fingerprint.ts";
import { isTooLong, readFully, STEP_BYTES } from "../../files/lines.ts";
import { openAtOnce, useRegularFile } from "../../files/open-file.ts";
import type { Opened } from "../../files/packed-file.ts";
import { sameStat, statOpenFile } from "../../files/stat.ts";
import type { Database, Statement } from "../../store/native.ts";
import { damaged } from "../../store/sqlite-errors.ts";
import { inOneState } from "../../store/statements.ts";
import type { Cursor } from "../../store/tables/cursors.ts";

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

/** The stretch of entries from `start` on that stand in one file and within one read. */
export function runFrom(wanted: WantedEntry[], start: number): WantedEntry[] {
  const first = wanted[start];
  if (first === undefined) return [];
  let end = start + 1;
  for (let next = wanted[end]; next?.fileId === first.fileId; next = wanted[++end]) {
    if (next.offset < first.offset || next.offset + next.length - first.offset > STEP_BYTES) break;
  }
  return wanted.slice(start, end);
}

/** Bytes from the beginning of the first entry to the end of the last. */
export function lengthOf(run: readonly WantedEntry[]): number {
  const [first, last] = [run[0], run.at(-1)];
  return first === undefined || last === undefined ? 0 : last.offset + last.length - first.offset;
}

const NO_ROOM = Buffer.alloc(0);

/** Gives the line of an entry of a run that was read; null for one that is too long to be decoded. */
export type ReadLine = (wanted: WantedEntry) => Buffer | null;

/**
 * Reads the bytes of a run back from their session file. Its entries are parsed one by one, when they are asked for:
 * parsed all at once they would outlive the first collections of garbage, which took a tenth of the time of reading.
 *
 * Returns null when the file is not the one the index has read, or nothing proves that it is: it is gone or unreadable,
 * or was changed since by more than appending. Then the rows have to follow the file before the text can.
 *
 * The bytes are read into `room` where it is large enough; then they are valid until it is used again.
 */
export function readRun(run: WantedEntry[], cursor: Cursor | null, room: Buffer = NO_ROOM): ReadLine | null {
  const [first] = run;
  if (first === undefined || cursor === null) return null;
  const length = lengthOf(run);
  if (isTooLong({ length })) return () => null;
  const bytes = room.length < length ? Buffer.allocUnsafe(length) : room.subarray(0, length);
  if (!isReadAndProved(cursor, first.offset, bytes)) return null;
  return (wanted) => {
    const start = wanted.offset - first.offset;
    return bytes.subarray(start, start + wanted.length);
  };
}

/** Fills `bytes`, if the file still is what the Cursor says. Asked after reading, so that no change slips in between. */
function isReadAndProved(cursor: Cursor, offset: number, bytes: Buffer): boolean {
  const read = (fd: Opened): boolean =>
    readFully(fd, bytes, 0, bytes.length, offset) === bytes.length && isStill(fd, cursor);
  return useRegularFile(cursor.realPath, read, openAtOnce) ?? false;
}

function isStill(fd: Opened, cursor: Cursor): boolean {
  const stat = statOpenFile(fd);
  return sameStat(stat, cursor.stat) || (stat.size > cursor.stat.size && endsMatch(fd, cursor.fingerprint));
}

/** Keys in a row; both ends included. */
type KeyRun = [first: number, last: number];

/**
 * Entries whose text could not be read when it was their turn: their file was gone, unreadable or had changed
 * since the rows were written. Kept as runs of keys and tried again at every feed, so that what comes back
 * under the same keys (a moved file, a file put back) is not lost to search.
 */
export class MissedKeys {
  readonly #any: Statement;
  readonly #count: Statement;
  readonly #takeFirst: Statement;
  readonly #extend: Statement;
  readonly #insert: Statement;

  constructor(search: Database) {
    this.#any = search.prepare("SELECT 1 FROM missed_keys WHERE first_key >= ? LIMIT 1");
    this.#count = search
      .prepare("SELECT coalesce(sum(last_key - first_key + 1), 0) FROM missed_keys")
      .pluck();
    this.#takeFirst = search
      .prepare(`DELETE FROM missed_keys
        WHERE first_key = (SELECT min(first_key) FROM missed_keys WHERE first_key >= ?)
        RETURNING first_key, last_key`)
      .raw();
    this.#extend = search.prepare("UPDATE missed_keys SET last_key = ? WHERE last_key = ?");
    this.#insert = search.prepare("INSERT INTO missed_keys (first_key, last_key) VALUES (?, ?)");
  }

  /** Whether a run begins at this key or after it. */
  any(from: number): boolean {
    return this.#any.get(from) !== undefined;
  }

  /** How many keys there are; those of entries that are gone since are included. */
  count(): number {
    return Number(this.#count.get());
  }

  add(key: number): void {
    if (this.#extend.run(key, key - 1).changes === 0) this.#insert.run(key, key);
  }

  /**
   * Hands out at most so many keys, of the runs that begin at `from` or after it, and forgets them: whoever takes them adds
   * those that are missed again, and puts back those it has not tried.
   */
  take(from: number, atMost: number): KeyRun[] {
    const taken: KeyRun[] = [];
    for (let left = atMost; left > 0; ) {
      const run = this.#takeFirst.get(from) as KeyRun | undefined;
      if (run === undefined) break;
      const [first, last] = run;
      const end = Math.min(last, first + left - 1);
      taken.push([first, end]);
      left -= end - first + 1;
      if (end < last) this.#insert.run(end + 1, last);
    }
    return taken;
  }

  /** Puts back the keys that were taken, from `from` on. */
  putBack(taken: KeyRun[], from: number): void {
    for (const [first, last] of taken) if (last >= from) this.#insert.run(Math.max(first, from), last);
  }
}

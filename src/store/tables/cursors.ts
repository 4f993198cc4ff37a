import type { Fingerprint } from "../../file/fingerprint.ts";
import { type FileStat, NO_STAT } from "../../file/stat.ts";
import type { Database, Statement } from "../native.ts";
import { prepared } from "../statements.ts";

export type FileStatus = "session" | "not_session" | "empty" | "unreadable" | "failed";

/** How far the index has read a session file, and the proof that it is still the same file. */
export interface Cursor {
  fileId: number;
  path: string;
  realPath: string;
  status: FileStatus;
  /** The file as it was when it was last read; `size` is what was looked at, not always all there was. */
  stat: FileStat;
  /** False while the file was written so recently that an equal stat would prove nothing. */
  settled: boolean;
  /** End of the last complete line that is in the index. */
  offset: number;
  /** Bytes after `offset` that are in the index as an entry whose `\n` has not come yet. */
  provisionalLength: number;
  /** Lines up to `offset`. */
  lines: number;
  /** Covers everything that is in the index: `offset + provisionalLength` bytes. */
  fingerprint: Fingerprint;
  /** Grows by one each time the file turns out to be another one. */
  generation: number;
  malformedLines: number;
  error: string | null;
  /** Usage of it goes before copies that count still: they change places when the file has been read to its end. */
  overtakes: boolean;
}

const COLUMNS = `id, path, real_path, status, device, inode, size, mtime_ms, ctime_ms, settled, offset,
  provisional_length, lines, head_fingerprint, tail_fingerprint, whole_fingerprint, generation,
  malformed_lines, error, overtakes`;

/** Files that are not, or not wholly, in the index: the condition of the partial SQL index `files_troubled`. */
export const TROUBLED = "(malformed_lines > 0 OR status <> 'session')";

const LOAD = `SELECT ${COLUMNS} FROM files WHERE real_path = ?`;

const INSERT = `INSERT INTO files (path, real_path, status, device, inode, size, mtime_ms, ctime_ms, indexed_at)
  VALUES (?, ?, 'empty', ?, ?, 0, 0, 0, ?)`;

const UPDATE = `UPDATE files SET path = ?, status = ?, device = ?, inode = ?, size = ?, mtime_ms = ?, ctime_ms = ?,
  settled = ?, offset = ?, provisional_length = ?, lines = ?, head_fingerprint = ?, tail_fingerprint = ?,
  whole_fingerprint = ?, generation = ?, malformed_lines = ?, error = ?, overtakes = ?,
  indexed_at = ? WHERE id = ?`;

/** The Cursors of all files, as rows of `files`. */
export class Cursors {
  readonly #load: Statement;
  readonly #troubled: Statement;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #move: Statement;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#load = database.prepare(LOAD).raw();
    this.#troubled = database.prepare(`SELECT ${COLUMNS} FROM files WHERE ${TROUBLED}`).raw();
    this.#insert = database.prepare(INSERT);
    this.#update = database.prepare(UPDATE);
    this.#move = database.prepare("UPDATE files SET path = ?, real_path = ? WHERE id = ?");
    this.#now = now;
  }

  load(realPath: string): Cursor | null {
    const row = this.#load.get(realPath);
    return row === undefined ? null : toCursor(row as CursorRow);
  }

  troubled(): Cursor[] {
    return this.#troubled.all().map((row) => toCursor(row as CursorRow));
  }

  /** Makes a Cursor at the beginning of a file that is seen for the first time. */
  create(path: string, realPath: string, stat: FileStat): Cursor {
    const { lastInsertRowid } = this.#insert.run(path, realPath, stat.device, stat.inode, this.#now());
    return {
      fileId: Number(lastInsertRowid),
      path,
      realPath,
      status: "empty",
      stat: { ...NO_STAT, device: stat.device, inode: stat.inode },
      settled: false,
      offset: 0,
      provisionalLength: 0,
      lines: 0,
      // The fingerprint of no bytes. To import it from fingerprint.ts would load zlib for every question.
      fingerprint: { length: 0, head: 0, tail: 0, whole: 0 },
      generation: 1,
      malformedLines: 0,
      error: null,
      overtakes: false,
    };
  }

  save(cursor: Cursor): void {
    const { stat, fingerprint } = cursor;
    this.#update.run(
      cursor.path,
      cursor.status,
      stat.device,
      stat.inode,
      stat.size,
      stat.mtimeMs,
      stat.ctimeMs,
      cursor.settled ? 1 : 0,
      cursor.offset,
      cursor.provisionalLength,
      cursor.lines,
      fingerprint.head,
      fingerprint.tail,
      fingerprint.whole,
      cursor.generation,
      cursor.malformedLines,
      cursor.error,
      cursor.overtakes ? 1 : 0,
      this.#now(),
      cursor.fileId,
    );
  }

  move(fileId: number, path: string, realPath: string): void {
    this.#move.run(path, realPath, fileId);
  }
}

/** One Cursor, for those who only read. */
export function loadCursor(database: Database, realPath: string): Cursor | null {
  const row = prepared(database, LOAD).raw().get(realPath);
  return row === undefined ? null : toCursor(row as CursorRow);
}

type CursorRow = [
  id: number,
  path: string,
  realPath: string,
  status: FileStatus,
  device: number,
  inode: number,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  settled: number,
  offset: number,
  provisionalLength: number,
  lines: number,
  head: number,
  tail: number,
  whole: number,
  generation: number,
  malformedLines: number,
  error: string | null,
  overtakes: number,
];

function toCursor(row: CursorRow): Cursor {
  const [fileId, path, realPath, status, device, inode, size, mtimeMs, ctimeMs, settled, ...rest] = row;
  const [offset, provisionalLength, lines, head, tail, whole, generation, malformedLines, error, overtakes] =
    rest;
  return {
    fileId,
    path,
    realPath,
    status,
    stat: { device, inode, bornAt: null, size, mtimeMs, ctimeMs },
    settled: settled === 1,
    offset,
    provisionalLength,
    lines,
    fingerprint: { length: offset + provisionalLength, head, tail, whole },
    generation,
    malformedLines,
    error,
    overtakes: overtakes === 1,
  };
}

import type { Fingerprint } from "../../files/fingerprint.ts";
import { isPackedName } from "../../files/session-path.ts";
import { type FileStat, NO_STAT, sameStat } from "../../files/stat.ts";
import type { Database, Statement } from "../native.ts";
import { prepared } from "../statements.ts";
import type { Rows } from "./columns.ts";
import { propertiesOf, RowInsert, selectList, setList, valuesOf } from "./row-sql.ts";

type FileStatus = Rows["files"]["status"];

/** How far the index has read a session file, and the proof that it is still the same file. */
export interface Cursor {
  fileId: number;
  path: string;
  realPath: string;
  status: FileStatus;
  /** The file as it was when it was last read; `size` is what was looked at, not always all there was. */
  stat: FileStat;
  /** False while the file was written so recently that an equal stat would prove nothing. */
  mtimeIsSafe: boolean;
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
  replacesCopies: boolean;
}

/**
 * Whether an equal stat proves that nothing has changed: then neither a lock nor the file itself is needed. How long the
 * session in a packed file is, a look at the disk does not tell; such a file never grows.
 */
export function isUntouched(cursor: Cursor, stat: FileStat): boolean {
  const known = isPackedName(cursor.realPath) ? { ...cursor.stat, size: stat.size } : cursor.stat;
  return cursor.mtimeIsSafe && sameStat(known, stat);
}

/** Files that are not, or not wholly, in the index: the condition of the partial SQL index `files_troubled`. */
export const HAS_ISSUE = "(malformed_lines > 0 OR status <> 'session')";

const WHOLE = selectList("files", propertiesOf("files"));

const LOAD = `SELECT ${WHOLE} FROM files WHERE real_path = ?`;
const AT_PATH = `SELECT ${WHOLE} FROM files WHERE path = ?`;

/** What changes of a file's row. */
const CHANGING = propertiesOf("files", ["id", "realPath"]);

const SETTINGS = setList("files", CHANGING, () => "?");
const UPDATE = `UPDATE files SET ${SETTINGS} WHERE id = ?`;

/** The Cursors of all files, as rows of `files`. */
export class CursorTable {
  readonly #load: Statement;
  readonly #atPath: Statement;
  readonly #withIssues: Statement;
  readonly #insert: RowInsert<"files", "id">;
  readonly #update: Statement;
  readonly #move: Statement;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#load = database.prepare(LOAD);
    this.#atPath = database.prepare(AT_PATH);
    this.#withIssues = database.prepare(`SELECT ${WHOLE} FROM files WHERE ${HAS_ISSUE}`);
    this.#insert = new RowInsert(database, "files", { left: ["id"] });
    this.#update = database.prepare(UPDATE);
    this.#move = database.prepare("UPDATE files SET path = ?, real_path = ? WHERE id = ?");
    this.#now = now;
  }

  load(realPath: string): Cursor | null {
    const row = this.#load.get(realPath);
    return row === undefined ? null : toCursor(row as FileRow);
  }

  /** Of the files that are reached by a path: it stays when a session is archived, or restored. */
  atPath(path: string): Cursor[] {
    return this.#atPath.all(path).map((row) => toCursor(row as FileRow));
  }

  withIssues(): Cursor[] {
    return this.#withIssues.all().map((row) => toCursor(row as FileRow));
  }

  /** Makes a Cursor at the beginning of a file that is seen for the first time. */
  create(path: string, realPath: string, stat: FileStat): Cursor {
    const cursor: Omit<Cursor, "fileId"> = {
      path,
      realPath,
      status: "empty",
      stat: { ...NO_STAT, device: stat.device, inode: stat.inode },
      mtimeIsSafe: false,
      offset: 0,
      provisionalLength: 0,
      lines: 0,
      // The fingerprint of no bytes. To import it from fingerprint.ts would load zlib for every question.
      fingerprint: { length: 0, head: 0, tail: 0, whole: 0 },
      generation: 1,
      malformedLines: 0,
      error: null,
      replacesCopies: false,
    };
    const { lastInsertRowid } = this.#insert.run(toRow(cursor, this.#now()));
    return { fileId: Number(lastInsertRowid), ...cursor };
  }

  save(cursor: Cursor): void {
    this.#update.run(valuesOf(toRow(cursor, this.#now()), CHANGING), cursor.fileId);
  }

  move(fileId: number, path: string, realPath: string): void {
    this.#move.run(path, realPath, fileId);
  }
}

/** One Cursor, for those who only read. */
export function loadCursor(database: Database, realPath: string): Cursor | null {
  const row = prepared(database, LOAD).get(realPath);
  return row === undefined ? null : toCursor(row as FileRow);
}

type FileRow = Rows["files"];

/** `indexedAt`: Unix ms. */
function toRow(cursor: Omit<Cursor, "fileId">, indexedAt: number): Omit<FileRow, "id"> {
  const { path, realPath, status, stat, fingerprint } = cursor;
  const { offset, provisionalLength, lines, generation, malformedLines, error } = cursor;
  return {
    path,
    realPath,
    device: stat.device,
    inode: stat.inode,
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    ctimeMs: stat.ctimeMs,
    settled: cursor.mtimeIsSafe ? 1 : 0,
    status,
    error,
    offset,
    provisionalLength,
    lines,
    headFingerprint: fingerprint.head,
    tailFingerprint: fingerprint.tail,
    wholeFingerprint: fingerprint.whole,
    generation,
    malformedLines,
    indexedAt,
    overtakes: cursor.replacesCopies ? 1 : 0,
  };
}

function toCursor(row: FileRow): Cursor {
  const { path, realPath, status, offset, provisionalLength, lines, generation, malformedLines, error } = row;
  const { device, inode, size, mtimeMs, ctimeMs } = row;
  const { headFingerprint: head, tailFingerprint: tail, wholeFingerprint: whole } = row;
  return {
    fileId: row.id,
    path,
    realPath,
    status,
    stat: { device, inode, bornAt: null, size, mtimeMs, ctimeMs },
    mtimeIsSafe: row.settled === 1,
    offset,
    provisionalLength,
    lines,
    fingerprint: { length: offset + provisionalLength, head, tail, whole },
    generation,
    malformedLines,
    error,
    replacesCopies: row.overtakes === 1,
  };
}

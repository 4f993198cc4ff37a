/** Lists sessions from the index: what it has of a file that nobody has touched since. */
import { realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { processEnvironment } from "../config.ts";
import type { Database } from "../db/native.ts";
import { codeOf } from "../errors.ts";
import type { FileStat } from "../file/stat.ts";
import { isKeptUpToDate } from "../sync/freshness.ts";
import { readText } from "./read-info.ts";
import { type SessionInfo, sessionInfo } from "./session-info.ts";
import { defaultIndexLocation, sharedIndex } from "./shared-index.ts";

/**
 * What `list` shows, from rows alone; without an id where the index cannot say what pi would show: what is irregular
 * pi lists by rules of its own, or not at all.
 */
const ROWS = `SELECT f.device, f.inode, f.size, f.mtime_ms, f.ctime_ms, f.settled, f.path, f.id, s.leaf_key,
    iif(f.status = 'session' AND s.irregular = 0 AND s.created_at IS NOT NULL, s.session_id, NULL), s.cwd, s.name,
    s.parent_session, s.created_at, s.last_activity_at, s.message_count, m.text
  FROM files f LEFT JOIN sessions s ON s.file_id = f.id LEFT JOIN messages m ON m.entry_key = s.first_message_key`;

const BELOW = "WHERE f.real_path > @from AND f.real_path < @to";

type Row = [
  device: number,
  inode: number,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  settled: number,
  path: string,
  fileId: number,
  lastKey: number | null,
  id: string | null,
  cwd: string,
  name: string | null,
  parentSession: string | null,
  createdAt: number,
  lastActivityAt: number | null,
  messageCount: number,
  firstMessage: string | null,
];

/** A file that may be a session; without a stat where it cannot be looked at. */
export interface Candidate {
  path: string;
  stat: FileStat | undefined;
}

/** The sessions the index knows, by the file itself: the way to it may lead through links. */
export class IndexedList {
  readonly #database: Database;
  readonly #rows: readonly Row[];
  readonly #byInode = new Map<number, Row>();
  /** Somebody vouches for it that every file is as the index has it. */
  readonly #isVouchedFor: boolean;

  private constructor(database: Database, rows: readonly Row[], isVouchedFor = false) {
    this.#database = database;
    this.#rows = rows;
    this.#isVouchedFor = isVouchedFor;
    for (const row of rows) this.#byInode.set(row[1], row);
  }

  /** Of all sessions, or of those straight or further below a folder; null where no index can be read now. */
  static load(dir?: string): IndexedList | null {
    return read((database) => {
      const rows = database.prepare(dir === undefined ? ROWS : `${ROWS} ${BELOW}`).raw();
      if (dir === undefined) return new IndexedList(database, rows.all() as Row[]);
      const from = realpathSync(dir) + sep;
      // The next character after the separator ends what begins with the folder.
      const to = from.slice(0, -1) + String.fromCharCode(sep.charCodeAt(0) + 1);
      return new IndexedList(database, rows.all({ from, to }) as Row[]);
    });
  }

  /** Of all sessions, when a daemon vouches for what the index has below a root; null otherwise. */
  static async loadVouchedFor(root: string): Promise<IndexedList | null> {
    const before = sharedIndex();
    if (before === null) return null;
    const { XDG_RUNTIME_DIR: runtimeDir } = processEnvironment();
    const question = { roots: [root], exclude: [], runtimeDir };
    const isKept = await isKeptUpToDate(defaultIndexLocation(), question);
    if (!isKept) return null;
    return read((database) => {
      // Another index may be in its place by now.
      if (database !== before.database) return null;
      return new IndexedList(database, database.prepare(ROWS).raw().all() as Row[], true);
    });
  }

  /** All files it knows in the folders of a root, as they were when they were read. */
  filesInFoldersOf(root: string): Candidate[] {
    const beginning = join(root, "x").slice(0, -1);
    const files: Candidate[] = [];
    for (const [device, inode, size, mtimeMs, ctimeMs, , path] of this.#rows) {
      if (!path.startsWith(beginning) || !path.endsWith(".jsonl")) continue;
      const separator = path.indexOf(sep, beginning.length);
      if (separator < 0 || path.includes(sep, separator + 1)) continue;
      files.push({ path, stat: { device, inode, size, mtimeMs, ctimeMs } });
    }
    return files;
  }

  /** Null when the file has to be read: it was touched, or the index cannot say what pi would. */
  info(path: string, stat: FileStat): SessionInfo | null {
    const row = this.#byInode.get(stat.inode);
    if (row === undefined || !isAt(row, stat)) return null;
    const [, , size, , , settled, , fileId, lastKey, id, cwd, name, parent, ...times] = row;
    const [createdAt, activity, messageCount, first] = times;
    // Of what was written a moment before it was read an equal stat proves nothing.
    if (id === null || !(settled || this.#isVouchedFor)) return null;
    const fields = {
      path,
      id,
      cwd,
      name: name ?? undefined,
      parentSessionPath: parent ?? undefined,
      created: new Date(createdAt),
      modified: new Date(activity !== null && activity > 0 ? activity : createdAt),
      messageCount,
      firstMessage: first || "(no messages)",
    };
    return sessionInfo(fields, () => textIn(this.#database, fileId, lastKey) ?? readText(path, size));
  }
}

/** Null where the index cannot be read now. */
function read<T>(work: (database: Database) => T): T | null {
  const database = sharedIndex()?.database;
  if (database === undefined) return null;
  try {
    return work(database);
  } catch (error) {
    if (/^SQLITE_|^E[A-Z]+$/.test(codeOf(error))) return null;
    throw error;
  }
}

/** `sameStat` of a row. */
function isAt(row: Row, { device, inode, size, mtimeMs, ctimeMs }: FileStat): boolean {
  return row[0] === device && row[1] === inode && row[2] === size && row[3] === mtimeMs && row[4] === ctimeMs;
}

const TEXTS = `SELECT m.text FROM entries e JOIN messages m ON m.entry_key = e.key
  WHERE e.file_id = ? AND e.key <= ? ORDER BY e.key`;
/** Keys are never used twice: while the last entry is there, so are those before it. */
const IS_THERE = "SELECT 1 FROM entries WHERE key = ? AND file_id = ?";

/** What was said up to an entry; null when the rows are gone or cannot be read. */
function textIn(database: Database, fileId: number, lastKey: number | null): string | null {
  if (lastKey === null) return "";
  try {
    return database.transaction(() => {
      if (database.prepare(IS_THERE).get(lastKey, fileId) === undefined) return null;
      return database.prepare(TEXTS).pluck().all(fileId, lastKey).join(" ");
    })();
  } catch (error) {
    if (codeOf(error).startsWith("SQLITE_")) return null;
    throw error;
  }
}

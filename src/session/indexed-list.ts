/** Lists sessions, and their messages as text, from the index: those whose files have not been touched since they were indexed. */
import { realpathSync } from "node:fs";
import { normalize, sep } from "node:path";
import { isSqliteError, isSystemError } from "../errors.ts";
import { beyond, insideOf } from "../files/session-path.ts";
import type { FileStat } from "../files/stat.ts";
import { isKeptUpToDate } from "../indexing/freshness-client.ts";
import { processEnvironment } from "../runtime/env.ts";
import type { Database } from "../store/native.ts";
import { deletionEpoch, inOneState, prepared } from "../store/statements.ts";
import { NO_MESSAGES } from "../text/preview.ts";
import { readTexts, type SessionInfo, type SessionTexts, sessionInfo } from "./session-info.ts";
import { defaultIndexLocation, sharedIndex } from "./shared-index.ts";

const TEXT = "SELECT text FROM messages WHERE entry_key = ?";
const TEXTS = `SELECT m.text FROM entries e JOIN messages m ON m.entry_key = e.key
  WHERE e.file_id = ? AND e.key <= ? ORDER BY e.key`;
/** Keys are never reused: while the last entry is there, so are those before it. */
const IS_THERE = "SELECT 1 FROM entries WHERE key = ? AND file_id = ?";

/** The place of a session, and up to which entry it was listed. */
interface ListedPlace {
  path: string;
  fileId: number;
  /** The key of the user's first message; null when there is none. */
  firstKey: number | null;
  /** The key of the last entry; null when there is none. */
  lastKey: number | null;
}

/**
 * The texts of a listed session as they were when it was listed. If those rows are gone or cannot be read, the whole
 * file is read as it is now, not up to its former size: after a rewrite that size could fall into the middle of a line.
 */
class IndexedTexts implements SessionTexts {
  readonly #database: Database;
  readonly #place: ListedPlace;

  constructor(database: Database, place: ListedPlace) {
    this.#database = database;
    this.#place = place;
  }

  get firstMessage(): string {
    const { firstKey, path } = this.#place;
    if (firstKey === null) return NO_MESSAGES;
    const text = fromIndex(() => prepared(this.#database, TEXT).pluck().get(firstKey));
    return typeof text === "string" ? text || NO_MESSAGES : readTexts(path).firstMessage;
  }

  get allMessagesText(): string {
    const { lastKey, path } = this.#place;
    if (lastKey === null) return "";
    return fromIndex(() => this.#allUpTo(lastKey)) ?? readTexts(path).allMessagesText;
  }

  #allUpTo(lastKey: number): string | undefined {
    const { fileId } = this.#place;
    return inOneState(this.#database, () => {
      if (prepared(this.#database, IS_THERE).get(lastKey, fileId) === undefined) return undefined;
      return prepared(this.#database, TEXTS).pluck().all(fileId, lastKey).join(" ");
    });
  }
}

function fromIndex<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isSqliteError(error)) return undefined;
    throw error;
  }
}

/**
 * What `list` shows, from rows alone. The id is null where the index cannot say what pi would show: irregular sessions
 * are listed by pi in its own way, or not at all.
 */
const LISTED = `f.path, f.mtime_ms, f.id, s.first_message_key, s.leaf_key,
  iif(f.status = 'session' AND s.irregular = 0 AND s.created_at IS NOT NULL, s.session_id, NULL), s.cwd, s.name,
  s.parent_session, s.created_at, s.last_activity_at, s.message_count`;
const FROM = "FROM files f LEFT JOIN sessions s ON s.file_id = f.id";

/** A file in the index, with what `list` shows of it. */
export type ListedRow = [
  path: string,
  mtimeMs: number,
  fileId: number,
  firstKey: number | null,
  lastKey: number | null,
  id: string | null,
  cwd: string,
  name: string | null,
  parentSession: string | null,
  createdAt: number,
  lastActivityAt: number | null,
  messageCount: number,
];

/** A `ListedRow` with all that `sameStat` compares, and whether an equal stat proves that the file has not changed. */
type StatRow = [...ListedRow, size: number, device: number, inode: number, ctimeMs: number, settled: number];

/** The places of these columns in a `StatRow`. */
const [SIZE, DEVICE, INODE, CTIME_MS, SETTLED] = [12, 13, 14, 15, 16] as const;

const WITH_STAT = `SELECT ${LISTED}, f.size, f.device, f.inode, f.ctime_ms, f.settled ${FROM}`;
const BELOW = "WHERE f.real_path > @from AND f.real_path < @to";

/** The sessions in the index by the inodes of their files, not by path: a path may lead through links. */
export class IndexedList {
  readonly #database: Database;
  readonly #byInode = new Map<number, StatRow>();

  private constructor(database: Database, rows: readonly StatRow[]) {
    this.#database = database;
    for (const row of rows) this.#byInode.set(row[INODE], row);
  }

  /** Loads all sessions, or those below a folder at any depth; null where no index can be read now. */
  static load(dir?: string): IndexedList | null {
    return read((database) => {
      const rows = prepared(database, dir === undefined ? WITH_STAT : `${WITH_STAT} ${BELOW}`).raw();
      if (dir === undefined) return new IndexedList(database, rows.all() as StatRow[]);
      const folder = realpathSync(dir);
      const range = { from: insideOf(folder), to: beyond(folder) };
      return new IndexedList(database, rows.all(range) as StatRow[]);
    });
  }

  /** Null when the file has to be read: it was touched, or the index cannot say what pi would show. */
  info(path: string, stat: FileStat): SessionInfo | null {
    const row = this.#byInode.get(stat.inode);
    // For a file that was written just before it was read, an equal stat proves nothing.
    return row !== undefined && isAt(row, stat) && row[SETTLED] ? infoOf(this.#database, row, path) : null;
  }
}

/** The sessions of a root whose index a daemon keeps up to date. */
export class GuaranteedList {
  /** All files directly in folders of the root, in no order. */
  readonly rows: readonly ListedRow[];
  readonly #database: Database;

  private constructor(database: Database, rows: readonly ListedRow[]) {
    this.#database = database;
    this.rows = rows;
  }

  /** Loads the list if a daemon guarantees what the index has below the root; null otherwise. */
  static async load(root: string): Promise<GuaranteedList | null> {
    const before = read((database) => ({ database, epoch: deletionEpoch(database) }));
    if (before === null) return null;
    const { XDG_RUNTIME_DIR: runtimeDir } = processEnvironment();
    const question = { roots: [root], exclude: [], runtimeDir };
    const isKept = await isKeptUpToDate(defaultIndexLocation(), question);
    if (!isKept) return null;
    return read((database) => {
      // Another index may have taken its place by now.
      if (database !== before.database) return null;
      const rows = prepared(database, `SELECT ${LISTED} ${FROM}`).raw().all() as ListedRow[];
      // Another process may have emptied it since the daemon guaranteed it.
      if (deletionEpoch(database) !== before.epoch) return null;
      const beginning = insideOf(normalize(root));
      return new GuaranteedList(
        database,
        rows.filter(([path]) => isInFolderOf(beginning, path)),
      );
    });
  }

  /** Null when the file has to be read: the index cannot say what pi would show. */
  info(row: ListedRow): SessionInfo | null {
    return infoOf(this.#database, row, row[0]);
  }
}

/** Whether a path is a session file in a folder of the root. @param beginning the root with a separator */
function isInFolderOf(beginning: string, path: string): boolean {
  if (!path.startsWith(beginning) || !path.endsWith(".jsonl")) return false;
  const separator = path.indexOf(sep, beginning.length);
  return separator >= 0 && !path.includes(sep, separator + 1);
}

function infoOf(database: Database, row: ListedRow | StatRow, path: string): SessionInfo | null {
  const [, , fileId, firstKey, lastKey, id, cwd, name, parent, createdAt, activity, messageCount] = row;
  if (id === null) return null;
  const fields = {
    path,
    id,
    cwd,
    name: name ?? undefined,
    parentSessionPath: parent ?? undefined,
    created: new Date(createdAt),
    modified: new Date(activity !== null && activity > 0 ? activity : createdAt),
    messageCount,
  };
  return sessionInfo(fields, new IndexedTexts(database, { path, fileId, firstKey, lastKey }));
}

/** Reads from the shared index; null where that is not possible now. */
function read<T>(work: (database: Database) => T): T | null {
  const database = sharedIndex()?.database;
  if (database === undefined) return null;
  try {
    return work(database);
  } catch (error) {
    if (isSqliteError(error) || isSystemError(error)) return null;
    throw error;
  }
}

/** `sameStat` for a row. */
function isAt(row: StatRow, { device, inode, size, mtimeMs, ctimeMs }: FileStat): boolean {
  const [, rowMtimeMs] = row;
  const isSameFile = row[DEVICE] === device && row[INODE] === inode;
  return isSameFile && row[SIZE] === size && rowMtimeMs === mtimeMs && row[CTIME_MS] === ctimeMs;
}

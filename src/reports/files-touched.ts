import { isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { namesOfPath } from "../files/paths.ts";
import { isWithinAny } from "../files/session-path.ts";
import type { TouchFilter } from "../filters/filter.ts";
import { inRoots, inTime, ofSession, whereClause } from "../filters/where.ts";
import type { Index } from "../store/open.ts";
import { isoOrNull } from "../time/calendar.ts";
import type { Session, TouchSort } from "./answers.ts";

/** One call of a tool on a file. */
export interface Touch {
  session: Pick<Session, "id" | "path" | "cwd" | "title">;
  /** The path as the tool was given it. */
  file: string;
  tool: string;
  /** Of the message that made the call; null where the entry has none. */
  entryId: string | null;
  /** 1-based line of the call in the session file. */
  line: number;
  /** Of that message, ISO 8601. */
  timestamp: string | null;
  /** Null while there is no result. */
  isError: boolean | null;
}

export interface Touches {
  /**
   * How the files were found: `path` at the path itself or below it; `suffix` by the end of their paths, or of
   * folders they are in, because nothing was at the path.
   */
  match: "path" | "suffix";
  touches: Touch[];
}

export interface TouchOptions {
  filter?: TouchFilter;
  /** Only sessions below these folders. */
  roots?: string[];
  /** What `~` means in the paths of tools. */
  home: string;
  /** Which come first; the newest, unless told. */
  sort?: TouchSort;
}

const FILES = `SELECT DISTINCT t.path AS file, s.cwd FROM tool_calls t JOIN sessions s ON s.file_id = t.file_id
  JOIN files f ON f.id = t.file_id`;

const COLUMNS = `t.path AS file, t.name AS tool, t.is_error AS isError, e.entry_id AS entryId, e.line, e.timestamp,
  s.session_id AS id, s.title, s.cwd, f.path`;

const FROM = `FROM tool_calls t JOIN sessions s ON s.file_id = t.file_id JOIN files f ON f.id = t.file_id
  JOIN entries e ON e.key = t.call_key`;

/** Not a join: for each wanted file SQLite would then look through all calls of the folder's sessions. */
const IS_WANTED = "(t.path, s.cwd) IN (SELECT file, cwd FROM wanted_files)";

/**
 * Which calls of tools read or changed a file, or the files of a folder. A relative path of a tool is taken from
 * its session's working directory. Where nothing was at the path, files are found whose paths, or
 * folders they are in, end in `asked`.
 *
 * @param asked as the user wrote it @param path the same as an absolute path
 */
export function findTouches(index: Index, asked: string, path: string, options: TouchOptions): Touches {
  const known = knownFiles(index, options);
  const names = namesOfPath(path);
  const atPath = known.filter((file) => {
    const place = placeOf(file, options.home);
    return isWithinAny(names, place);
  });
  const wanted = atPath.length > 0 ? atPath : known.filter((file) => endsIn(file, asked, options.home));
  const match = atPath.length > 0 || wanted.length === 0 ? "path" : "suffix";
  return { match, touches: wanted.length === 0 ? [] : touchesOf(index, wanted, options) };
}

interface KnownFile {
  file: string;
  cwd: string;
}

/** Of the sessions that are meant, at any time: what was at a path before `since` is what the path means. */
function knownFiles({ database }: Index, { filter = {}, roots }: TouchOptions): KnownFile[] {
  const conditions = [{ sql: "t.path IS NOT NULL", values: [] }, ...inRoots(roots), ...ofSession(filter)];
  const { sql, values } = whereClause(conditions);
  return database.prepare(`${FILES} ${sql}`).all(...values) as KnownFile[];
}

function placeOf({ file, cwd }: KnownFile, home: string): string {
  const path = pathMeant(file, home);
  return isAbsolute(path) ? resolve(path) : resolve(sep, cwd, path);
}

/** Other kinds of spaces, which models write in the place of a plain one. */
const SPACES = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** As pi's own tools understand a path (`expandPath` in its `core/tools/path-utils.js`): `@` before it is passed over. */
function pathMeant(file: string, home: string): string {
  const path = file.replace(SPACES, " ").replace(/^@/, "");
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return path.startsWith("file://") ? (pathOfUrl(path) ?? path) : path;
}

/** Undefined for a URL that cannot be a file of this machine. */
function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof URIError)) throw error;
    return undefined;
  }
}

/**
 * Whether the path of a file, as the tool was given it or as an absolute one, ends in `asked`, or that of a folder it is
 * in does. Whole names only: `main.ts` is the end of `src/main.ts`, not of `domain.ts`.
 */
function endsIn(known: KnownFile, asked: string, home: string): boolean {
  const end = namesIn(asked.replace(/^(?:\.{0,2}[/\\])+/, ""));
  if (end === "/") return false;
  return [known.file, placeOf(known, home)].some((path) => namesIn(path).includes(end));
}

/** The path as `/name/name/`, with `/` for `\`, and without `.` parts and doubled slashes. */
function namesIn(path: string): string {
  return `/${path.replaceAll("\\", "/")}/`.replaceAll(/\/(?:\.?\/)+/g, "/");
}

function touchesOf(index: Index, wanted: KnownFile[], options: TouchOptions): Touch[] {
  const { filter = {}, roots, sort = "newest" } = options;
  const where = whereClause([
    { sql: IS_WANTED, values: [] },
    ...inRoots(roots),
    ...ofSession(filter),
    ...inTime("e.timestamp", filter),
  ]);
  const rows = index.database
    .prepare(
      `WITH wanted_files(file, cwd) AS (SELECT value ->> 'file', value ->> 'cwd' FROM json_each(?))
       SELECT ${COLUMNS} ${FROM} ${where.sql} ORDER BY ${ORDERS[sort]}`,
    )
    .all(JSON.stringify(wanted), ...where.values) as TouchRow[];
  return rows.map(({ id, title, cwd, path, timestamp, isError, ...touch }) => ({
    session: { id, path, cwd, title },
    ...touch,
    timestamp: isoOrNull(timestamp),
    isError: isError === null ? null : isError === 1,
  }));
}

/** The calls of one message come in their order, in either case. */
const ORDERS: Record<TouchSort, string> = {
  newest: "e.timestamp DESC, f.path, e.key DESC, t.key",
  oldest: "e.timestamp, f.path, e.key, t.key",
};

type TouchedSession = Touch["session"];

interface TouchRow extends Omit<Touch, "session" | "timestamp" | "isError">, TouchedSession {
  /** Unix ms. */
  timestamp: number | null;
  isError: 0 | 1 | null;
}

import { existsSync } from "node:fs";
import { normalize } from "node:path";
import { choicesOf, SessionDbError } from "../errors.ts";
import { looksLikePath } from "../files/session-path.ts";
import type { Index } from "../store/open.ts";
import { prepared } from "../store/statements.ts";
import type { SessionRef } from "../store/tables/session-ref.ts";
import { endOfTitle } from "../text/preview.ts";
import { maskTitle } from "../text/secrets.ts";
import { toIso } from "../time/calendar.ts";
import { type Condition, inRoots, whereClause } from "./where.ts";

export interface NameOptions {
  /** Only sessions below these folders; a path is looked for everywhere. */
  roots?: string[];
  /** The absolute paths a name may stand for; the name itself unless told. */
  toPaths?: (name: string) => string[];
}

/** Stands for the session that was active last. */
export const LATEST = "latest";

const SELECT = `SELECT s.file_id AS fileId, s.session_id AS id, f.path, f.real_path AS realPath, s.title, s.name,
  s.modified_at AS modifiedAt FROM sessions s JOIN files f ON f.id = s.file_id`;

/**
 * The session a name stands for: a path, an id, any unique beginning of an id, `latest` (the one that was active last), or
 * the name that it was given, or the beginning of that. A whole id wins over ids that begin with it; an id's beginning that
 * is another session's name stands for neither.
 *
 * @throws SessionDbError `not_found`; `ambiguous`, with lines to be shown about the first candidates as its choices;
 *   `usage` for an empty name
 */
export function resolveSession(index: Index, name: string, options: NameOptions = {}): SessionRef {
  if (name === "") throw new SessionDbError("usage", "the name of the session is empty", { hint: HOW });
  const [first, ...others] = candidates(index, name, options);
  if (first === undefined) throw notFound(name, options);
  if (others.length > 0) throw ambiguous(name, [first, ...others]);
  const { name: _name, modifiedAt: _modifiedAt, ...session } = first;
  return session;
}

/** A session with an entry of it, as `search` prints it: `01a0e225:16`, `/a/b.jsonl:16`; `.2` is the second of a line. */
const PLACE = /^(.+\.jsonl?|[^/\\:]+)(:\d+(?:\.\d+)?)$/s;

/** The session in the name of a place, and what names the entry; the name itself, and no entry, where it is no place. */
export function splitPlace(name: string): { session: string; entry: string | undefined } {
  const [, session = name, entry] = PLACE.exec(name) ?? [];
  return { session, entry };
}

/** The session that a name or the name of a place stands for. @throws SessionDbError as `resolveSession` */
export function resolvePlace(
  index: Index,
  name: string,
  options: NameOptions = {},
): { ref: SessionRef; entry: string | undefined } {
  const { session, entry } = splitPlace(name);
  // The name that a session was given may look like one: `release 1:2`.
  const isName =
    entry !== undefined && find(index, [isCalledAnyCase(name), ...inRoots(options.roots)]).length > 0;
  if (isName) return { ref: resolveSession(index, name, options), entry: undefined };
  return { ref: resolveSession(index, session, options), entry };
}

const HOW = "Give its path, its id or the beginning of that, its name, or latest; sessiondb list shows them.";

interface Candidate extends SessionRef {
  /** The name that the session was given. */
  name: string | null;
  modifiedAt: number;
}

/** The first way of naming that finds something decides. */
function candidates(index: Index, name: string, options: NameOptions): Candidate[] {
  const { roots } = options;
  if (name === LATEST) {
    const ofPeople = find(index, [OF_PEOPLE, ...inRoots(roots)], "LIMIT 1");
    return ofPeople.length > 0 ? ofPeople : find(index, inRoots(roots), "LIMIT 1");
  }
  if (looksLikePath(name)) {
    const atPath = find(index, [isAt(pathsOf(name, options))]);
    if (atPath.length > 0) return atPath;
  }
  const withId = find(index, [{ sql: "s.session_id = ?", values: [name] }, ...inRoots(roots)]);
  if (withId.length > 0) return withId;
  const beginning = firstFound(index, [beginsWith(name), beginsAnyCase(name)], roots);
  const called = firstFound(index, [isCalled(name), isCalledAnyCase(name)], roots);
  const known = new Set(beginning.map(({ fileId }) => fileId));
  const found = [...beginning, ...called.filter(({ fileId }) => !known.has(fileId))];
  return found.length > 0 ? found : firstFound(index, [nameBegins(name)], roots);
}

const OF_PEOPLE: Condition = { sql: "s.origin <> 'subagent'", values: [] };

/** What meets the first of the conditions that anything meets. */
function firstFound(index: Index, conditions: Condition[], roots: string[] | undefined): Candidate[] {
  for (const condition of conditions) {
    const found = find(index, [condition, ...inRoots(roots)]);
    if (found.length > 0) return found;
  }
  return [];
}

/** Last active first. */
function find(index: Index, conditions: Condition[], limit = ""): Candidate[] {
  const where = whereClause(conditions);
  const sql = `${SELECT} ${where.sql} ORDER BY s.modified_at DESC, f.path ${limit}`;
  return prepared(index.database, sql).all(...where.values) as Candidate[];
}

/** Whether a name is the path of something that is there: then no other session can be meant. */
export function isPathOfFile(name: string, options: NameOptions): boolean {
  return looksLikePath(name) && pathsOf(name, options).some((path) => existsSync(path));
}

/** As they stand in the index: without `..` and doubled separators. */
function pathsOf(name: string, { toPaths = (path) => [path] }: NameOptions): string[] {
  return toPaths(name).map((path) => normalize(path));
}

function isAt(paths: string[]): Condition {
  const marks = paths.map(() => "?").join(", ");
  return { sql: `f.path IN (${marks}) OR f.real_path IN (${marks})`, values: [...paths, ...paths] };
}

/** U+10FFFF sorts after every character an id can go on with. */
function beginsWith(beginning: string): Condition {
  return {
    sql: "s.session_id >= ? AND s.session_id < ? || char(1114111)",
    values: [beginning, beginning],
  };
}

/** The beginning of an id in either case; ids are ASCII. Tried last, because it looks at every session. */
function beginsAnyCase(beginning: string): Condition {
  return { sql: "instr(lower(s.session_id), lower(?)) = 1", values: [beginning] };
}

function isCalled(name: string): Condition {
  return { sql: "s.name = ?", values: [name] };
}

function isCalledAnyCase(name: string): Condition {
  return { sql: "casefold(s.name) = ?", values: [name.toLowerCase()] };
}

function nameBegins(beginning: string): Condition {
  return { sql: "instr(casefold(s.name), ?) = 1", values: [beginning.toLowerCase()] };
}

function notFound(name: string, options: NameOptions): SessionDbError {
  if (name === LATEST) {
    return new SessionDbError("not_found", "there are no sessions", {
      hint: "Run sessiondb to see where it looks.",
    });
  }
  if (isPathOfFile(name, options)) {
    return new SessionDbError("not_found", `what is at "${name}" is not a session in the index`, {
      hint: "If it is a session file elsewhere, name its folder: --sessions-dir FOLDER.",
    });
  }
  return new SessionDbError("not_found", `there is no session "${name}"`, { hint: HOW });
}

function ambiguous(name: string, found: readonly Candidate[]): SessionDbError {
  const isOneId = found.every(({ id }) => id === found[0]?.id);
  const isCut = found.every(({ id }) => beginsIn(id, name));
  const what = isOneId ? "files hold" : isCut ? "sessions begin with" : "sessions are called, or begin with,";
  const describe = ({ id, path, title, name, modifiedAt }: Candidate): string => {
    const shown = maskTitle(title).trimEnd() + endOfTitle(title, { name });
    return `${isOneId ? path : id}  ${toIso(modifiedAt).slice(0, 10)}  ${shown}`;
  };
  return new SessionDbError("ambiguous", `${found.length} ${what} "${name}"`, {
    hint: isOneId ? "Name one by its path:" : isCut ? "Give more of the id:" : "Give the id of one:",
    choices: choicesOf(found, describe),
  });
}

function beginsIn(id: string, name: string): boolean {
  return id.toLowerCase().startsWith(name.toLowerCase());
}

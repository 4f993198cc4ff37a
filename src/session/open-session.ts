/** How a session is begun or opened: everything that happens before it is in use. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../errors.ts";
import { markOfRead } from "../files/append.ts";
import { resolvePath } from "../files/paths.ts";
import type { FileStat } from "../files/stat.ts";
import { fillEmptyFile, replaceFile } from "../files/write-file.ts";
import { assertValidSessionId, SessionIds } from "../format/ids.ts";
import { stringOrNull } from "../format/json.ts";
import { migrateToCurrent, type NameEntry } from "../format/migrate.ts";
import {
  CURRENT_SESSION_VERSION,
  type FileEntry,
  type NewSessionOptions,
  type SessionHeader,
} from "../format/types.ts";
import { nameByLine } from "../format/upgrade.ts";
import type { EntryTree } from "./entry-tree.ts";
import { type LoadedFile, loadSessionFile } from "./load.ts";
import { MemoryTree } from "./memory-tree.ts";
import { type IndexedFile, openIndexed } from "./open-indexed.ts";
import { lineOf, linesOf, SessionFile } from "./session-file.ts";
import { sharedIndex } from "./shared-index.ts";

/** A session in use. It is replaced as a whole when another is begun or opened. */
export interface OpenSession {
  id: string;
  tree: EntryTree;
  /** The parent of the next entry; null before the first. */
  leafId: string | null;
  /** The session's file; undefined for a session in memory only. */
  file: SessionFile | undefined;
}

/** Where sessions are begun. */
export interface Place {
  cwd: string;
  sessionDir: string;
  /** Whether sessions are written to files at all. */
  persist: boolean;
}

/** `NewSessionOptions` whose fields may also be undefined. */
export type HeaderOptions = { [Key in keyof NewSessionOptions]: NewSessionOptions[Key] | undefined };

const sessionIds = new SessionIds();

/**
 * Makes a header. Callers in JavaScript may pass null for options they do not choose.
 *
 * @throws Error for an id that is unsafe in a path.
 */
export function newHeader(cwd: string, options?: HeaderOptions | null): SessionHeader {
  const id = options?.id ?? undefined;
  const parentSession = options?.parentSession;
  if (id !== undefined) assertValidSessionId(id);
  const now = new Date();
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id: id ?? sessionIds.next(now.getTime()),
    timestamp: now.toISOString(),
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

export function fileNameOf(header: SessionHeader): string {
  return `${header.timestamp.replace(/[:.]/g, "-")}_${header.id}.jsonl`;
}

/** A session without entries. `file` is used in the place of the file it would get. */
export function beginSession(place: Place, options?: NewSessionOptions, file?: SessionFile): OpenSession {
  const header = newHeader(place.cwd, options);
  const planned = () => SessionFile.planned(join(place.sessionDir, fileNameOf(header)));
  return sessionOf([header], file ?? (place.persist ? planned() : undefined));
}

/** Entries, the header among them, as a session whose leaf is the last entry. */
export function sessionOf(fileEntries: FileEntry[], file: SessionFile | undefined): OpenSession {
  const tree = new MemoryTree(fileEntries);
  const { header, last } = tree;
  return { id: header?.id ?? "", tree, leafId: last === undefined ? null : last.id, file };
}

/** A session of entries that the caller keeps; without a header among them it gets a new one. */
export function sessionFromEntries(
  place: Place,
  entries: FileEntry[],
  options?: NewSessionOptions,
): OpenSession {
  if (!entries.some((entry) => entry.type === "session")) {
    return sessionOf([newHeader(place.cwd, options), ...entries], undefined);
  }
  migrateToCurrent(entries);
  return sessionOf(entries, undefined);
}

/** The content of a session file: read whole, or through the index. */
export type ReadFile = LoadedFile | IndexedFile;

/**
 * Reads a session file, through the index where that gives the same answers faster.
 *
 * @throws the file system's error
 */
export function readSession(path: string): ReadFile {
  const index = path.endsWith(".jsonl") ? sharedIndex() : null;
  return (index && openIndexed(path, index)) ?? loadSessionFile(path);
}

/** The header of a file that was read; undefined where it is no session. */
export function headerOf(read: ReadFile): SessionHeader | undefined {
  if ("tree" in read) return read.tree.header;
  const [first] = read.entries;
  return first?.type === "session" ? first : undefined;
}

/**
 * The session of a file. A path with no file begins a session that will be kept there; an empty file gets a
 * header; a file of version 1 or 2 is migrated. `read` saves reading the file again.
 *
 * @throws Error for a file that is not a session, with pi's words; `busy` when the file changed while it was
 *   migrated; the file system's errors.
 */
export function openSession(sessionFile: string, place: Place, read?: ReadFile): OpenSession {
  const path = resolvePath(sessionFile);
  if (!existsSync(path)) return beginSession(place, undefined, SessionFile.planned(path));
  const found = read ?? readSession(path);
  if ("tree" in found) return indexedSession(path, found);
  if (found.entries.length > 0) return sessionOf(found.entries, fileOf(path, place, found));
  if (found.stat.size > 0 || found.form === "special") {
    throw new Error(`Session file is not a valid pi session: ${path}`);
  }
  const header = newHeader(place.cwd);
  if (!place.persist) return sessionOf([header], SessionFile.planned(path));
  return sessionOf([header], SessionFile.existing(path, fillEmptyFile(path, lineOf(header), found.stat)));
}

function indexedSession(path: string, { tree, stat, end, whole }: IndexedFile): OpenSession {
  const file = SessionFile.existing(path, markOfRead(stat, end, whole));
  return { id: tree.header.id, tree, leafId: tree.last?.id ?? null, file };
}

/** Migrates the entries and their file. */
function fileOf(
  path: string,
  place: Place,
  { entries, stat, end, whole, form, places }: LoadedFile,
): SessionFile {
  const migrated = migrateToCurrent(entries, places && namesBy(places));
  if (form === "array") return SessionFile.array(path);
  if (migrated && place.persist) return migratedFile(path, entries, stat);
  return SessionFile.existing(path, markOfRead(stat, end, whole));
}

/** A file that cannot be written, or for which there is no room, can still be read. */
function migratedFile(path: string, entries: FileEntry[], stat: FileStat): SessionFile {
  try {
    return SessionFile.existing(path, replaceFile(path, linesOf(entries), stat));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return SessionFile.unmigrated(path, stat);
  }
}

/**
 * Keeps the ids of entries: the array file stays beside the `.jsonl` made from it, and with the same ids their usage is
 * recognised as one bill. Only an id that repeats is replaced, because it would make the branch a cycle.
 */
function namesBy(places: ReadonlyMap<unknown, number>): NameEntry {
  return (entry, taken) => {
    const own = stringOrNull(entry.id);
    return own && !taken.has(own) ? own : nameByLine(places.get(entry) ?? 0);
  };
}

import { closeSync, existsSync, lstatSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, isSqliteError, isSystemError, SessionDbError } from "../errors.ts";
import { isUsualIndexPath } from "../files/paths.ts";
import type { FileIdentity } from "../files/stat.ts";
import { fileAt, type IndexFiles, type IndexLocation, isSameFile } from "./location.ts";
import { takeLock } from "./lock.ts";
import { APPLICATION_ID } from "./migrations.ts";
import { connect, type Database } from "./native.ts";
import { assertOwnParts, createPrivately, PARTS_BESIDE } from "./private-file.ts";
import { busyWith } from "./sqlite-errors.ts";

/** The lock is held for three renames, longer only when its holder was stopped in the middle of them. */
const WAIT_MS = 5000;

/**
 * Does what only one process at a time may do in the folder of a database: move away a damaged database, or the leftovers
 * of a deleted one. Between looking at a file and moving it, no other process may do the same.
 *
 * @throws SessionDbError `busy`, `io`
 */
function withDamageLock<T>(path: string, work: () => T): T {
  const lock = takeLock(join(dirname(path), "damage-lock.db"), WAIT_MS);
  if (lock === null) throw busyWith(path);
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** What of an index can be damaged, and is made anew. */
export type Rebuilt = "index" | "fullText";

/** What is moved away, the damaged database first: without the rows their full text stands for nothing. */
const MOVED = {
  index: ["indexPath", "searchPath"],
  fullText: ["searchPath"],
} as const satisfies Record<Rebuilt, readonly (keyof IndexLocation)[]>;

/**
 * Moves damaged databases out of the way, as `<path>.damaged`; the next opening makes new ones. What is no longer the file
 * that was `seen` to be damaged is left alone: another process has put that aside, and this is what it has made since.
 * Whether there was anything to move.
 *
 * @throws SessionDbError `index_foreign` for a file that may be anybody's; `busy`, `io`
 */
export function quarantine(what: Rebuilt, location: IndexLocation, seen: IndexFiles): boolean {
  assertMayBeMoved(what, location);
  const paths = MOVED[what].filter((which) => isOurs(location, which));
  return withDamageLock(
    location.indexPath,
    () => paths.filter((which) => moveAway(location[which], seen[which])).length > 0,
  );
}

/**
 * Refuses to touch what was named as an index and is none, as far as can be seen.
 *
 * @throws SessionDbError `index_foreign`
 */
export function assertMayBeMoved(what: Rebuilt, location: IndexLocation): void {
  const [which] = MOVED[what];
  if (isOurs(location, which)) return;
  const path = location[which];
  throw new SessionDbError(
    "index_foreign",
    `this is no session index, or nothing of one is left in it: ${path}`,
    {
      hint: "Choose another file with --db; if that was an index, delete it and run sessiondb sync with the same options.",
    },
  );
}

/** Where SQLite keeps a database's application id: bytes. */
const ID_AT = 68;

/** Whether a file lies where only ours do, bears our mark, however damaged the rest of it is, or holds nothing. */
function isOurs(location: IndexLocation, which: keyof IndexLocation): boolean {
  if (isUsualIndexPath(location.indexPath)) return true;
  const stats = lstatSync(location[which], { throwIfNoEntry: false });
  if (!stats?.isFile()) return false;
  if (stats.size === 0) return true;
  return idOnDisk(location[which]) === APPLICATION_ID || idBySqlite(location[which]) === APPLICATION_ID;
}

/** Undefined where the file is too short. Closing it drops locks on it: they are those of a file that is to be moved away. */
function idOnDisk(path: string): number | undefined {
  const id = Buffer.alloc(4);
  const fd = openSync(path, "r");
  try {
    return readSync(fd, id, 0, id.length, ID_AT) === id.length ? id.readUInt32BE() : undefined;
  } finally {
    closeSync(fd);
  }
}

/** A database whose pages are still in its log has its id there. Undefined where it cannot be read. */
function idBySqlite(path: string): unknown {
  let database: Database | undefined;
  try {
    database = connect(path, { readonly: true, fileMustExist: true });
    return database.pragma("application_id", { simple: true });
  } catch (error) {
    if (isSqliteError(error)) return undefined;
    throw error;
  } finally {
    database?.close();
  }
}

/** When a database was put aside last, in Unix ms; null where none is. A file's name changes with its status. */
export function quarantinedAt(what: Rebuilt, location: IndexLocation): number | null {
  const [which] = MOVED[what];
  return lstatSync(quarantinePathOf(location[which], ""), { throwIfNoEntry: false })?.ctimeMs ?? null;
}

/** Removes what was put aside, which may hold words of sessions that were deleted since. */
export function removeQuarantined(location: IndexLocation): void {
  for (const path of Object.values(location)) {
    for (const suffix of SUFFIXES) {
      if (isQuarantined(path, suffix)) rmSync(quarantinePathOf(path, suffix), { force: true });
    }
  }
}

/** Whether something was put aside that was at `path`. A folder of that name is somebody else's. */
export function isQuarantined(path: string, suffix: Suffix = ""): boolean {
  return lstatSync(quarantinePathOf(path, suffix), { throwIfNoEntry: false })?.isDirectory() === false;
}

function quarantinePathOf(path: string, suffix: Suffix): string {
  return `${path}.damaged${suffix}`;
}

/** A database, and what has to go with it. */
const SUFFIXES = ["", "-wal", "-shm"] as const;

type Suffix = (typeof SUFFIXES)[number];

function moveAway(path: string, seen: FileIdentity | null): boolean {
  const files = SUFFIXES.map((suffix) => ({ suffix, file: fileAt(path + suffix) }));
  if (!isSameFile(files[0]?.file ?? null, seen)) return false;
  for (const { suffix, file } of files) {
    // As soon as the database is gone, another process may make a new one, with a log of its own.
    if (!isSameFile(fileAt(path + suffix), file)) continue;
    try {
      renameSync(path + suffix, quarantinePathOf(path, suffix));
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw cannotMove(path + suffix, error);
    }
  }
  return true;
}

function cannotMove(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new SessionDbError("io", `the damaged index cannot be put aside (${codeOf(error)}): ${path}`, {
    cause: error,
    hint: "Remove the file yourself: the index is rebuilt from the session files.",
  });
}

/**
 * Makes an empty database where there is none, as `createPrivately` does. A log that stands there without its database was
 * left by one that was deleted, and is removed first: a process that still has the deleted one open goes on using the log,
 * and SQLite would take it for that of the new database, and find this damaged.
 *
 * @throws SessionDbError `busy`, `io`; the file system's error
 */
export function createDatabase(path: string): void {
  if (hasLeftovers(path)) {
    assertOwnParts(path);
    withDamageLock(path, () => removeLeftovers(path));
  }
  createPrivately(path);
}

/** Not where somebody has made a database meanwhile: then the log belongs to that. */
function removeLeftovers(path: string): void {
  if (!hasLeftovers(path)) return;
  for (const part of PARTS_BESIDE) rmSync(path + part, { force: true });
  createPrivately(path);
}

function hasLeftovers(path: string): boolean {
  return !existsSync(path) && PARTS_BESIDE.some((part) => existsSync(path + part));
}

import { accessSync, closeSync, constants, fstatSync, ftruncateSync, openSync } from "node:fs";
import { codeOf, isSqliteBusy, isSystemError, SessionDbError } from "../errors.ts";
import { connect, type Database } from "./native.ts";
import { createPrivately } from "./private-file.ts";
import { ATTEMPTS, isDamage, isGone, toStoreError } from "./sqlite-errors.ts";

/**
 * The right to be the only one, held as an exclusive transaction on a database file of its own. The kernel
 * frees it when the process ends, however it ends; nothing is ever written into the file.
 */
export class FileLock {
  readonly #database: Database;

  /** Use `takeLock`. */
  constructor(database: Database) {
    this.#database = database;
  }

  /** May be called again. */
  release(): void {
    this.#database.close();
  }
}

/**
 * Looking whether the lock is held keeps it from being taken for a moment. One look after another may do so for this long
 * before it is taken for an error.
 */
const LOOKED_AT_MS = 10_000;

/**
 * Takes the lock, or gives null when another process still has it after `waitMs`. The file is created if need
 * be, readable by its owner only, and emptied if it is damaged. A process that holds the lock must never open the file in
 * any other way: closing it would drop the lock.
 *
 * @throws SessionDbError `busy` when nobody holds the lock, but somebody has been looking at it for too long, as a process
 *   that was stopped does; `io`, `native_missing`
 */
export function takeLock(path: string, waitMs: number): FileLock | null {
  for (const start = performance.now(); ; ) {
    const lock = tryToTake(path, waitMs);
    if (lock !== null) return lock;
    if (isLocked(path)) return null;
    if (performance.now() - start >= LOOKED_AT_MS) throw lookedAt(path);
  }
}

function tryToTake(path: string, waitMs: number): FileLock | null {
  const database = openLockFile(path, waitMs);
  try {
    // On a file that may only be read, SQLite begins the transaction too, but without keeping anybody else out.
    accessSync(path, constants.W_OK);
    // Nothing is ever written, so no journal file is needed.
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
    return new FileLock(database);
  } catch (error) {
    database.close();
    if (isSqliteBusy(error)) return null;
    if (!isDamage(codeOf(error))) throw toStoreError(error, path);
    empty(path);
    return null;
  }
}

/**
 * Makes a damaged lock file usable again. The damage is seen only while nobody holds the lock; a process that has taken it
 * since has emptied the file before, and is not affected.
 */
function empty(path: string): void {
  let fd: number | null = null;
  try {
    // Never the target of a link, or a file with another name: that may be somebody's data.
    fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (fstatSync(fd).nlink > 1) throw noLock(path);
    ftruncateSync(fd);
  } catch (error) {
    // Deleted meanwhile: the next try makes a new one.
    if (codeOf(error) === "ENOENT") return;
    throw isSystemError(error) ? noLock(path, error) : error;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function noLock(path: string, cause?: unknown): SessionDbError {
  return new SessionDbError("io", `this is not a lock file: ${path}`, {
    hint: "Delete it, or move it away: a lock file is empty, and is created again.",
    cause,
  });
}

function lookedAt(path: string): SessionDbError {
  return new SessionDbError("busy", `a process that is suspended or hangs keeps ${path} locked`, {
    hint: "End it (fuser shows which one it is), and try again.",
  });
}

/**
 * Whether some process holds the lock. Looks with a shared lock of a moment, so that several may look at
 * once; the file must exist.
 *
 * @throws SessionDbError `io`, `native_missing`
 */
export function isLocked(path: string): boolean {
  const database = openLockFile(path, 0);
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (isSqliteBusy(error)) return true;
    // So nobody has locked it: of a locked file nothing can be read, not even that it is damaged.
    if (isDamage(codeOf(error))) return false;
    throw toStoreError(error, path);
  } finally {
    database.close();
  }
}

function openLockFile(path: string, timeout: number): Database {
  for (let attempt = 1; ; attempt++) {
    try {
      createPrivately(path);
      return connect(path, { timeout, fileMustExist: true });
    } catch (error) {
      if (attempt === ATTEMPTS || !isGone(error, path)) throw toStoreError(error, path);
    }
  }
}

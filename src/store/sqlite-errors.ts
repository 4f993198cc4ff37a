import { closeSync, existsSync, openSync, statfsSync } from "node:fs";
import { devNull } from "node:os";
import { dirname } from "node:path";
import {
  codeOf,
  isNoDescriptor,
  isSqliteBusy,
  isSqliteError,
  isSystemError,
  MORE_FILES,
  SessionDbError,
  unlessUnreadable,
} from "../errors.ts";
import { indexReplaced } from "./databases.ts";
import { type Database, isNativeProblem, nativeMissing } from "./native.ts";

/** Whether an error's code says that a database is damaged; a short read means that its end is missing. */
export function isDamage(code: string): boolean {
  return code === "index_corrupt" || /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code);
}

/** Whether an error's code says that the disk is full; even reading a database needs room, for its log. */
export function isOutOfRoom(code: string): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code);
}

/** Whether no more files can be made beside this one, however much room is left. Not every file system has such a limit. */
function hasNoInodes(path: string): boolean {
  const disk = unlessUnreadable(() => statfsSync(dirname(path)));
  return disk !== undefined && disk.files > 0 && disk.ffree === 0;
}

/** A process that cannot open this many more files counts as having run out: a database takes up to four. */
const FEWEST_FILES = 8;

/**
 * Whether an error comes of too many open files: `EMFILE` when this process has too many, `ENFILE` when all together have,
 * else null. SQLite's own codes do not say so.
 */
function descriptorShortage(code: string): string | null {
  if (isNoDescriptor(code)) return code;
  return code.startsWith("SQLITE_CANTOPEN") ? shortageNow() : null;
}

function shortageNow(): string | null {
  const opened: number[] = [];
  try {
    while (opened.length < FEWEST_FILES) opened.push(openSync(devNull, "r"));
    return null;
  } catch (error) {
    return isNoDescriptor(codeOf(error)) ? codeOf(error) : null;
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** The folder may not be written to: a read-only home, another user's, a read-only disk. */
const NO_PLACE = /^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|ELOOP|SQLITE_CANTOPEN.*|SQLITE_READONLY.*)$/;

/** The disk fails, or there is a limit on how large a file may grow; SQLite does not tell the two apart. */
const DISK_FAILS = /^(EIO|EFBIG|SQLITE_IOERR.*)$/;

/** Turns what SQLite and the file system throw into errors with a code and a remedy; bugs pass through. */
export function toStoreError(error: unknown, path: string): unknown {
  if (error instanceof SessionDbError) return error;
  if (isNativeProblem(error)) return nativeMissing(error);
  const code = codeOf(error);
  if (isSqliteBusy(error) || code.startsWith("SQLITE_LOCKED")) return busyWith(path, error);
  if (code === "SQLITE_READONLY_DBMOVED") return indexReplaced(path);
  if (isDamage(code) || isMissingPart(code)) return damaged(path, error);
  if (/^(ENOSPC|SQLITE_CANTOPEN)/.test(code) && hasNoInodes(path)) {
    return new SessionDbError(
      "io",
      `no more files can be created on the disk that holds the index: ${path}`,
      {
        cause: error,
        hint: "It has no inodes left (df -i): remove files there, or keep the index elsewhere with --db FILE.",
      },
    );
  }
  if (isOutOfRoom(code)) {
    return new SessionDbError("io", `no space left on the disk that holds the index: ${path}`, {
      cause: error,
      hint: "Free some space and try again. The session files are intact, and --no-sync answers from what is indexed so far.",
    });
  }
  const lacking = descriptorShortage(code);
  if (lacking !== null) {
    return new SessionDbError(
      "io",
      `too many files are open to open the index as well (${lacking}): ${path}`,
      {
        cause: error,
        hint: MORE_FILES,
      },
    );
  }
  if (isSqliteError(error) || isSystemError(error)) {
    return new SessionDbError("io", `the index cannot be opened (${code}): ${path}`, {
      cause: error,
      ...(NO_PLACE.test(code) && {
        hint: "Choose another place with --db FILE, in a folder you can write to.",
      }),
      ...(DISK_FAILS.test(code) && {
        hint: "The disk is failing, or files may not grow that large (ulimit -f); --db FILE keeps the index on another disk.",
      }),
    });
  }
  return error;
}

/** Whether an error's code says that a table or column is missing, so somebody else has been at it. */
export function isMissingPart(code: string): boolean {
  return code.startsWith("SQLITE_ERROR");
}

/** Another process does not let us write. */
export function busyWith(path: string, cause?: unknown): SessionDbError {
  return new SessionDbError("busy", `another process is writing to the index: ${path}`, {
    cause,
    hint: "Try again in a moment.",
  });
}

/** A database that cannot be read as what it was. */
export function damaged(path: string, cause: unknown): SessionDbError {
  return new SessionDbError("index_corrupt", `the index is damaged: ${path}`, {
    cause,
    hint: "Run `sessiondb sync --rebuild`: the index is a cache, and is rebuilt from the session files, which hold everything.",
  });
}

/** What better-sqlite3 throws of a connection while somebody reads rows of it one by one. */
export function saysIterated(error: unknown): boolean {
  return error instanceof TypeError && error.message === "This database connection is busy executing a query";
}

/** @throws SessionDbError `usage` where rows of an open database are still being read one by one */
export function assertNotIterated(database: Database, indexPath: string): void {
  try {
    // Does nothing, but is refused then; nothing else tells.
    database.exec("");
  } catch (error) {
    throw saysIterated(error) ? iterated(indexPath, error) : error;
  }
}

export function iterated(indexPath: string, cause: unknown): SessionDbError {
  return new SessionDbError("usage", `an iterator over rows of the index is still open: ${indexPath}`, {
    hint: "Read it to its end, or call its return(), first.",
    cause,
  });
}

/** How often opening is tried when the database, or its folder, is deleted at that very moment. */
export const ATTEMPTS = 3;

const MAY_BE_GONE = /^(ENOENT|SQLITE_(CANTOPEN|IOERR).*)$/;

/** The file that was opened is not at its path any more; or somebody else has already removed the log it left there. */
const IS_GONE = /^SQLITE_(READONLY_DBMOVED|IOERR_DELETE_NOENT)$/;

/** Whether a database could not be opened because it was deleted or replaced meanwhile: it can be opened, or made, again. */
export function isGone(error: unknown, path: string): boolean {
  const code = codeOf(error);
  return IS_GONE.test(code) || (MAY_BE_GONE.test(code) && !existsSync(path));
}

import { codeOf, isSqliteBusy, isSqliteError, isSystemError, MORE_FILES, SessionDbError } from "../errors.ts";
import { isDamage } from "./damage.ts";
import { indexReplaced } from "./migrate.ts";
import { isNativeProblem, nativeMissing } from "./native.ts";
import { descriptorShortage, hasNoInodes, isOutOfRoom } from "./out-of-room.ts";

/** The folder may not be written to: a read-only home, another user's, a read-only disk. */
const NO_PLACE = /^(EACCES|EPERM|EROFS|ENOENT|ENOTDIR|EEXIST|ELOOP|SQLITE_CANTOPEN.*|SQLITE_READONLY.*)$/;

/** The disk fails, or there is a limit on how large a file may grow; SQLite does not tell the two apart. */
const DISK_FAILS = /^(EIO|EFBIG|SQLITE_IOERR.*)$/;

/** Turns what SQLite and the file system throw into errors with a code and a remedy; bugs pass through. */
export function explain(error: unknown, path: string): unknown {
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
    hint: "Run `sessiondb sync --rebuild`: the index is a cache, and is rebuilt from the session files.",
  });
}

import { emitWarning } from "node:process";
import { isSystemError, SessionDbError } from "../errors.ts";
import type { OpenOptions } from "../store/connection.ts";
import { diagnose } from "../store/diagnose.ts";
import type { IndexFiles, IndexLocation } from "../store/location.ts";
import { Index, openIndex as open } from "../store/open.ts";
import { iterated, saysIterated } from "../store/sqlite-errors.ts";
import { filesSeen } from "./healing.ts";
import { quarantineDamage } from "./repair.ts";
import { check, flag, options as optionsOf, path, record, wholeNumber } from "./validate.ts";

/** SQLite counts milliseconds and pages in 32 bits. */
const amount = wholeNumber(2 ** 31 - 1);

const PATHS = record({ indexPath: path, searchPath: path });
const OPEN = optionsOf({ readonly: flag, busyTimeoutMs: amount, cacheKiB: amount });

/**
 * Opens the index, creating or migrating it as needed; one that an earlier version has filled in another way is
 * emptied, and is filled again by `syncAll` and `feedSearch`. Each call opens a connection of its own: several may be
 * open at once, in one process, in its worker threads and in other processes. Whoever opens it closes it.
 *
 * If its files are deleted or moved, an open index goes on answering from what was there, except a first search, which
 * throws `io`; `index.isReplaced()` says whether that has happened. If a newer program takes the files over, every call
 * throws `index_newer`; `index.isCurrent()` says whether that has happened.
 *
 * A damaged index is put aside (`*.damaged`) and made anew, which a warning of the process says: at once where opening it
 * shows the damage, else when a question meets it, which throws `index_corrupt` once more. Opened read-only it is left.
 *
 * @throws SessionDbError `usage` for paths that are not absolute, `busy`, `index_newer`, `index_foreign`,
 *   `index_corrupt`, `native_missing`, `not_found` (read-only and not there), `io`
 */
export function openIndex(location: IndexLocation, options: OpenOptions = {}): Index {
  checkLocation(location);
  check("options", OPEN, options);
  return options.readonly === true ? open(location, options) : openHealed(location, options);
}

function openHealed(location: IndexLocation, options: OpenOptions): Index {
  const seen = filesSeen(location);
  try {
    return open(location, options);
  } catch (error) {
    if (!isCorrupt(error) || quarantineDamage(location, seen) === null) throw error;
    warnOfDamage(location);
    return open(location, options);
  }
}

function isCorrupt(error: unknown): boolean {
  return error instanceof SessionDbError && error.code === "index_corrupt";
}

/** A program has no other place for a note. */
function warnOfDamage({ indexPath }: IndexLocation): void {
  emitWarning(`the index was damaged; it was put aside, and is made anew: ${indexPath}`, "SessionDbWarning");
}

/**
 * Puts an index aside whose damage shows when it is asked, so that opening it again makes a new one.
 *
 * @param seen its files before that
 */
function noticeDamage(error: unknown, location: IndexLocation, seen: IndexFiles): unknown {
  if (!isCorrupt(error)) return error;
  try {
    if (quarantineDamage(location, seen) === null) return error;
  } catch (failure) {
    // It stays where it is: then the damage is what there is to tell.
    if (failure instanceof SessionDbError) return failure.code === "index_corrupt" ? failure : error;
    throw failure;
  }
  warnOfDamage(location);
  const { message } = error as SessionDbError;
  return new SessionDbError("index_corrupt", message, {
    hint: "It was put aside: open it again, openIndex(index.location), and fill the new one, syncAll(index, roots).",
    cause: error,
  });
}

/** @throws SessionDbError `usage` */
export function checkLocation(location: IndexLocation): void {
  check("location", PATHS, location);
  if (location.indexPath !== location.searchPath) return;
  throw new SessionDbError("usage", `indexPath and searchPath are the same file: ${location.indexPath}`, {
    hint: "There are two databases; give each a file of its own.",
  });
}

/** Asks the index at a location, which is opened for that only. @throws SessionDbError as `inIndex` */
export function noticingDamage<Answer>(location: IndexLocation, ask: () => Answer): Answer {
  const seen = filesSeen(location);
  try {
    return ask();
  } catch (error) {
    throw noticeDamage(error, location, seen);
  }
}

/**
 * Asks an open index. Errors of SQLite become errors of this library; those of a callback of the caller stay as they
 * are.
 *
 * @throws SessionDbError `usage` where it is no index, or a closed one (also by a callback), or rows of it are still
 *   being read one by one; `index_newer` where a newer program has taken it over since it was opened; `busy`,
 *   `io`; `index_corrupt` for a damaged one, which is put aside unless it was opened read-only
 */
export function inIndex<Answer>(index: Index, ask: () => Answer): Answer {
  assertOpen(index);
  try {
    index.assertCurrent();
    return ask();
  } catch (error) {
    if (saysClosed(error)) index.assertOpen();
    if (saysIterated(error)) throw iterated(index.location.indexPath, error);
    if (isSystemError(error)) throw error;
    const diagnosed = diagnose(error, index);
    throw index.database.readonly ? diagnosed : noticeDamage(diagnosed, index.location, index.files);
  }
}

/** Whether an error is what better-sqlite3 throws for a connection that was closed. */
function saysClosed(error: unknown): boolean {
  return error instanceof TypeError && error.message === "The database connection is not open";
}

/** Writes to an open index. @throws SessionDbError as `inIndex`, and `usage` where it was opened read-only */
export function intoIndex<Answer>(index: Index, write: () => Answer): Answer {
  assertWritable(index);
  return inIndex(index, write);
}

/** @throws SessionDbError `usage` */
export function assertWritable(index: Index): void {
  assertOpen(index);
  if (!index.database.readonly) return;
  throw new SessionDbError("usage", `the index was opened read-only: ${index.location.indexPath}`, {
    hint: "Open it without `readonly`.",
  });
}

function assertOpen(index: Index): void {
  // A caller may have wrong types, or none.
  if (!((index as unknown) instanceof Index)) {
    throw new SessionDbError("usage", "index has to be what openIndex returns", {
      hint: "const index = openIndex({ indexPath, searchPath });",
    });
  }
  index.assertOpen();
}

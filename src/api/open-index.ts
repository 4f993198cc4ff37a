import { SessionDbError } from "../errors.ts";
import type { OpenOptions } from "../store/connection.ts";
import type { IndexLocation } from "../store/location.ts";
import { type Index, openIndex as open } from "../store/open.ts";
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
 * @throws SessionDbError `usage` for paths that are not absolute, `busy`, `index_newer`, `index_foreign`,
 *   `index_corrupt`, `native_missing`, `not_found` (read-only and not there), `io`
 */
export function openIndex(location: IndexLocation, options: OpenOptions = {}): Index {
  checkLocation(location);
  check("options", OPEN, options);
  return open(location, options);
}

/** @throws SessionDbError `usage` */
export function checkLocation(location: IndexLocation): void {
  check("location", PATHS, location);
  if (location.indexPath !== location.searchPath) return;
  throw new SessionDbError("usage", `indexPath and searchPath are the same file: ${location.indexPath}`, {
    hint: "There are two databases; give each a file of its own.",
  });
}

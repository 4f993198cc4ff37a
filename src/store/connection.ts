import { codeOf } from "../errors.ts";
import { assertOurs } from "./migrations.ts";
import { connect, type Database } from "./native.ts";

/** How long to wait for another writer, if no time is given. */
export const BUSY_TIMEOUT_MS = 250;
/** How long to wait in threads, for which nobody waits. */
export const THREAD_BUSY_TIMEOUT_MS = 5000;
/** Memory for pages, if none is given: twice as much makes nothing faster. */
const CACHE_KIB = 16 * 1024;
/** Memory for pages of one connection of the daemon, in KiB: with more it was no faster. */
export const DAEMON_CACHE_KIB = 4 * 1024;

export interface OpenOptions {
  /** Read what is there; never create, migrate or write. */
  readonly?: boolean;
  /** How long to wait for another writer; 250 ms unless told. */
  busyTimeoutMs?: number;
  /** Memory for pages of each database, in KiB; 16 MB unless told. */
  cacheKiB?: number;
}

/**
 * A connection to a file that is there, set up as all of ours are, and so is a new file.
 *
 * @throws SessionDbError `index_foreign`; SQLite's errors
 */
export function openConnection(
  path: string,
  { readonly = false, cacheKiB = CACHE_KIB, busyTimeoutMs = BUSY_TIMEOUT_MS }: OpenOptions,
): Database {
  // The timeout is set before the first statement: switching to WAL can itself meet a lock.
  const database = connect(path, { timeout: busyTimeoutMs, readonly, fileMustExist: true });
  try {
    configure(database, { readonly, cacheKiB, busyTimeoutMs });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: Database, { readonly, cacheKiB, busyTimeoutMs }: Required<OpenOptions>): void {
  database.pragma("trusted_schema = OFF");
  database.pragma("foreign_keys = ON");
  database.pragma("mmap_size = 0");
  database.pragma(`cache_size = -${Math.floor(cacheKiB)}`);
  // SQLite's own lower() knows ASCII only.
  database.function("casefold", { deterministic: true }, toLowerCase);
  if (readonly) {
    database.pragma("query_only = ON");
    return;
  }
  // Before the first pragma that writes: WAL is written into the file.
  assertOurs(database);
  // Pages that merging full text has freed can be given back. For a new file only: elsewhere it is a write.
  if (database.pragma("page_count", { simple: true }) === 0) database.pragma("auto_vacuum = INCREMENTAL");
  switchToWal(database, busyTimeoutMs);
  database.pragma("synchronous = NORMAL");
  // Where savepoints keep what they may have to restore.
  database.pragma("temp_store = MEMORY");
  database.pragma("secure_delete = ON");
  database.pragma("wal_autocheckpoint = 16384");
  database.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
}

/**
 * When several processes switch a new file at the same time, SQLite lets one do it and tells the others at once that the
 * file is locked, because this statement ignores the connection's timeout. Beginning a writing transaction heeds it.
 */
function switchToWal(database: Database, timeoutMs: number): void {
  for (const start = performance.now(); ; ) {
    try {
      database.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (codeOf(error) !== "SQLITE_BUSY" || performance.now() - start >= timeoutMs) throw error;
      database.transaction(() => undefined).immediate();
    }
  }
}

function toLowerCase(text: unknown): string | null {
  return typeof text === "string" ? text.toLowerCase() : null;
}

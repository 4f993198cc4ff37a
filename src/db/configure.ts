import { codeOf } from "../errors.ts";
import { assertOurs } from "./migrate.ts";
import type { Database } from "./native.ts";

/** How long to wait for another writer, unless told. */
export const BUSY_TIMEOUT_MS = 250;
/** Memory for pages, unless told: twice as much makes nothing faster. */
export const CACHE_KIB = 16 * 1024;

export interface ConnectionOptions {
  readonly?: boolean;
  busyTimeoutMs?: number;
  cacheKiB?: number;
}

/**
 * Sets a connection up as all of ours are, and a new file as ours are.
 *
 * @throws SessionDbError `index_foreign`; SQLite's errors
 */
export function configure(
  database: Database,
  { readonly = false, cacheKiB = CACHE_KIB, busyTimeoutMs = BUSY_TIMEOUT_MS }: ConnectionOptions,
): void {
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
  // Savepoints put aside there what they may have to restore.
  database.pragma("temp_store = MEMORY");
  database.pragma("secure_delete = ON");
  database.pragma("wal_autocheckpoint = 16384");
  database.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
}

/**
 * When several processes switch a new file at the same time, SQLite lets one do it and tells the others at once that it
 * is locked: this statement ignores the connection's timeout. Taking the right to write does not.
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

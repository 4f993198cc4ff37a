import { statSync } from "node:fs";
import { codeOf, isSystemError, SessionDbError } from "../errors.ts";
import { isDamage } from "./damage.ts";
import { assertOurs, assertReadable, type DatabaseKind, migrate, notThere } from "./migrate.ts";
import { type Database, isNativeProblem, loadSqlite, nativeMissing } from "./native.ts";
import { createPrivately } from "./private-file.ts";

/** Where the two database files are. Never inside a sessions root. */
export interface IndexLocation {
  indexPath: string;
  searchPath: string;
}

export interface OpenOptions {
  /** Read what is there; never create, migrate or write. */
  readonly?: boolean;
  /** How long to wait for another writer; 250 ms unless told. */
  busyTimeoutMs?: number;
  /** Memory for pages of each database, in KiB; 32 MB unless told. */
  cacheKiB?: number;
}

const BUSY_TIMEOUT_MS = 250;
const CACHE_KIB = 32 * 1024;

const INDEX: DatabaseKind = {
  migrations: "index",
  ingestVersion: 3,
  empty(database) {
    // Entry keys are never used twice: the full-text index may still know the old ones.
    database.exec(`
      INSERT INTO removed_keys (first_key, last_key) SELECT min(key), max(key) FROM entries HAVING count(*) > 0;
      DELETE FROM files;
    `);
  },
};

const SEARCH: DatabaseKind = {
  migrations: "search",
  ingestVersion: 4,
  empty(database) {
    database.exec(`INSERT INTO entry_text (entry_text) VALUES ('delete-all');
      DELETE FROM compound_names; DELETE FROM missed_keys; DELETE FROM key_blocks; DELETE FROM meta`);
  },
};

/**
 * The index: two databases derived from the session files. Whoever opens it closes it.
 */
export class Index {
  readonly location: IndexLocation;
  /** The rows: files, sessions, entries, usage and all the rest. */
  readonly database: Database;
  readonly #options: OpenOptions;
  #search: Database | undefined;
  #reader: Database | undefined;

  /** Use `openIndex`. */
  constructor(location: IndexLocation, options: OpenOptions) {
    this.location = location;
    this.#options = options;
    this.database = openDatabase(location.indexPath, INDEX, options);
  }

  /** The full-text database, opened when first used. @throws SessionDbError like `openIndex` */
  get search(): Database {
    this.#search ??= openDatabase(this.location.searchPath, SEARCH, this.#options);
    return this.#search;
  }

  /**
   * A read-only connection that sees both databases, the full text as `search.entry_text`. Separate from the
   * writing ones: a writing transaction would lock every attached database.
   */
  get reader(): Database {
    this.#reader ??= this.#openReader();
    return this.#reader;
  }

  #openReader(): Database {
    this.search.prepare("SELECT 1").get();
    const reader = openDatabase(this.location.indexPath, INDEX, { ...this.#options, readonly: true });
    if (idOf(reader) !== idOf(this.database)) {
      reader.close();
      throw replaced(this.location.indexPath);
    }
    reader.prepare("ATTACH DATABASE ? AS search").run(this.location.searchPath);
    reader.pragma(`search.cache_size = -${Math.floor(this.#options.cacheKiB ?? CACHE_KIB)}`);
    return reader;
  }

  close(): void {
    for (const database of [this.#reader, this.#search, this.database]) database?.close();
  }
}

/**
 * Opens the index, creating or migrating it as needed.
 *
 * @throws SessionDbError `busy`, `index_newer`, `index_foreign`, `index_corrupt`, `native_missing`,
 *   `not_found` (read-only and not there), `io`
 */
export function openIndex(location: IndexLocation, options: OpenOptions = {}): Index {
  return new Index(location, options);
}

/** Of an index, for as long as it is not made anew. */
function idOf(database: Database): unknown {
  return database.prepare("SELECT value FROM meta WHERE name = 'index_id'").pluck().get();
}

/** Two connections that see different indexes would mix what they say. */
function replaced(path: string): SessionDbError {
  return new SessionDbError("busy", `another index has taken the place of the one that was open: ${path}`, {
    hint: "Try again.",
  });
}

function openDatabase(path: string, kind: DatabaseKind, options: OpenOptions): Database {
  let database: Database | undefined;
  try {
    if (options.readonly) assertThere(path);
    else createPrivately(path);
    // The timeout is set before the first statement: switching to WAL can itself meet a lock.
    database = new (loadSqlite())(path, {
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
      readonly: options.readonly ?? false,
      fileMustExist: true,
    });
    configure(database, options);
    if (options.readonly) assertReadable(database, kind);
    else migrate(database, kind);
    return database;
  } catch (error) {
    database?.close();
    throw explain(error, path);
  }
}

function assertThere(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })) throw notThere(path);
}

function configure(
  database: Database,
  { readonly = false, cacheKiB = CACHE_KIB, busyTimeoutMs = BUSY_TIMEOUT_MS }: OpenOptions,
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
  // What savepoints put aside.
  database.pragma("temp_store = MEMORY");
  database.pragma("secure_delete = ON");
  database.pragma("wal_autocheckpoint = 16384");
  database.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
}

/**
 * Of several processes that switch a new file at once, SQLite lets one do it and tells the others at once that it is
 * locked: this statement does not keep to the timeout of the connection. Taking the right to write does.
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

/** The folder may not be written to: a read-only home, another user's, a read-only disk. */
const NO_PLACE = /^(EACCES|EPERM|EROFS|SQLITE_CANTOPEN.*|SQLITE_READONLY.*)$/;

/** Turns what SQLite and the file system throw into errors with a code and a remedy; bugs pass through. */
export function explain(error: unknown, path: string): unknown {
  if (error instanceof SessionDbError) return error;
  if (isNativeProblem(error)) return nativeMissing(error);
  const code = codeOf(error);
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new SessionDbError("busy", `another process is writing to the index: ${path}`, {
      cause: error,
      hint: "Try again in a moment.",
    });
  }
  // SQLITE_ERROR: a table or column is missing, so somebody else has been at it.
  if (isDamage(code) || code.startsWith("SQLITE_ERROR")) {
    return damaged(path, error);
  }
  if (/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code)) {
    return new SessionDbError("io", `there is no room left on the disk of the index: ${path}`, {
      cause: error,
      hint: "Make room and try again; the session files are whole, and what is indexed stays.",
    });
  }
  if (code.startsWith("SQLITE_") || isSystemError(error)) {
    return new SessionDbError("io", `the index cannot be opened (${code}): ${path}`, {
      cause: error,
      ...(NO_PLACE.test(code) && {
        hint: "Say where it can be kept: --db FILE, in a folder you may write to.",
      }),
    });
  }
  return error;
}

/** A database that cannot be read as what it was. */
export function damaged(path: string, cause: unknown): SessionDbError {
  return new SessionDbError("index_corrupt", `the index is damaged: ${path}`, {
    cause,
    hint: "Run `sessiondb sync --rebuild`: the index is a cache and is made again from the session files.",
  });
}

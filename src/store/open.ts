import { existsSync, statSync } from "node:fs";
import { SessionDbError } from "../errors.ts";
import { type OpenOptions, openConnection } from "./connection.ts";
import {
  assertCurrent,
  type DatabaseSpec,
  INDEX_DB,
  indexReplaced,
  isCurrent,
  SEARCH_DB,
} from "./databases.ts";
import { DATABASES, fileAt, type IndexFiles, type IndexLocation, isSameFile, sizeAt } from "./location.ts";
import { assertMigrated, migrate, notThere } from "./migrations.ts";
import type { Database } from "./native.ts";
import { createDatabase } from "./quarantine.ts";
import { ATTEMPTS, assertNotIterated, isGone, toStoreError } from "./sqlite-errors.ts";
import { indexIdOf } from "./statements.ts";

/**
 * The index: two databases derived from the session files. Whoever opens it closes it.
 */
export class Index {
  readonly location: IndexLocation;
  /** The rows: files, sessions, entries, usage and all the rest. */
  readonly database: Database;
  readonly #options: OpenOptions;
  /** Which files are open. */
  readonly #files: Partial<IndexFiles>;
  #wasEmptied = false;
  #search: Database | undefined;
  #reader: Database | undefined;

  /** Use `openIndex`. */
  constructor(location: IndexLocation, options: OpenOptions) {
    this.location = location;
    this.#options = options;
    this.database = this.#openDatabase(location.indexPath, INDEX_DB);
    this.#files = { indexPath: fileAt(location.indexPath) };
  }

  /**
   * Whether another file, or none, is where one of the open ones was: it was deleted, and may have been made anew. The full
   * text counts from when it is first used.
   */
  isReplaced(): boolean {
    return this.#lostPath() !== undefined;
  }

  /** The files that are open; null for one that is not. */
  get files(): IndexFiles {
    const { indexPath = null, searchPath = null } = this.#files;
    return { indexPath, searchPath };
  }

  #lostPath(): string | undefined {
    const open = DATABASES.filter((which) => this.#files[which] !== undefined);
    const lost = open.find((which) => !isSameFile(fileAt(this.location[which]), this.#files[which] ?? null));
    return lost && this.location[lost];
  }

  /**
   * Whether both databases, as far as they are open, are still of this program's version. Another program, of another
   * version, may have brought them to its own meanwhile; 10 us.
   *
   * @throws SessionDbError `usage` once it is closed
   */
  isCurrent(): boolean {
    return this.#open().every(([database, kind]) => isCurrent(database, kind));
  }

  /** @throws SessionDbError `index_newer`, `busy` where they are not; `usage` once it is closed */
  assertCurrent(): void {
    for (const [database, kind] of this.#open()) assertCurrent(database, kind);
  }

  /**
   * Whether opening it has emptied the rows, or the full text once that is open, because an earlier version had filled
   * them otherwise; `syncAll` and `feedSearch` fill them again.
   */
  get wasEmptied(): boolean {
    return this.#wasEmptied;
  }

  #openDatabase(path: string, kind: DatabaseSpec): Database {
    const { database, wasEmptied } = openDatabase(path, kind, this.#options);
    this.#wasEmptied ||= wasEmptied;
    return database;
  }

  /** Both databases, as far as they are open. @throws SessionDbError `usage` once it is closed */
  #open(): [Database, DatabaseSpec][] {
    this.assertOpen();
    return this.#search === undefined
      ? [[this.database, INDEX_DB]]
      : [
          [this.database, INDEX_DB],
          [this.#search, SEARCH_DB],
        ];
  }

  /** @throws SessionDbError `usage` once it is closed */
  assertOpen(): void {
    if (this.database.open) return;
    throw new SessionDbError("usage", `the index was closed: ${this.location.indexPath}`, {
      hint: "Open it again: openIndex(index.location).",
    });
  }

  /** Whether there is a full text, which is made when it is first opened. A file that is just being made holds nothing. */
  get hasFullText(): boolean {
    return this.#search !== undefined || (sizeAt(this.location.searchPath) ?? 0) > 0;
  }

  /** The full-text database, opened when first used. @throws SessionDbError like `openIndex`, `usage` once closed */
  get search(): Database {
    this.assertOpen();
    if (this.#search === undefined) {
      this.#search = this.#openDatabase(this.location.searchPath, SEARCH_DB);
      this.#files.searchPath = fileAt(this.location.searchPath);
    }
    return this.#search;
  }

  /** Opens the full text, which is otherwise opened when it is first used. @throws SessionDbError like `search` */
  openFullText(): void {
    this.search.prepare("SELECT 1").get();
  }

  /**
   * A read-only connection that sees both databases, the full text as `search.entry_text`. Separate from the
   * writing ones: a writing transaction would lock every attached database.
   *
   * @throws SessionDbError like `search`; `io` where a file of the index is not there any more
   */
  get reader(): Database {
    this.assertOpen();
    try {
      this.#reader ??= this.#openReader();
    } catch (error) {
      const lost = this.#lostPath();
      throw lost === undefined ? error : gone(lost, error);
    }
    return this.#reader;
  }

  #openReader(): Database {
    this.openFullText();
    const { database: reader } = openDatabase(this.location.indexPath, INDEX_DB, {
      ...this.#options,
      readonly: true,
    });
    try {
      if (indexIdOf(reader) !== indexIdOf(this.database)) throw indexReplaced(this.location.indexPath);
      this.#attachSearch(reader);
      return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  #attachSearch(reader: Database): void {
    const { searchPath } = this.location;
    try {
      reader.prepare("ATTACH DATABASE ? AS search").run(searchPath);
    } catch (error) {
      throw toStoreError(error, searchPath);
    }
    reader.pragma(`search.cache_size = ${reader.pragma("cache_size", { simple: true })}`);
  }

  /**
   * Closing it again does nothing.
   *
   * @throws SessionDbError `usage` while an iterator over its rows is open (`statement.iterate()`); nothing is closed then
   */
  close(): void {
    const known = [this.#reader, this.#search, this.database].filter((database) => database !== undefined);
    const open = known.filter((database) => database.open);
    for (const database of open) assertNotIterated(database, this.location.indexPath);
    for (const database of open) database.close();
  }
}

/**
 * Opens the index, creating or migrating it as needed.
 *
 * @throws SessionDbError `busy`, `index_newer`, `index_foreign`, `index_corrupt`, `native_missing`,
 *   `not_found` (read-only and not there), `io`, `usage` for a name that cannot be opened
 */
export function openIndex(location: IndexLocation, options: OpenOptions = {}): Index {
  return new Index(location, options);
}

interface Opened {
  database: Database;
  wasEmptied: boolean;
}

/** A database that is deleted while it is opened is made again, one that is replaced is opened again. */
function openDatabase(path: string, kind: DatabaseSpec, options: OpenOptions): Opened {
  for (let attempt = 1; ; attempt++) {
    try {
      return openOnce(path, kind, options);
    } catch (error) {
      const gone = isGone(error, path);
      if (gone && options.readonly && !existsSync(path)) throw notThere(path);
      if (!gone || attempt === ATTEMPTS) throw toStoreError(error, path);
    }
  }
}

function openOnce(path: string, kind: DatabaseSpec, options: OpenOptions): Opened {
  let database: Database | undefined;
  try {
    assertNameable(path);
    if (options.readonly) assertThere(path);
    else createDatabase(path);
    database = openConnection(path, options);
    if (!options.readonly) return { database, wasEmptied: migrate(database, kind) };
    assertMigrated(database, kind);
    return { database, wasEmptied: false };
  } catch (error) {
    database?.close();
    throw error;
  }
}

/** What was open is answered from; what was not cannot be opened any more. */
function gone(path: string, cause: unknown): SessionDbError {
  return new SessionDbError("io", `the index was deleted, or replaced, while it was open: ${path}`, {
    hint: "Try again; a program has to reopen the index first: openIndex(index.location).",
    cause,
  });
}

/** better-sqlite3 strips white space from both ends of a name: it would open another file. */
function assertNameable(path: string): void {
  if (path.trim() === path) return;
  throw new SessionDbError("usage", `the name of an index cannot begin or end with white space: "${path}"`, {
    hint: "Choose another name.",
  });
}

function assertThere(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })) throw notThere(path);
}

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isSqliteBusy, SessionDbError } from "../errors.ts";
import type { Database } from "./native.ts";
import { prepared } from "./statements.ts";

/** What a database of ours is made of. */
export interface DatabaseSpec {
  /** The folder below `migrations/`. */
  migrations: "index" | "search";
  /**
   * The version of what is put into the tables, kept in `user_version`. Raising it empties the database at
   * the next opening, to be filled again from the session files.
   */
  ingestVersion: number;
  /** Empties the database, inside the transaction that migrates it. */
  empty(database: Database): void;
}

/** Deletes all texts and all that was made of them, inside the caller's transaction. The watermark is left as it is. */
export function emptyFullText(search: Database): void {
  search.exec(`INSERT INTO entry_text (entry_text) VALUES ('delete-all');
    DELETE FROM missed_keys; DELETE FROM key_blocks`);
}

/** The rows: files, sessions, entries, usage and all the rest. */
export const INDEX_DB: DatabaseSpec = {
  migrations: "index",
  ingestVersion: 17,
  empty(database) {
    // Entry keys are never used twice: the full-text index may still know the old ones.
    database.exec(`
      INSERT INTO removed_keys (first_key, last_key) SELECT min(key), max(key) FROM entry_rows HAVING count(*) > 0;
      DELETE FROM files; DELETE FROM entry_kinds; DELETE FROM usage_kinds;
    `);
  },
};

/** The full text. */
export const SEARCH_DB: DatabaseSpec = {
  migrations: "search",
  ingestVersion: 18,
  empty(database) {
    emptyFullText(database);
    database.exec("DELETE FROM meta");
  },
};

/**
 * Runs `work` as one IMMEDIATE transaction, unless a program of another version has taken the database over since it was
 * opened: a daemon goes on running when the program is updated, and its rows would mean something else to the new one.
 *
 * @throws SessionDbError `index_newer`, `busy`; SQLite's errors
 */
export function transaction<T>(database: Database, spec: DatabaseSpec, work: () => T): T {
  return database
    .transaction(() => {
      assertCurrent(database, spec);
      return work();
    })
    .immediate();
}

const VERSION = `SELECT user_version AS ingest, (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'migrations') AS migrations
  FROM pragma_user_version`;

/**
 * Whether a database that was opened is still of this program's version: while it is open here, a program of another
 * version may bring it to its own. 4 us.
 */
export function isCurrent(database: Database, kind: DatabaseSpec): boolean {
  const { ingest, migrations } = versionOf(database);
  return ingest === kind.ingestVersion && migrations === shippedCount(kind);
}

/**
 * Refuses a database that has another version by now than when it was opened: its rows do not mean any more what this
 * program would read in them, or write into them.
 *
 * @throws SessionDbError `index_newer`; `busy` for an older one that was put in place, and is brought up to date when it
 *   is opened again
 */
export function assertCurrent(database: Database, kind: DatabaseSpec): void {
  if (isCurrent(database, kind)) return;
  const { ingest, migrations } = versionOf(database);
  throw ingest > kind.ingestVersion || migrations > shippedCount(kind)
    ? newer(database)
    : indexReplaced(database.name);
}

function versionOf(database: Database): { ingest: number; migrations: number } {
  return prepared(database, VERSION).get() as { ingest: number; migrations: number };
}

export function newer(database: Database): SessionDbError {
  return new SessionDbError("index_newer", `written by a newer version of pi-sessiondb: ${database.name}`, {
    hint: "Update pi-sessiondb, or choose another file with --db.",
  });
}

/** Another index is in the place of the one that is open: an answer must not mix what the two say. */
export function indexReplaced(path: string): SessionDbError {
  return new SessionDbError("busy", `another index has replaced the one that was open: ${path}`, {
    hint: "Try again; a program has to reopen the index first: openIndex(index.location).",
  });
}

const shipped = new Map<DatabaseSpec["migrations"], number>();

/** How many migrations this program ships, read once a process. */
export function shippedCount(kind: DatabaseSpec): number {
  const known = shipped.get(kind.migrations);
  if (known !== undefined) return known;
  const journal = join(migrationsFolder(), kind.migrations, "meta", "_journal.json");
  const count = (JSON.parse(readFileSync(journal, "utf8")) as { entries: unknown[] }).entries.length;
  shipped.set(kind.migrations, count);
  return count;
}

/** `migrations/` stands beside package.json, both above `src/store` and above `dist/src`. */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "migrations", "index"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package is incomplete: no migrations folder");
    folder = parent;
  }
  return join(folder, "migrations");
}

/** Changes nothing, but fails where the database cannot be written; BEGIN IMMEDIATE alone does not. */
const TRY_TO_WRITE = "DELETE FROM meta WHERE false";

/** Passes a database that can be written, also where another connection is writing now. @throws SQLite's error */
export function tryToWrite(database: Database): void {
  try {
    database.prepare(TRY_TO_WRITE).run();
  } catch (error) {
    if (!isSqliteBusy(error)) throw error;
  }
}

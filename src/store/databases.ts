import { isSqliteBusy } from "../errors.ts";
import { assertCurrent, type DatabaseSpec } from "./migrations.ts";
import type { Database } from "./native.ts";

/** Deletes all texts and all that was made of them, inside the caller's transaction. The watermark is left as it is. */
export function emptyFullText(search: Database): void {
  search.exec(`INSERT INTO entry_text (entry_text) VALUES ('delete-all');
    DELETE FROM missed_keys; DELETE FROM key_blocks`);
}

/** The rows: files, sessions, entries, usage and all the rest. */
export const INDEX_DB: DatabaseSpec = {
  migrations: "index",
  ingestVersion: 16,
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
  ingestVersion: 16,
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

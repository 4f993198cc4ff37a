import { isSqliteBusy } from "../errors.ts";
import { assertCurrent, type DatabaseSpec } from "./migrations.ts";
import type { Database } from "./native.ts";

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

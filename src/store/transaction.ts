import { assertCurrent, type DatabaseKind } from "./migrate.ts";
import type { Database } from "./native.ts";

/**
 * Runs `work` as one IMMEDIATE transaction, unless a program of another version has taken the database over since it was
 * opened: a daemon goes on running when the program is updated, and its rows would mean something else to the new one.
 *
 * @throws SessionDbError `index_newer`, `busy`; SQLite's errors
 */
export function writing<T>(database: Database, kind: DatabaseKind, work: () => T): T {
  return database
    .transaction(() => {
      assertCurrent(database, kind);
      return work();
    })
    .immediate();
}

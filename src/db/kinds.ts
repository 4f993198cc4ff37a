import { emptyFullText } from "./empty-full-text.ts";
import type { DatabaseKind } from "./migrate.ts";

/** The rows: files, sessions, entries, usage and all the rest. */
export const INDEX: DatabaseKind = {
  migrations: "index",
  ingestVersion: 12,
  empty(database) {
    // Entry keys are never used twice: the full-text index may still know the old ones.
    database.exec(`
      INSERT INTO removed_keys (first_key, last_key) SELECT min(key), max(key) FROM entry_rows HAVING count(*) > 0;
      DELETE FROM files; DELETE FROM entry_kinds; DELETE FROM usage_kinds;
    `);
  },
};

/** The full text. */
export const SEARCH: DatabaseKind = {
  migrations: "search",
  ingestVersion: 10,
  empty(database) {
    emptyFullText(database);
    database.exec("DELETE FROM meta");
  },
};

import { join } from "node:path";
import { expect, test } from "vitest";
import { INDEX_DB, SEARCH_DB } from "../../src/store/databases.ts";
import { damageIn, firstFault } from "../../src/store/diagnose.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("nothing is wrong with what was just made, nor with what another program has added", () => {
  withIndex(tempDir(), ({ database, search }) => {
    database.exec("CREATE TABLE notes (text TEXT); ALTER TABLE sessions ADD COLUMN mood TEXT; ANALYZE");
    expect([firstFault(database, INDEX_DB), firstFault(search, SEARCH_DB)]).toEqual([null, null]);
  });
});

test.each([
  ["table labels", "DROP TABLE labels"],
  ["view usage_daily", "DROP VIEW usage_daily"],
  ["column malformed_lines.length", "ALTER TABLE malformed_lines RENAME COLUMN length TO bytes"],
])("D9: a %s that is missing is a fault", (part, change) => {
  withIndex(tempDir(), ({ database }) => {
    database.exec(change);
    expect(firstFault(database, INDEX_DB)).toBe(`${part} is missing`);
  });
});

test.each([
  ["index", "index-v1.db"],
  ["fullText", "search-v1.db"],
] as const)(
  "D9: the %s is damaged where it bears our mark, and nothing says how far it was migrated",
  (part, name) => {
    const folder = tempDir();
    withIndex(folder, ({ database, search }) => {
      expect([database.name, search.name]).toContain(join(folder, name));
      (part === "index" ? database : search).exec("DELETE FROM meta");
    });
    expect(damageIn(indexIn(folder))).toBe(part);
  },
);

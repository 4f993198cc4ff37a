import { expect, test } from "vitest";
import { INDEX_DB, SEARCH_DB } from "../../src/store/databases.ts";
import { firstFault } from "../../src/store/diagnose.ts";
import { withIndex } from "../helpers/open-index.ts";
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

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COLUMNS } from "../../src/store/tables/columns.ts";
import { withIndex } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("the columns at run time are those that are declared", () => {
  const written = join(tempDir(), "columns.ts");
  execFileSync(process.execPath, ["src/store/schema/write-columns.mjs", written]);
  expect(readFileSync("src/store/tables/columns.ts", "utf8")).toBe(readFileSync(written, "utf8"));
});

test("the tables and views of a new index have the columns that are declared", () => {
  const declared = Object.entries(COLUMNS).map(([name, columns]) => [
    name,
    Object.values(columns).toSorted(),
  ]);
  withIndex(tempDir(), ({ database }) => {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?)").pluck();
    const found = Object.keys(COLUMNS).map((name) => [name, (columns.all(name) as string[]).toSorted()]);
    expect(found).toEqual(declared);
  });
});

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { expect, onTestFinished, test } from "vitest";
import { type Database, loadSqlite } from "../../src/store/native.ts";
import { COLUMNS } from "../../src/store/tables/columns.ts";
import { withIndex } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("the columns at run time are those that are declared", () => {
  const written = join(tempDir(), "columns.ts");
  execFileSync(process.execPath, ["src/store/schema/write-columns.mjs", written]);
  expect(readFileSync("src/store/tables/columns.ts", "utf8")).toBe(readFileSync(written, "utf8"));
});

test("a new index is what the migrations make of nothing, one after the other", () => {
  const folder = tempDir();
  const written = join(folder, "whole.sql");
  execFileSync(process.execPath, ["src/store/schema/write-whole.mjs", written]);
  const whole = readFileSync("migrations/index/whole.sql", "utf8");
  expect(whole, "node src/store/schema/write-whole.mjs writes it").toBe(readFileSync(written, "utf8"));

  const migrated = new (loadSqlite())(join(folder, "migrated.db"));
  onTestFinished(() => void migrated.close());
  for (const { sql } of readMigrationFiles({ migrationsFolder: "migrations/index" }))
    for (const part of sql) migrated.exec(part);
  withIndex(folder, ({ database }) => expect(contentOf(database)).toEqual(contentOf(migrated)));
});

/** What is declared, and how many rows each table has but for the number of migrations. */
function contentOf(database: Database) {
  const objects = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all();
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck();
  const rows = (tables.all() as string[]).map((name) => {
    const but = name === "meta" ? "WHERE name <> 'migrations'" : "";
    return [name, database.prepare(`SELECT count(*) FROM "${name}" ${but}`).pluck().get()];
  });
  return { objects, rows };
}

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

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/**
 * The last part of `npm run db:generate`, to be run again when a migration was edited by hand: writes `whole.sql`, which makes
 * at once what all migrations of the index come to. Another file can be named instead, to be compared.
 */

// As `native.ts`: no one major of the driver serves every Node.
const { default: Database } = await import("better-sqlite3-napi").catch(() => import("better-sqlite3"));

const folder = resolve(import.meta.dirname, "../../../migrations/index");
const [target = resolve(folder, "whole.sql")] = process.argv.slice(2);

const { entries } = JSON.parse(readFileSync(resolve(folder, "meta/_journal.json"), "utf8"));
const database = new Database(":memory:");
for (const { tag } of entries) database.exec(readFileSync(resolve(folder, `${tag}.sql`), "utf8"));

/** Those of SQLite itself come with their tables. In the order in which they were made, which is one that works. */
const OBJECTS =
  "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY rowid";
const objects = database.prepare(OBJECTS).pluck().all();

/** Drawn anew for each index, as the migrations say. */
const ROWS = {
  meta: "INSERT INTO meta (name, value) VALUES ('index_id', lower(hex(randomblob(16))))",
  key_lots: "INSERT INTO key_lots VALUES (0, random())",
};
const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
const filled = tables.filter((name) => database.prepare(`SELECT 1 FROM "${name}"`).get() !== undefined);
const strange = filled.filter((name) => !(name in ROWS));
if (strange.length > 0) throw new Error(`say in ROWS what is in a new index in ${strange}`);

const text = [...objects, ...Object.values(ROWS)].map((sql) => `${sql};\n`).join("");
writeFileSync(
  target,
  `-- Written by src/store/schema/write-whole.mjs: a new index, as all migrations make it.\n${text}`,
);

import { describeSchema as describe, type SchemaTable } from "../query/sql/schema.ts";
import { runSql as run, type SqlResult } from "../query/sql/sql.ts";
import type { SqlLimits, SqlParameters } from "../query/sql/sql-rows.ts";
import type { IndexLocation } from "../store/location.ts";
import type { Index } from "../store/open.ts";
import { arrayOf, count, dictionaryOf, kind, options as optionsOf, text } from "./asked.ts";
import { checkLocation } from "./open-index.ts";
import { inIndex } from "./opened.ts";

const value = kind("null, a number, a bigint, a string or a Uint8Array", isSqlValue);
const checkOptions = optionsOf({
  limit: count,
  cellLimit: count,
  parameters: optionsOf({ positional: arrayOf(value), named: dictionaryOf(value) }),
});

/**
 * Runs one read-only statement over the index, in this process and however long it takes. Columns with the same name
 * are told apart: `id`, `id_2`; integers beyond 2^53 are bigints. Parameters that are whole numbers are bound as
 * integers (`7 / ?` with 2 is 3), other numbers as REAL.
 *
 * @throws SessionDbError `refused` for anything that could do more than read, `sql` for what SQLite rejects,
 *   `usage` for options that make no sense, and as `openIndex`
 */
export function runSql(
  location: IndexLocation,
  sql: string,
  options: SqlLimits & { parameters?: SqlParameters } = {},
): SqlResult {
  checkLocation(location);
  text("sql", sql);
  checkOptions("options", options);
  return run(location, sql, options);
}

/**
 * Every table and view of the index with its columns, each with a sentence.
 *
 * @throws SessionDbError `busy`, `index_corrupt`, `io`
 */
export function describeSchema(index: Index): { tables: SchemaTable[]; views: SchemaTable[] } {
  return inIndex(index, () => describe(index));
}

function isSqlValue(value: unknown): boolean {
  if (value === null || value instanceof Uint8Array) return true;
  return ["number", "bigint", "string"].includes(typeof value);
}

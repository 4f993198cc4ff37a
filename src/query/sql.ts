import type { IndexLocation } from "../db/open.ts";
import { openIndex } from "../db/open.ts";
import { codeOf, SessionDbError } from "../errors.ts";

export interface SqlRow {
  [column: string]: unknown;
}

export interface SqlResult {
  columns: string[];
  rows: SqlRow[];
  /** There were more rows than `limit`. */
  truncated: boolean;
}

/**
 * Runs one read-only statement over the index.
 *
 * @throws SessionDbError `refused` for anything that could do more than read, `sql` for what SQLite rejects
 */
export function runSql(location: IndexLocation, sql: string, options: { limit?: number } = {}): SqlResult {
  assertReads(sql);
  const index = openIndex(location, { readonly: true });
  try {
    const statement = index.database.prepare(sql);
    if (!statement.reader || !statement.readonly) throw refused();
    const columns = statement.columns().map((column) => column.name);
    const rows: SqlRow[] = [];
    for (const row of statement.iterate() as Iterable<SqlRow>) {
      if (options.limit && rows.length === options.limit) return { columns, rows, truncated: true };
      rows.push(row);
    }
    return { columns, rows, truncated: false };
  } catch (error) {
    throw explainSql(error);
  } finally {
    index.close();
  }
}

/** Preparing a PRAGMA can already change something: what is not a query is refused before SQLite sees it. */
function assertReads(sql: string): void {
  const words = withoutComments(sql).trim().toUpperCase();
  if (!/^(EXPLAIN(\s+QUERY\s+PLAN)?\s+)?(SELECT|WITH|VALUES)\b/.test(words)) throw refused();
}

/** Comments at the beginning only: that is where the first word could hide behind them. */
function withoutComments(sql: string): string {
  return sql.replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, "");
}

function refused(): SessionDbError {
  return new SessionDbError(
    "refused",
    "only one statement that reads (SELECT, WITH, VALUES, EXPLAIN) is run",
  );
}

function explainSql(error: unknown): unknown {
  if (error instanceof SessionDbError) return error;
  if (codeOf(error).startsWith("SQLITE_")) {
    const message = error instanceof Error ? error.message : String(error);
    return new SessionDbError("sql", message, {
      cause: error,
      hint: "`sessiondb schema` lists the tables, views and columns.",
    });
  }
  // What better-sqlite3 objects to itself comes without a code.
  if (!(error instanceof RangeError || error instanceof TypeError)) return error;
  if (/more than one statement/.test(error.message)) return refused();
  if (!/parameter/.test(error.message)) return error;
  return new SessionDbError("sql", "the statement has parameters (? or :name), and no values for them", {
    cause: error,
    hint: "Write the values into the statement.",
  });
}

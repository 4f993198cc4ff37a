import { openConnection } from "./connection.ts";
import { type DatabaseKind, migrate } from "./migrate.ts";
import type { Database } from "./native.ts";

/**
 * Looks at all pages of a database, those of SQL indexes included, and for all tables and columns. Null when they hold
 * what they should. It takes a fraction of the time of reading every session again.
 */
export function firstFault(database: Database, kind: DatabaseKind): string | null {
  const said = String(database.pragma("integrity_check(1)", { simple: true }));
  if (said !== "ok") return said;
  const [missing] = missingParts(database, kind);
  return missing === undefined ? null : `${missing} is missing`;
}

/** What another program has dropped: SQLite finds nothing wrong with a database that lacks a table. */
function missingParts(database: Database, kind: DatabaseKind): string[] {
  const there = new Set(partsOf(database));
  return expectedParts(kind).filter((part) => !there.has(part));
}

const PARTS = `SELECT type || ' ' || name FROM sqlite_schema UNION ALL
  SELECT 'column ' || s.name || '.' || c.name FROM sqlite_schema s, pragma_table_xinfo(s.name) c
  WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%'`;

/** Tables, SQL indexes, views and columns, each as it can be shown. */
function partsOf(database: Database): string[] {
  return database.prepare<[], string>(PARTS).pluck().all();
}

function expectedParts(kind: DatabaseKind): string[] {
  const made = openConnection(":memory:", {});
  try {
    migrate(made, kind);
    return partsOf(made);
  } finally {
    made.close();
  }
}

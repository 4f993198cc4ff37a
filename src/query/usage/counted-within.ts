import type { Database } from "../../db/native.ts";
import { SAME_BILL } from "../../db/same-bill.ts";
import { type Condition, whereClause } from "../conditions.ts";

/** An expression that is 1 where a usage `u` counts, else 0. */
export interface CountedColumn extends Condition {
  /** Whether it needs the single rows: the roll-up cannot tell. */
  needsRows: boolean;
}

const EVERYWHERE: CountedColumn = { sql: "u.counted", values: [], needsRows: false };

const LAST = Number.MAX_SAFE_INTEGER;

/**
 * What counts in a report about some of the files an index holds: `bounds` are conditions for `files f`, none for all.
 *
 * In the whole index each bill counts in one row. Where that row lies out of bounds, its first copy within them counts
 * instead: otherwise the report would lose money because a backup, or another name of the same folder, was indexed once.
 */
export function countedWithin(database: Database, bounds: Condition[]): CountedColumn {
  if (bounds.length === 0) return EVERYWHERE;
  const within = whereClause(bounds);
  if (!holdsCopies(database, within)) return EVERYWHERE;
  const copy = `SELECT 1 FROM usage t JOIN files f ON f.id = t.file_id LEFT JOIN sessions ts ON ts.file_id = t.file_id
    ${within.sql} AND ${SAME_BILL}`;
  return {
    // First the row that counts: it is found at once, and mostly lies within the bounds.
    sql: `u.counted = 1 OR NOT EXISTS (${copy} AND t.counted = 1) AND NOT EXISTS (${copy} AND
      (coalesce(ts.created_at, ${LAST}), f.path, t.entry_key) <
      (coalesce(s.created_at, ${LAST}), (SELECT path FROM files WHERE id = u.file_id), u.entry_key))`,
    values: [...within.values, ...within.values],
    needsRows: true,
  };
}

function holdsCopies(database: Database, within: Condition): boolean {
  const copies = `SELECT 1 FROM usage_quarters q JOIN files f ON f.id = q.file_id ${within.sql} AND q.counted = 0 LIMIT 1`;
  return database.prepare(copies).get(...within.values) !== undefined;
}

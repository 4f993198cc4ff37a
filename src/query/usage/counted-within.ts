import type { Database } from "../../store/native.ts";
import { BILL, rankIn, SAME_BILL } from "../../store/tables/usage-rows.ts";
import { type Condition, whereClause } from "../conditions.ts";

/** An expression that is 1 where a usage `u` counts, else 0. */
export interface CountedColumn extends Condition {
  /** Whether it needs the single rows: the roll-up cannot tell. */
  needsRows: boolean;
}

/**
 * What counts in a report about some of the files an index holds: `bounds` are conditions for `files f`, none for all.
 * `asked` are conditions for `usage u`: of which bills it has to be known.
 *
 * In the whole index each bill counts in one row. Where that row lies out of bounds, its first copy within them counts
 * instead: otherwise the report would lose money because a backup, or another name of the same folder, was indexed once.
 */
export function countedWithin(database: Database, bounds: Condition[], asked: Condition[]): CountedColumn {
  const keys = [...substitutesWithin(database, bounds, asked).values()].flat();
  return { ...countedWith(keys), needsRows: keys.length > 0 };
}

/** The same where it is known which copies count instead. */
export function countedWith(substitutes: readonly number[]): Condition {
  if (substitutes.length === 0) return { sql: "u.counted", values: [] };
  return {
    sql: "u.counted = 1 OR u.entry_key IN (SELECT value FROM json_each(?))",
    values: [JSON.stringify(substitutes)],
  };
}

const RANK = rankIn("s", "f", "t.entry_key");

/**
 * The copies that count within `bounds` although they do not in the whole index: their entries' keys, by file.
 *
 * Looked for once for each bill: where every copy asks for itself, N forks of a session that lies elsewhere look at N
 * copies each (for 20 requests in 200 forks that took 6 s).
 */
export function substitutesWithin(
  database: Database,
  bounds: Condition[],
  asked: Condition[],
): Map<number, number[]> {
  const substitutes = new Map<number, number[]>();
  if (bounds.length === 0) return substitutes;
  const within = whereClause(bounds);
  if (!holdsCopies(database, within)) return substitutes;
  const copied = whereClause([...bounds, { sql: "u.counted = 0", values: [] }, ...asked]);
  const copies = whereClause([...bounds, { sql: SAME_BILL, values: [] }]);
  const found = database.prepare(
    `WITH bills AS (SELECT DISTINCT ${BILL} FROM usage u JOIN files f ON f.id = u.file_id ${copied.sql}),
      firsts(key) AS (SELECT (SELECT t.entry_key FROM usage t JOIN files f ON f.id = t.file_id
          LEFT JOIN sessions s ON s.file_id = t.file_id ${copies.sql}
          ORDER BY t.counted DESC, ${RANK} LIMIT 1)
        FROM bills u)
     SELECT u.file_id, u.entry_key FROM firsts CROSS JOIN usage u ON u.entry_key = firsts.key WHERE u.counted = 0`,
  );
  const rows = found.raw().iterate(...copied.values, ...copies.values) as Iterable<[number, number]>;
  for (const [fileId, key] of rows) {
    const ofFile = substitutes.get(fileId);
    if (ofFile === undefined) substitutes.set(fileId, [key]);
    else ofFile.push(key);
  }
  return substitutes;
}

function holdsCopies(database: Database, within: Condition): boolean {
  const copies = `SELECT 1 FROM usage_quarters q JOIN files f ON f.id = q.file_id ${within.sql} AND q.counted = 0 LIMIT 1`;
  return database.prepare(copies).get(...within.values) !== undefined;
}

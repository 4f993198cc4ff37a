import { type Condition, whereClause } from "../../filters/where.ts";
import type { Sums } from "../../format/usage.ts";
import type { Database } from "../../store/native.ts";
import { BILL, rankIn, SAME_BILL } from "../../store/tables/usage-rows.ts";

/** An expression that is 1 where a usage `u` counts, else 0. */
interface CountedColumn extends Condition {
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

/** The expression where it is known which copies count instead. */
function countedWith(substitutes: readonly number[]): Condition {
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
function substitutesWithin(
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

const SUMS = `SELECT coalesce(sum(u.input), 0) AS input, coalesce(sum(u.output), 0) AS output,
  coalesce(sum(u.cache_read), 0) AS cacheRead, coalesce(sum(u.cache_write), 0) AS cacheWrite,
  coalesce(sum(u.total_tokens), 0) AS totalTokens, coalesce(sum(u.cost), 0) AS cost, count(*) AS requests
  FROM entries e CROSS JOIN usage u ON u.entry_key = e.key`;

/**
 * The part of a session's usage that is counted in another of the files within `bounds` (conditions for `files f`): so a
 * backup that was indexed once takes nothing away from its original. Null where the index's own numbers say the same.
 * `asked` are conditions for `usage u`, as `substitutesWithin` wants them.
 */
export function inheritedWithin(
  database: Database,
  bounds: Condition[],
  asked: Condition[],
): (fileId: number) => Sums | null {
  const substitutes = substitutesWithin(database, bounds, asked);
  return (fileId) => {
    const ofFile = substitutes.get(fileId);
    if (ofFile === undefined) return null;
    const { sql, values } = countedWith(ofFile);
    return database.prepare(`${SUMS} WHERE e.file_id = ? AND NOT (${sql})`).get(fileId, ...values) as Sums;
  };
}

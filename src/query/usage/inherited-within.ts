import type { Sums } from "../../format/usage.ts";
import type { Database } from "../../store/native.ts";
import type { Condition } from "../conditions.ts";
import { countedWith, substitutesWithin } from "./counted-within.ts";

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

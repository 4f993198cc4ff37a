import { SAME_BILL } from "../../db/same-bill.ts";
import { type Condition, whereClause } from "../conditions.ts";

/** Whether a session may have several branches. Where ids repeat, or parents stand below, one leaf does not rule it out. */
const MAY_BRANCH = "(s.branch_count > 1 OR s.walk_by_text = 1)";

/** Usage that is not on its session's current branch, copies included; the view `usage_abandoned` asks the same. */
const LEFT_BEHIND = `WITH RECURSIVE kept(key) AS (
    SELECT leaf_key FROM sessions s WHERE ${MAY_BRANCH} AND leaf_key IS NOT NULL
    UNION
    SELECT CASE s.walk_by_text WHEN 0 THEN e.parent_key ELSE
      (SELECT max(p.key) FROM entries p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id) END
    FROM kept k JOIN entries e ON e.key = k.key JOIN sessions s ON s.file_id = e.file_id
    WHERE e.parent_id IS NOT NULL)
  SELECT b.entry_key FROM sessions s JOIN usage b ON b.file_id = s.file_id
  WHERE ${MAY_BRANCH} AND s.leaf_key IS NOT NULL
    AND b.entry_key NOT IN (SELECT key FROM kept WHERE key IS NOT NULL)`;

/**
 * Whether a usage `u` and all its copies within `bounds` (conditions for `files f`) are on abandoned branches. Copies out
 * of bounds, as in a backup that was indexed once, say nothing about the sessions of the report.
 */
export function isAbandoned(bounds: Condition[]): Condition {
  const copies = whereClause([
    ...bounds,
    { sql: SAME_BILL, values: [] },
    { sql: `t.entry_key NOT IN (${LEFT_BEHIND})`, values: [] },
  ]);
  return {
    sql: `u.entry_key IN (${LEFT_BEHIND})
      AND NOT EXISTS (SELECT 1 FROM usage t JOIN files f ON f.id = t.file_id ${copies.sql})`,
    values: copies.values,
  };
}

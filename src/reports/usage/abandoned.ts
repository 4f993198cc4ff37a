import { type Condition, whereClause } from "../../filters/where.ts";
import { PERSONAL_ROLES } from "../../format/entry.ts";
import { BILL, SAME_BILL } from "../../store/tables/usage-rows.ts";

/** Whether a session may have several branches. Where ids repeat, or parents stand below, one leaf does not rule it out. */
const MAY_BRANCH = "(s.branch_count > 1 OR s.walk_by_text = 1)";

/** As `isByPerson`, for the kind of an entry. */
const BY_PERSON = `IN (SELECT id FROM entry_kinds
  WHERE type = 'branch_summary' OR role IN (${PERSONAL_ROLES.map((role) => `'${role}'`).join(", ")}))`;

/** The key of the parent of `entries e` of a session `s`; in a damaged tree by its id, as pi does. */
const PARENT = `CASE s.walk_by_text WHEN 0 THEN e.parent_key ELSE
  (SELECT max(p.key) FROM entries p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id) END`;

/** Whether somebody has said something between the parent of an entry and the entry, in file order: on another branch. */
const AFTER_OTHER_WORDS = `EXISTS (SELECT 1 FROM entry_rows o WHERE o.file_id = e.file_id
  AND o.key > coalesce(${PARENT}, 0) AND o.key < e.key AND o.kind ${BY_PERSON})`;

/** Whether the parent that an entry of `entries e` names stands nowhere in its file. */
const AFTER_GAP = `e.parent_id IS NOT NULL AND e.parent_key IS NULL
  AND NOT EXISTS (SELECT 1 FROM entry_rows p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id)`;

/**
 * Usage that somebody has left behind, copies included. Kept is what lies on the way from the leaf to the root, and what
 * nobody has left on purpose: where the way ends at a gap it goes on with what stands before it in the file; and a branch on
 * which nobody has said anything has not ended another one on which somebody had.
 */
const LEFT_BEHIND = `WITH RECURSIVE kept(key, said) AS (
    SELECT leaf_key, 0 FROM sessions s WHERE ${MAY_BRANCH} AND leaf_key IS NOT NULL
    UNION
    SELECT ${PARENT}, k.said OR e.kind ${BY_PERSON}
    FROM kept k JOIN entries e ON e.key = k.key JOIN sessions s ON s.file_id = e.file_id
    WHERE e.parent_id IS NOT NULL
    UNION
    SELECT (SELECT max(p.key) FROM entry_rows p WHERE p.file_id = e.file_id AND p.key < e.key), k.said OR e.kind ${BY_PERSON}
    FROM kept k JOIN entries e ON e.key = k.key JOIN sessions s ON s.file_id = e.file_id
    WHERE e.parent_key IS NOT e.key - 1
      AND (NOT (k.said OR e.kind ${BY_PERSON}) AND ${AFTER_OTHER_WORDS} OR (${AFTER_GAP}))),
  left_behind(entry_key) AS (
    SELECT b.entry_key FROM sessions s JOIN usage b ON b.file_id = s.file_id
    WHERE ${MAY_BRANCH} AND s.leaf_key IS NOT NULL
      AND b.entry_key NOT IN (SELECT key FROM kept WHERE key IS NOT NULL))`;

/** Their bills, each once however many forks share it. */
const BILLS = `SELECT DISTINCT ${BILL} FROM left_behind l JOIN usage u ON u.entry_key = l.entry_key`;

/**
 * Whether a usage `u` within `bounds` (conditions for `files f`) and all its copies there are on abandoned branches.
 * Copies out of bounds, as in a backup that was indexed once, say nothing about the sessions of the report.
 *
 * Decided once for each bill: where every copy asks for itself, N forks that share an abandoned branch look at N copies
 * each (for 100 requests in 200 forks that took 17 s instead of 0.4 s).
 */
export function isAbandoned(bounds: Condition[]): Condition {
  const kept = whereClause([
    ...bounds,
    { sql: SAME_BILL, values: [] },
    { sql: "t.entry_key NOT IN (SELECT entry_key FROM left_behind)", values: [] },
  ]);
  return {
    // The join is crossed, so that a bill is looked at before its copies.
    sql: `u.entry_key IN (${LEFT_BEHIND}, bills AS (${BILLS})
      SELECT t.entry_key FROM bills u CROSS JOIN usage t ON ${SAME_BILL}
      WHERE NOT EXISTS (SELECT 1 FROM usage t JOIN files f ON f.id = t.file_id ${kept.sql}))`,
    values: kept.values,
  };
}

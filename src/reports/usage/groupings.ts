import { type Condition, currentProviderOf, PROJECT, whereClause } from "../../filters/where.ts";
import { PERSONAL_ROLES } from "../../format/entry.ts";
import { QUARTER_MS } from "../../store/tables/usage-buckets.ts";
import { BILL, SAME_BILL } from "../../store/tables/usage-rows.ts";
import { dateOf, hourOf, type Weekday, weekOf } from "../../time/calendar.ts";
import type { OffsetChange } from "../../time/zone.ts";
import type { UsageGrouping } from "./usage-shapes.ts";

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
function isAbandoned(bounds: Condition[]): Condition {
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

/** What the days and weeks of a report are. */
export interface ReportCalendar {
  /** IANA name. */
  timezone: string;
  weekStart: Weekday;
}

/** How the rows of a report are made. */
export interface Grouping {
  /** The expression that is grouped by. If copies of a bill matter to it, it is made for bounds (conditions for `files f`). */
  key: string | ((bounds: Condition[]) => Condition);
  /** What is shown instead of it, the same for all of a group. */
  shown?: { key: string; label: string; path: string };
  /** Groups are periods: what a quarter of an hour, or a day, is called. */
  period?: { of: "quarter" | "day"; name: (number: number, calendar: ReportCalendar) => string };
  /** The roll-up by quarters does not have the key: the single rows have to be asked. */
  needsRows?: true;
  /** Where the single rows are read from, for a key they do not have themselves. */
  rows?: string;
  /** What a row without a key is called; `unknown` unless told. */
  empty?: string;
}

/** What is to be shown of the session that a whole family stands under. */
function ofRoot(column: string): string {
  return `(SELECT ${column} FROM sessions r JOIN files g ON g.id = r.file_id WHERE r.file_id = s.root_file_id)`;
}

/** Each session for itself, also those of sub-agents. */
export const OWN_SESSIONS: Grouping = {
  key: "u.file_id",
  shown: { key: "s.session_id", label: "s.title", path: "f.path" },
};

export const GROUPINGS: Record<UsageGrouping, Grouping> = {
  hourly: {
    key: "u.quarter",
    period: { of: "quarter", name: (quarter, { timezone }) => hourOf(quarter * QUARTER_MS, timezone) },
  },
  daily: { key: "u.day", period: { of: "day", name: dateOf } },
  weekly: {
    key: "u.day",
    period: { of: "day", name: (day, { weekStart }) => dateOf(weekOf(day, weekStart)) },
  },
  monthly: { key: "u.day", period: { of: "day", name: (day) => dateOf(day).slice(0, -3) } },
  session: {
    key: "s.root_file_id",
    shown: { key: ofRoot("r.session_id"), label: ofRoot("r.title"), path: ofRoot("g.path") },
  },
  project: { key: PROJECT },
  model: { key: "coalesce(u.model, '')" },
  provider: { key: currentProviderOf("coalesce(u.provider, '')") },
  source: { key: "u.source" },
  tool: { key: "iif(u.source = 'tool', e.tool_name, NULL)", needsRows: true, empty: "none" },
  agent: {
    key: `iif(s.origin = 'subagent', s.agent,
      (SELECT a.agent FROM subagents a WHERE a.entry_key = u.entry_key ORDER BY a.run LIMIT 1))`,
    needsRows: true,
    empty: "none",
  },
  thinking: { key: "u.thinking_level", needsRows: true },
  label: {
    key: "u.label",
    // Two halves, because the labels are few: SQLite would look through all of them for every row.
    rows: `(SELECT l.label, u.* FROM entries_under_label l CROSS JOIN usage u ON u.entry_key = l.entry_key
      UNION ALL
      SELECT NULL, u.* FROM usage u WHERE u.entry_key NOT IN (SELECT entry_key FROM entries_under_label))`,
    needsRows: true,
    empty: "none",
  },
  branch: {
    key: (bounds) => {
      const { sql, values } = isAbandoned(bounds);
      return { sql: `iif(${sql}, 'abandoned', 'current')`, values };
    },
    needsRows: true,
  },
};

/**
 * More days than there are before 1970: added, so that nothing is negative, because SQLite divides whole numbers
 * towards zero.
 */
const LONG_BEFORE = 1e8;

/** The day of a zone's calendar a quarter of an hour lies in, counted from 1970-01-01. */
export function dayExpression(quarter: string, offsets: readonly OffsetChange[]): string {
  const minutes = offsets
    .slice(1)
    .map(({ from, minutes }) => `WHEN ${quarter} >= ${Math.ceil(from / QUARTER_MS)} THEN ${minutes}`)
    .reverse();
  const first = offsets[0]?.minutes ?? 0;
  const offset = minutes.length === 0 ? String(first) : `CASE ${minutes.join(" ")} ELSE ${first} END`;
  return `(${quarter} * 15 + ${offset} + ${LONG_BEFORE * 1440}) / 1440 - ${LONG_BEFORE}`;
}

import { currentProviderOf } from "../../filters/providers.ts";
import { type Condition, PROJECT } from "../../filters/where.ts";
import { QUARTER_MS } from "../../store/tables/usage-buckets.ts";
import { dateOf, hourOf, WEEKDAYS, type Weekday, weekOf } from "../../time/calendar.ts";
import type { OffsetChange } from "../../time/zone.ts";
import { isAbandoned } from "./abandoned.ts";
import type { UsageGrouping } from "./usage-shapes.ts";

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
  period?: {
    of: "quarter" | "day" | "hour of week";
    name: (number: number, calendar: ReportCalendar) => string;
    /** Its place, where that does not follow from its number. */
    place?: (number: number, calendar: ReportCalendar) => number;
  };
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
  "hour-of-week": {
    key: "u.hour_of_week",
    period: {
      of: "hour of week",
      name: (hour) => `${DAYS[Math.floor(hour / 24)]} ${String(hour % 24).padStart(2, "0")}:00`,
      place: (hour, { weekStart }) => (hour + 168 - 24 * WEEKDAYS.indexOf(weekStart)) % 168,
    },
  },
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
  return `${minutesExpression(quarter, offsets)} / 1440 - ${LONG_BEFORE}`;
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** From the Monday before the day long ago to that day. 1970-01-01 was a Thursday. */
const DAYS_SINCE_MONDAY = (3 + 7 - (LONG_BEFORE % 7)) % 7;

/** The hour of a zone's week in which a quarter of an hour lies: 0 is the one after midnight on Monday. */
export function hourOfWeekExpression(quarter: string, offsets: readonly OffsetChange[]): string {
  return `(${minutesExpression(quarter, offsets)} / 60 + ${DAYS_SINCE_MONDAY * 24}) % 168`;
}

/** How many minutes after midnight a zone's clock shows as a quarter of an hour begins. */
export function clockExpression(quarter: string, offsets: readonly OffsetChange[]): string {
  return `${minutesExpression(quarter, offsets)} % 1440`;
}

/** Minutes of a zone's clock since a midnight long ago. */
function minutesExpression(quarter: string, offsets: readonly OffsetChange[]): string {
  const minutes = offsets
    .slice(1)
    .map(({ from, minutes }) => `WHEN ${quarter} >= ${Math.ceil(from / QUARTER_MS)} THEN ${minutes}`)
    .reverse();
  const first = offsets[0]?.minutes ?? 0;
  const offset = minutes.length === 0 ? String(first) : `CASE ${minutes.join(" ")} ELSE ${first} END`;
  return `(${quarter} * 15 + ${offset} + ${LONG_BEFORE * 1440})`;
}

import { Temporal } from "temporal-polyfill";
import type { Index } from "../db/open.ts";
import { type Condition, contains, inRoots, inTime, ofEntry, ofSession, whereClause } from "./conditions.ts";
import type { Filter } from "./filter.ts";
import type { Sums, UsageGrouping, UsageReport, UsageRow } from "./results.ts";

export interface UsageOptions {
  by: UsageGrouping;
  /** IANA name; days begin at its midnights. */
  timezone: string;
  filter?: Filter;
  roots?: string[];
  /** 0 or nothing: all. Totals are over all rows whatever the limit. */
  limit?: number;
  sort?: { key: string; descending: boolean };
}

const QUARTER_MS = 15 * 60 * 1000;

const SUMS = `sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cacheRead,
  sum(u.cache_write) AS cacheWrite, sum(u.total_tokens) AS totalTokens, sum(u.cost) AS cost,
  sum(u.requests) AS requests`;

/** The roll-up answers what whole quarters of an hour can answer; the rest comes from the single rows. */
const FROM_QUARTERS = `FROM usage_quarters u JOIN sessions s ON s.file_id = u.file_id JOIN files f ON f.id = u.file_id`;
const FROM_ROWS = `FROM (SELECT r.*, 1 AS requests,
    CAST(floor(coalesce(r.timestamp, s.created_at, 0) / ${QUARTER_MS}.0) AS INTEGER) AS quarter
    FROM usage r JOIN sessions s ON s.file_id = r.file_id) u
  JOIN entries e ON e.key = u.entry_key
  JOIN sessions s ON s.file_id = u.file_id JOIN files f ON f.id = u.file_id`;

/** What a row is about, by grouping: the expression that is grouped by, and what else is shown. */
const GROUPS: Record<UsageGrouping, { by: string; columns: string }> = {
  daily: { by: "u.quarter", columns: "u.quarter AS quarter" },
  session: { by: "u.file_id", columns: "s.session_id AS key, s.title AS label, f.path AS path" },
  project: { by: "s.cwd", columns: "s.cwd AS key" },
  model: { by: "coalesce(u.model, '')", columns: "coalesce(u.model, '') AS key" },
};

/**
 * Tokens and cost, each place that holds usage counted once: copies in forks are left out of rows and totals
 * and told apart in `copies`.
 */
export function sumUsage(index: Index, options: UsageOptions): UsageReport {
  const filter = options.filter ?? {};
  const source = needsRows(filter) ? FROM_ROWS : FROM_QUARTERS;
  const where = whereClause([...inRoots(options.roots), ...usageConditions(filter)]);
  const group = GROUPS[options.by];
  const found = index.database
    .prepare(
      `SELECT u.counted AS counted, ${group.columns}, ${SUMS} ${source} ${where.sql} GROUP BY ${group.by}, u.counted`,
    )
    .all(...where.values) as FoundRow[];
  const rows = toRows(
    found.filter((row) => row.counted === 1),
    options,
  );
  return {
    by: options.by,
    timezone: options.timezone,
    since: filter.since === undefined ? null : dayOf(filter.since, options.timezone),
    until: filter.until === undefined ? null : dayOf(filter.until - 1, options.timezone),
    rows: limited(sorted(rows, options), options.limit),
    totals: addUp(rows),
    copies: addUp(found.filter((row) => row.counted === 0)),
  };
}

interface FoundRow extends Sums {
  counted: number;
  key?: string;
  quarter?: number;
  label?: string;
  path?: string;
}

/** Times within a quarter of an hour, and anything about single entries, the roll-up cannot tell. */
function needsRows(filter: Filter): boolean {
  const splitsQuarter = [filter.since, filter.until].some(
    (time) => time !== undefined && time % QUARTER_MS !== 0,
  );
  const { model: _model, provider: _provider, ...rest } = filter;
  return splitsQuarter || ofEntry(rest).length > 0;
}

function usageConditions(filter: Filter): Condition[] {
  const { model, provider, ...rest } = filter;
  const conditions = [...ofSession(filter), ...ofEntry(rest)];
  if (model !== undefined) conditions.push(contains("u.model", model));
  if (provider !== undefined) conditions.push({ sql: "u.provider = ?", values: [provider] });
  const time = needsRows(filter) ? "coalesce(u.timestamp, s.created_at, 0)" : `u.quarter * ${QUARTER_MS}`;
  return [...conditions, ...inTime(time, filter)];
}

function toRows(found: FoundRow[], options: UsageOptions): UsageRow[] {
  if (options.by === "daily") return byDay(found, options.timezone);
  return found.map(({ counted: _counted, key, quarter: _quarter, ...row }) => ({
    ...row,
    key: key || "unknown",
  }));
}

function byDay(found: FoundRow[], timezone: string): UsageRow[] {
  const days = new Map<string, FoundRow[]>();
  for (const row of found) {
    const day = dayOf((row.quarter ?? 0) * QUARTER_MS, timezone);
    const rows = days.get(day);
    if (rows) rows.push(row);
    else days.set(day, [row]);
  }
  return [...days].map(([key, rows]) => ({ key, ...addUp(rows) }));
}

function dayOf(ms: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString();
}

export function addUp(rows: Sums[]): Sums {
  const sums: Sums = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: 0,
    requests: 0,
  };
  for (const row of rows) {
    sums.input += row.input;
    sums.output += row.output;
    sums.cacheRead += row.cacheRead;
    sums.cacheWrite += row.cacheWrite;
    sums.totalTokens += row.totalTokens;
    sums.cost += row.cost;
    sums.requests += row.requests;
  }
  return sums;
}

const SORT_KEYS = ["input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost", "requests"] as const;

/** Days in order, everything else by cost, unless told. */
function sorted(rows: UsageRow[], { by, sort }: UsageOptions): UsageRow[] {
  const { key, descending } = sort ?? { key: by === "daily" ? "key" : "cost", descending: by !== "daily" };
  const column = SORT_KEYS.find((name) => name === key);
  const compare = (a: UsageRow, b: UsageRow) =>
    column ? a[column] - b[column] || compareText(a.key, b.key) : compareText(a.key, b.key);
  return rows.toSorted((a, b) => (descending ? compare(b, a) : compare(a, b)));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function limited<T>(rows: T[], limit: number | undefined): T[] {
  return limit ? rows.slice(0, limit) : rows;
}

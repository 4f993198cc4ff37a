import type { Index } from "../db/open.ts";
import { dayOf, offsetsBetween, type Weekday } from "./calendar.ts";
import { type Condition, contains, inRoots, inTime, ofEntry, ofSession, whereClause } from "./conditions.ts";
import type { Filter } from "./filter.ts";
import type { UsageGrouping, UsageReport, UsageRow } from "./results.ts";
import { toIso } from "./sessions.ts";
import { addUp, figuresOf, type PricedSums, type Prices, pricesIn } from "./sums.ts";
import { type Calendar, dayExpression, GROUPINGS, type Grouping, QUARTER_MS } from "./usage-groups.ts";

export interface UsageOptions {
  by: UsageGrouping;
  /** IANA name; days begin at its midnights. */
  timezone: string;
  /** The day weeks begin with; Monday unless told. */
  weekStart?: Weekday;
  filter?: Filter;
  roots?: string[];
  /** 0 or nothing: all. Totals are over all rows whatever the limit. */
  limit?: number;
  sort?: { key: string; descending: boolean };
  /** Every row by model too. */
  breakdown?: boolean;
  /** The first and the last request of every row too. */
  times?: boolean;
  /** So many slices of the report's time, each with its cost, in every row. */
  trend?: number;
}

/** Where usage is read from: the roll-up, which answers what whole quarters of an hour can answer, or single rows. */
interface Source {
  /** A table, called `u` in the rest. */
  from: string;
  quarter: string;
  /** Unix ms. */
  time: string;
  requests: string;
  /** Three sums: requests without a price, tokens of input with one, tokens of the cache of requests with one. */
  prices: string;
}

const QUARTERS: Source = {
  from: "usage_quarters",
  quarter: "u.quarter",
  time: `u.quarter * ${QUARTER_MS}`,
  requests: "sum(u.requests)",
  prices: "sum(u.unpriced), sum(u.priced_input), sum(u.priced_cache)",
};
const TIME = "coalesce(u.timestamp, s.created_at, 0)";
const ROWS: Source = {
  from: "usage",
  quarter: `CAST(floor(${TIME} / ${QUARTER_MS}.0) AS INTEGER)`,
  time: TIME,
  requests: "count(*)",
  prices: `sum(u.cost = 0 AND u.total_tokens > 0), sum(iif(u.cost_input > 0, u.input, 0)),
    sum(iif(u.cost > 0, u.cache_read + u.cache_write, 0))`,
};

const SUMS = `sum(u.input), sum(u.output), sum(u.cache_read), sum(u.cache_write), sum(u.total_tokens), sum(u.cost),
  sum(u.cost_input), sum(u.cost_cache_read), sum(u.cost_cache_write)`;

/**
 * Tokens and cost, each place that holds usage counted once: copies in forks are left out of rows and totals
 * and told apart in `copies`.
 */
export function sumUsage(index: Index, options: UsageOptions): UsageReport {
  const { by, timezone, limit, filter = {} } = options;
  const found = findSums(index, options);
  const counted = found.filter((row) => row.counted);
  const prices = pricesIn(counted);
  const rows = toRows(counted, options, prices);
  const { unpriced, cacheHitRate, cacheSavings, ...totals } = figuresOf(counted, prices);
  return {
    by,
    timezone,
    since: filter.since === undefined ? null : dayOf(filter.since, timezone),
    until: filter.until === undefined ? null : dayOf(filter.until - 1, timezone),
    rows: limit ? sorted(rows, options).slice(0, limit) : sorted(rows, options),
    totals,
    copies: addUp(found.filter((row) => !row.counted)),
    unpriced,
    cacheHitRate,
    cacheSavings,
  };
}

/** Sums of one group, model, slice and side of the count. */
interface Found extends PricedSums {
  counted: boolean;
  /** What tells the group from others. */
  group: string;
  shown: Shown;
  slice: number;
  firstAt: number | null;
  lastAt: number | null;
}

type Shown = Pick<UsageRow, "key" | "label" | "path">;

type FoundRow = [
  counted: number,
  group: string | number | null,
  key: string | null,
  label: string | null,
  path: string | null,
  provider: string,
  model: string,
  slice: number,
  firstAt: number | null,
  lastAt: number | null,
  ...sums: number[],
];

function findSums(index: Index, options: UsageOptions): Found[] {
  const { by, roots, timezone, weekStart = "monday", filter = {} } = options;
  const grouping = GROUPINGS[by];
  const source = grouping.needsRows || options.times || needsRows(filter) ? ROWS : QUARTERS;
  const where = whereClause([...inRootsIfNeeded(index, roots), ...usageConditions(filter, source)]);
  const { key, label, path } = grouping.shown ?? { key: "NULL", label: "NULL", path: "NULL" };
  const columns = `u.counted, ${keyOf(index, grouping, source, timezone)} AS own_key, ${key}, ${label}, ${path},
    coalesce(u.provider, '') AS own_provider, coalesce(u.model, '') AS own_model,
    ${sliceOf(index, source, options)} AS slice, ${options.times ? "min(u.timestamp), max(u.timestamp)" : "NULL, NULL"},
    ${source.requests}, ${source.prices}, ${SUMS}`;
  const joins = joinsFor(columns + where.sql).join(" ");
  const rows = index.database
    .prepare(
      `SELECT ${columns} FROM ${grouping.rows ?? source.from} u ${joins} ${where.sql}
       GROUP BY own_key, own_provider, own_model, u.counted, slice`,
    )
    .raw()
    .all(...where.values) as FoundRow[];
  const names = new Map<FoundRow[1], string>();
  return rows.map((row) => {
    const [, ownKey] = row;
    const name = names.get(ownKey) ?? nameOf(ownKey, grouping, { timezone, weekStart });
    names.set(ownKey, name);
    return toFound(row, name);
  });
}

/** Almost always every file lies below the roots: to ask once is cheaper than to ask of every row. */
function inRootsIfNeeded(index: Index, roots: string[] | undefined): Condition[] {
  const [inside] = inRoots(roots);
  if (inside === undefined) return [];
  const outside = `SELECT 1 FROM files f WHERE NOT (${inside.sql}) LIMIT 1`;
  return index.database.prepare(outside).get(...inside.values) === undefined ? [] : [inside];
}

/** What is not asked for is not joined: the roll-up alone answers in a tenth of the time. */
function joinsFor(sql: string): string[] {
  const joins = {
    "e.": "JOIN entries e ON e.key = u.entry_key",
    "s.": "JOIN sessions s ON s.file_id = u.file_id",
    "f.": "JOIN files f ON f.id = u.file_id",
  };
  return Object.entries(joins).flatMap(([name, join]) => (sql.includes(name) ? [join] : []));
}

function keyOf(index: Index, { key, period }: Grouping, source: Source, timezone: string): string {
  if (period === undefined) return key;
  if (period.of === "quarter") return source.quarter;
  const { first, last } = spanOf(index);
  return dayExpression(source.quarter, offsetsBetween(first * QUARTER_MS, last * QUARTER_MS, timezone));
}

/** The first and the last quarter of an hour with usage. */
function spanOf(index: Index): { first: number; last: number } {
  return index.database
    .prepare(
      "SELECT coalesce(min(quarter), 0) AS first, coalesce(max(quarter), 0) AS last FROM usage_quarters",
    )
    .get() as { first: number; last: number };
}

function nameOf(ownKey: FoundRow[1], { period, empty = "unknown" }: Grouping, calendar: Calendar): string {
  if (period !== undefined) return period.name(Number(ownKey), calendar);
  return ownKey === null || ownKey === "" ? empty : String(ownKey);
}

/** Times within a quarter of an hour, and anything about single entries, the roll-up cannot tell. */
function needsRows(filter: Filter): boolean {
  const splitsQuarter = [filter.since, filter.until].some(
    (time) => time !== undefined && time % QUARTER_MS !== 0,
  );
  const { model: _model, provider: _provider, ...rest } = filter;
  return splitsQuarter || ofEntry(rest).length > 0;
}

function usageConditions(filter: Filter, source: Source): Condition[] {
  const { model, provider, ...rest } = filter;
  const conditions = [...ofSession(filter), ...ofEntry(rest)];
  if (model !== undefined) conditions.push(contains("u.model", model));
  if (provider !== undefined) conditions.push({ sql: "u.provider = ?", values: [provider] });
  return [...conditions, ...inTime(source.time, filter)];
}

/** Which of the equal slices of the report's time a row lies in, from 0 on. */
function sliceOf(index: Index, { quarter }: Source, { trend = 1, filter = {} }: UsageOptions): string {
  if (trend <= 1) return "0";
  const { first, last } = spanOf(index);
  const start = filter.since === undefined ? first : Math.floor(filter.since / QUARTER_MS);
  const end = filter.until === undefined ? last + 1 : Math.ceil(filter.until / QUARTER_MS);
  return `min(${trend - 1}, max(0, (${quarter} - ${start}) * ${trend} / ${Math.max(1, end - start)}))`;
}

function toFound(row: FoundRow, group: string): Found {
  const [counted, , key, label, path, provider, model, slice, firstAt, lastAt, ...numbers] = row;
  const [requests = 0, unpriced = 0, pricedInput = 0, pricedCache = 0, ...more] = numbers;
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0, totalTokens = 0, cost = 0, ...parts] = more;
  const [costInput = 0, costCacheRead = 0, costCacheWrite = 0] = parts;
  const shown = { key: key ?? group, ...(label !== null && { label }), ...(path !== null && { path }) };
  const sums = { input, output, cacheRead, cacheWrite, totalTokens, cost, requests, unpriced };
  const prices = { costInput, costCacheRead, costCacheWrite, pricedInput, pricedCache };
  const isCounted = counted === 1;
  return { counted: isCounted, group, shown, provider, model, slice, firstAt, lastAt, ...sums, ...prices };
}

function toRows(found: Found[], options: UsageOptions, prices: Prices): UsageRow[] {
  return [...groupedBy(found, ({ group }) => group).values()].map((rows) => {
    const { breakdown, trend = 1 } = options;
    const shown = rows[0]?.shown ?? { key: "" };
    return {
      ...shown,
      ...figuresOf(rows, prices),
      ...(breakdown && { models: modelsOf(rows, prices) }),
      ...(options.times && timesOf(rows)),
      ...(trend > 1 && { trend: trendOf(rows, trend) }),
    };
  });
}

function timesOf(rows: Found[]): Pick<UsageRow, "firstAt" | "lastAt"> {
  const first = rows.flatMap(({ firstAt }) => firstAt ?? []);
  const last = rows.flatMap(({ lastAt }) => lastAt ?? []);
  return {
    firstAt: first.length === 0 ? null : toIso(Math.min(...first)),
    lastAt: last.length === 0 ? null : toIso(Math.max(...last)),
  };
}

function modelsOf(rows: Found[], prices: Prices): UsageRow[] {
  const models = groupedBy(rows, ({ model }) => model || "unknown");
  const breakdown = [...models].map(([key, ofModel]) => ({ key, ...figuresOf(ofModel, prices) }));
  return breakdown.sort(
    (a, b) => b.cost - a.cost || b.totalTokens - a.totalTokens || compareText(a.key, b.key),
  );
}

function trendOf(rows: Found[], slices: number): number[] {
  const costs = Array.from({ length: slices }, () => 0);
  for (const { slice, cost } of rows) costs[slice] = (costs[slice] ?? 0) + cost;
  return costs;
}

function groupedBy<T>(rows: T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const SORT_KEYS = ["input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost", "requests"] as const;

/** Periods in order, everything else by cost, unless told. */
function sorted(rows: UsageRow[], { by, sort }: UsageOptions): UsageRow[] {
  const isPeriod = GROUPINGS[by].period !== undefined;
  const { key, descending } = sort ?? { key: isPeriod ? "key" : "cost", descending: !isPeriod };
  const column = SORT_KEYS.find((name) => name === key);
  const compare = (a: UsageRow, b: UsageRow) =>
    column ? a[column] - b[column] || compareText(a.key, b.key) : compareText(a.key, b.key);
  return rows.toSorted((a, b) => (descending ? compare(b, a) : compare(a, b)));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

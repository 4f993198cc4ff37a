import { type Condition, inRootsIfNeeded, inTime, whereClause } from "../../filters/where.ts";
import type { Index } from "../../store/open.ts";
import { inOneState } from "../../store/statements.ts";
import { QUARTER_MS, quarterOf } from "../../store/tables/usage-buckets.ts";
import { offsetsBetween } from "../../time/zone.ts";
import { countedWithin } from "./counted.ts";
import { type ModelSums, pricedAs } from "./figures.ts";
import { type Group, GroupNames, placeIn } from "./group-names.ts";
import { dayExpression, GROUPINGS, type Grouping, hourOfWeekExpression, OWN_SESSIONS } from "./groupings.ts";
import { joinsForUsage, quarterSpanOf, sourceOf, type UsageSource, usageConditions } from "./source.ts";
import type { UsageOptions, UsageRow } from "./usage-shapes.ts";

/** Sums of one group, model, slice and side of the count. */
export interface FoundSums extends ModelSums {
  counted: boolean;
  /** Identifies the group. */
  group: string;
  shown: Pick<UsageRow, "key" | "label" | "path">;
  /** The place of a period in the order of time; 0 where groups are no periods. */
  order: number;
  slice: number;
  firstAt: number | null;
  lastAt: number | null;
  /** Where prices are asked for: of requests without a cost the threshold that their input is above; else null. */
  above: number | null;
  /** Tokens, a part of `cacheWrite`; only where prices are asked for. */
  cacheWrite1h: number;
}

const SUMS = `sum(u.input), sum(u.output), sum(u.cache_read), sum(u.cache_write), sum(u.total_tokens), sum(u.cost),
  sum(u.cost_input), sum(u.cost_cache_read), sum(u.cost_cache_write)`;

/** A request that states tokens, as one that was broken off need not. */
export const SOME_TOKENS: Condition = {
  sql: "u.input + u.output + u.cache_read + u.cache_write + u.total_tokens > 0",
  values: [],
};

type FoundRow = [
  counted: number,
  group: Group,
  provider: string,
  model: string,
  requests: number,
  unpriced: number,
  pricedInput: number,
  pricedCache: number,
  costFromProvider: number,
  timedRequests: number,
  timedOutput: number,
  durationMs: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  totalTokens: number,
  cost: number,
  costInput: number,
  costCacheRead: number,
  costCacheWrite: number,
  key?: string | null,
  label?: string | null,
  path?: string | null,
  slice?: number,
  firstAt?: number | null,
  lastAt?: number | null,
  above?: number | null,
  cacheWrite1h?: number,
];

/** Usage added up as far as the database can do it. */
export function findSums(index: Index, options: UsageOptions): FoundSums[] {
  return inOneState(index.database, () => find(index, options));
}

function find(index: Index, options: UsageOptions): FoundSums[] {
  const { by, roots, timezone, weekStart = "monday", filter = {} } = options;
  const isOwn = options.own || filter.origin === "subagent";
  const grouping = by === "session" && isOwn ? OWN_SESSIONS : GROUPINGS[by];
  const bounds = inRootsIfNeeded(index.database, roots);
  const counted = countedWithin(index.database, bounds, inTime("u.timestamp", filter));
  const { times = false, withTokens = false, prices } = options;
  const wantsRows = times || withTokens || prices !== undefined || counted.needsRows;
  const source = sourceOf(grouping, filter, { wantsRows });
  const where = whereClause([
    ...bounds,
    ...usageConditions(filter, source),
    ...(withTokens ? [SOME_TOKENS] : []),
  ]);
  const slice = sliceOf(index, source, options);
  const key = keyOf(index, grouping, { source, timezone, bounds });
  const columns = `${counted.sql} AS own_counted, ${key.sql} AS own_key,
    ${source.provider} AS own_provider, ${source.model} AS own_model, ${source.requests}, ${source.prices}, ${source.times}, ${SUMS}
    ${detailsOf(grouping, slice, options)}`;
  // Only these: SQLite sorts by each column that is named here.
  const groups = `own_key, own_model, own_provider, own_counted${slice === null ? "" : ", slice"}${prices === undefined ? "" : ", above"}`;
  const rows = index.database
    .prepare(
      `SELECT ${columns} FROM ${grouping.rows ?? source.from} u ${joinsForUsage(columns + where.sql)} ${where.sql}
       GROUP BY ${groups}`,
    )
    .raw()
    .iterate(...counted.values, ...key.values, ...where.values) as Iterable<FoundRow>;
  const calendar = { timezone, weekStart };
  const names = new GroupNames(grouping, calendar);
  const place = placeIn(grouping, calendar);
  return Array.from(rows, (row) => toFound(row, names.of(row[1]), place(row[1])));
}

/** The columns that only some reports show. They are left out of others, because each value of a row takes time. */
function detailsOf(
  { shown }: Grouping,
  slice: string | null,
  { times = false, prices }: UsageOptions,
): string {
  if (shown === undefined && slice === null && !times && prices === undefined) return "";
  const { key, label, path } = shown ?? { key: "NULL", label: "NULL", path: "NULL" };
  return `, ${key}, ${label}, ${path}, ${slice ?? "0"} AS slice,
    ${times ? "min(u.timestamp), max(u.timestamp)" : "NULL, NULL"}
    ${prices === undefined ? "" : `, ${aboveOf(prices.thresholds)} AS above, sum(u.cache_write_1h)`}`;
}

/** Which of the thresholds, in rising order, the input of a request without a cost is above; NULL for one with a cost. */
export function aboveOf(thresholds: readonly number[]): string {
  const input = "u.input + u.cache_read + u.cache_write";
  const cases = thresholds.toReversed().map((each) => `WHEN ${input} > ${each} THEN ${each}`);
  return `CASE WHEN u.cost > 0 OR u.total_tokens = 0 THEN NULL ${cases.join(" ")} ELSE 0 END`;
}

function keyOf(
  index: Index,
  { key, period }: Grouping,
  { source, timezone, bounds }: { source: UsageSource; timezone: string; bounds: Condition[] },
): Condition {
  if (typeof key === "function") return key(bounds);
  if (period === undefined) return { sql: key, values: [] };
  if (period.of === "quarter") return { sql: source.quarter, values: [] };
  const { first, last } = quarterSpanOf(index);
  const offsets = offsetsBetween(first * QUARTER_MS, last * QUARTER_MS, timezone);
  const expression = period.of === "day" ? dayExpression : hourOfWeekExpression;
  return { sql: expression(source.quarter, offsets), values: [] };
}

/** Which of the equal slices of the report's time a row lies in, from 0 on; null where there is one only. */
function sliceOf(
  index: Index,
  { quarter }: UsageSource,
  { trend = 1, filter = {} }: UsageOptions,
): string | null {
  if (trend <= 1) return null;
  const { first, last } = quarterSpanOf(index);
  const start = filter.since === undefined ? first : quarterOf(filter.since);
  const end = filter.until === undefined ? last + 1 : Math.ceil(filter.until / QUARTER_MS);
  return `min(${trend - 1}, max(0, (${quarter} - ${start}) * ${trend} / ${Math.max(1, end - start)}))`;
}

function toFound(row: FoundRow, group: string, order: number): FoundSums {
  const provider = row[2];
  const model = row[3];
  return {
    counted: row[0] === 1,
    group,
    shown: shownOf(row[21] ?? group, row[22] ?? null, row[23] ?? null),
    provider,
    model,
    order,
    pricedAs: pricedAs(provider, model),
    slice: row[24] ?? 0,
    firstAt: row[25] ?? null,
    lastAt: row[26] ?? null,
    above: row[27] ?? null,
    cacheWrite1h: row[28] ?? 0,
    requests: row[4],
    unpriced: row[5],
    pricedInput: row[6],
    pricedCache: row[7],
    costFromProvider: row[8],
    timedRequests: row[9],
    timedOutput: row[10],
    durationMs: row[11],
    input: row[12],
    output: row[13],
    cacheRead: row[14],
    cacheWrite: row[15],
    totalTokens: row[16],
    cost: row[17],
    costInput: row[18],
    costCacheRead: row[19],
    costCacheWrite: row[20],
  };
}

function shownOf(key: string, label: string | null, path: string | null): FoundSums["shown"] {
  // Almost always so; building the object from optional parts takes ten times as long.
  if (label === null && path === null) return { key };
  return { key, ...(label !== null && { label }), ...(path !== null && { path }) };
}

import type { Filter } from "../../filters/filter.ts";
import { currentProviderOf } from "../../filters/providers.ts";
import {
  type Condition,
  contains,
  inTime,
  isOfProvider,
  isUpon,
  ofEntry,
  ofSession,
} from "../../filters/where.ts";
import type { Index } from "../../store/open.ts";
import { QUARTER_MS } from "../../store/tables/usage-buckets.ts";
import type { Grouping } from "./groupings.ts";

/** Where usage is read from: the roll-up, which answers what whole quarters of an hour can answer, or single rows. */
export interface UsageSource {
  /** A table, called `u` in the rest. */
  from: string;
  quarter: string;
  /** Unix ms. */
  time: string;
  provider: string;
  model: string;
  requests: string;
  /**
   * Four sums: requests without a price, tokens of input with one, tokens of the cache of requests with its parts, and US
   * dollars that the providers have stated.
   */
  prices: string;
  /** Three sums over requests of which is known how long they took: how many, their output, and how long, in ms. */
  times: string;
}

const QUARTERS: UsageSource = {
  from: "usage_quarters",
  quarter: "u.quarter",
  time: `u.quarter * ${QUARTER_MS}`,
  provider: currentProviderOf("u.provider"),
  model: "u.model",
  requests: "sum(u.requests)",
  prices: "sum(u.unpriced), sum(u.priced_input), sum(u.priced_cache), sum(u.cost_from_provider)",
  times: "sum(u.timed_requests), sum(u.timed_output), sum(u.duration_ms)",
};
const TIME = "coalesce(u.timestamp, s.created_at, 0)";
/** Single rows, called `u` in the rest. */
export const ROWS: UsageSource = {
  from: "usage",
  quarter: `CAST(floor(${TIME} / ${QUARTER_MS}.0) AS INTEGER)`,
  time: TIME,
  provider: currentProviderOf("coalesce(u.provider, '')"),
  model: "coalesce(u.model, '')",
  requests: "count(*)",
  prices: `sum(u.cost = 0 AND u.total_tokens > 0), sum(iif(u.cost_input > 0, u.input, 0)),
    sum(iif(u.cost_input + u.cost_output + u.cost_cache_read + u.cost_cache_write > 0, u.cache_read + u.cache_write, 0)),
    total(iif(u.accounted = 0, u.cost_from_provider, NULL))`,
  times:
    "count(u.duration_ms), sum(iif(u.duration_ms IS NULL, 0, u.output)), coalesce(sum(u.duration_ms), 0)",
};

/** The roll-up wherever it will do: it is a tenth of the rows. */
export function sourceOf(
  grouping: Grouping,
  filter: Filter,
  { wantsRows }: { wantsRows: boolean },
): UsageSource {
  return grouping.needsRows || wantsRows || needsRows(filter) ? ROWS : QUARTERS;
}

/** Times within a quarter of an hour, and anything about single entries, the roll-up cannot tell. */
function needsRows(filter: Filter): boolean {
  const { model: _model, provider: _provider, ...rest } = filter;
  return splitsQuarter(filter) || ofEntry(rest).length > 0;
}

export function splitsQuarter({ since = 0, until = 0 }: Pick<Filter, "since" | "until">): boolean {
  return since % QUARTER_MS !== 0 || until % QUARTER_MS !== 0;
}

/** What a filter says of usage. */
export function usageConditions(filter: Filter, source: UsageSource): Condition[] {
  const { model, provider, ...rest } = filter;
  const conditions = [...ofSession(filter), ...ofEntry(rest)];
  if (model !== undefined) conditions.push(contains("u.model", model));
  if (provider !== undefined) conditions.push(isOfProvider("u.provider", provider));
  return [...conditions, ...inTime(source.time, filter)];
}

/** What is not asked for is not joined: the roll-up alone answers in a tenth of the time. */
export function joinsForUsage(sql: string): string {
  return [
    isUpon("e", { sql }) ? "JOIN entries e ON e.key = u.entry_key" : "",
    isUpon("s", { sql }) ? "JOIN sessions s ON s.file_id = u.file_id" : "",
    isUpon("f", { sql }) ? "JOIN files f ON f.id = u.file_id" : "",
  ].join(" ");
}

/** Quarters of an hour since 1970. */
export interface QuarterSpan {
  first: number;
  last: number;
}

/** The first and the last quarter of an hour with usage. */
export function quarterSpanOf(index: Index): QuarterSpan {
  return index.database
    .prepare(
      "SELECT coalesce(min(quarter), 0) AS first, coalesce(max(quarter), 0) AS last FROM usage_quarters",
    )
    .get() as QuarterSpan;
}

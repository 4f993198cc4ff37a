import { compareTexts, groupedBy } from "../../runtime/collections.ts";
import type { Index } from "../../store/open.ts";
import { toIso } from "../../time/calendar.ts";
import { type FoundSums, findSums } from "./aggregate.ts";
import { boundsOf } from "./bounds.ts";
import { addUp, figuresOf, type Prices, pricesIn } from "./figures.ts";
import { GROUPINGS } from "./groupings.ts";
import type { ModelPrices } from "./model-prices.ts";
import type {
  Estimate,
  ReportGrouping,
  ReportOptions,
  UnknownModel,
  UsageOptions,
  UsageReport,
  UsageRow,
} from "./usage-shapes.ts";

/**
 * Tokens and cost, each place that holds usage counted once: copies in forks are left out of rows and totals, and are
 * added up in `copies`.
 *
 * @throws SessionDbError `usage` for a time zone that does not exist; SQLite's errors
 */
export function sumUsage(index: Index, options: UsageOptions): UsageReport {
  return reportOf(findSums(index, options), options);
}

/** Makes a report of sums, wherever they were found. */
export function reportOf(found: readonly FoundSums[], options: ReportOptions): UsageReport {
  const { by, timezone, filter = {} } = options;
  // Periods in the order of time: their names are not in it where an hour comes twice.
  const counted = found.filter((row) => row.counted).sort((a, b) => a.order - b.order);
  const prices = pricesIn(counted);
  const rows = toRows(counted, options, prices);
  const list = options.prices;
  const { averageMs: _ms, tokensPerSecond: _speed, ...figures } = figuresOf(counted, prices);
  const { unpriced, costFromProvider, cacheHitRate, cacheSavings, ...totals } = figures;
  return {
    by,
    timezone,
    ...boundsOf(filter, timezone),
    rows: shownOf(sorted(rows, options), options),
    totals,
    copies: addUp(found.filter((row) => !row.counted)),
    unpriced,
    costFromProvider,
    cacheHitRate,
    cacheSavings,
    ...(list && {
      ...estimateOf(counted, list),
      unknownModels: unknownModelsIn(counted, list),
      priceList: list.source,
    }),
  };
}

function toRows(found: FoundSums[], options: ReportOptions, prices: Prices): UsageRow[] {
  const { breakdown, times, trend = 1, prices: list } = options;
  return [...groupedBy(found, ({ group }) => group).values()].map((rows) => {
    const shown = rows[0]?.shown ?? { key: "" };
    // Not by spreading, which takes ten times as long.
    const row: UsageRow = Object.assign({}, shown, figuresOf(rows, prices));
    if (list) Object.assign(row, estimateOf(rows, list));
    if (breakdown) row.models = modelsOf(rows, { prices, list });
    if (times) Object.assign(row, timesOf(rows));
    if (trend > 1) row.trend = trendOf(rows, trend);
    return row;
  });
}

function timesOf(rows: FoundSums[]): Pick<UsageRow, "firstAt" | "lastAt"> {
  const first = rows.flatMap(({ firstAt }) => firstAt ?? []);
  const last = rows.flatMap(({ lastAt }) => lastAt ?? []);
  return {
    firstAt: first.length === 0 ? null : toIso(Math.min(...first)),
    lastAt: last.length === 0 ? null : toIso(Math.max(...last)),
  };
}

function modelsOf(
  rows: FoundSums[],
  { prices, list }: { prices: Prices; list: ModelPrices | undefined },
): UsageRow[] {
  const models = groupedBy(rows, ({ model }) => model || "unknown");
  const breakdown = [...models].map(([key, ofModel]) => ({
    key,
    ...figuresOf(ofModel, prices),
    ...(list && estimateOf(ofModel, list)),
  }));
  return breakdown.sort(
    (a, b) => b.cost - a.cost || b.totalTokens - a.totalTokens || compareTexts(a.key, b.key),
  );
}

function trendOf(rows: FoundSums[], slices: number): number[] {
  const costs = Array.from({ length: slices }, () => 0);
  for (const { slice, cost } of rows) costs[slice] = (costs[slice] ?? 0) + cost;
  return costs;
}

/** At most `limit` of sorted rows: the first; where they are periods in the order of time, the last, which are the newest. */
export function shownOf(rows: UsageRow[], { by, sort, limit }: ReportOptions): UsageRow[] {
  if (!limit) return rows;
  return sort === undefined && isByPeriod(by) ? rows.slice(-limit) : rows.slice(0, limit);
}

function isByPeriod(by: ReportGrouping): boolean {
  return by !== "author" && GROUPINGS[by].period !== undefined;
}

/** Periods in order, as they come, everything else by cost, unless told. */
function sorted(rows: UsageRow[], { by, sort }: ReportOptions): UsageRow[] {
  const isPeriod = isByPeriod(by);
  const { key, descending } = sort ?? { key: isPeriod ? "key" : "cost", descending: !isPeriod };
  const compareNames = (a: UsageRow, b: UsageRow) =>
    isPeriod ? 0 : compareTexts(a.key, b.key) || compareTexts(a.path ?? "", b.path ?? "");
  // What has no cost of its own goes by its estimate, unless somebody asks for another order.
  const estimated = ({ estimatedCost = 0 }: UsageRow) => (sort === undefined ? estimatedCost : 0);
  const compareSizes = (a: UsageRow, b: UsageRow) =>
    key === "key" ? 0 : a[key] + estimated(a) - b[key] - estimated(b);
  const compare = (a: UsageRow, b: UsageRow) => compareSizes(a, b) || compareNames(a, b);
  return descending ? rows.toReversed().sort((a, b) => compare(b, a)) : rows.toSorted(compare);
}

/** What those of the requests would have cost that state tokens and no cost. */
function estimateOf(rows: readonly FoundSums[], prices: ModelPrices): Estimate {
  const estimate = { estimatedCost: 0, estimatedRequests: 0 };
  for (const row of rows) {
    const cost = costOf(row, prices);
    if (cost === null) continue;
    estimate.estimatedCost += cost;
    estimate.estimatedRequests += row.requests;
  }
  return estimate;
}

/** Models of which some requests have no price at all, those with the most tokens first. */
function unknownModelsIn(rows: readonly FoundSums[], prices: ModelPrices): UnknownModel[] {
  const unknown = rows.filter((row) => row.unpriced > 0 && costOf(row, prices) === null);
  const models = [...groupedBy(unknown, ({ pricedAs }) => pricedAs).values()].map((same) => ({
    provider: same[0]?.provider ?? "",
    model: same[0]?.model ?? "",
    requests: same.reduce((sum, { requests }) => sum + requests, 0),
    totalTokens: same.reduce((sum, { totalTokens }) => sum + totalTokens, 0),
  }));
  return models.sort((a, b) => b.totalTokens - a.totalTokens);
}

/** Null where the requests state their cost, and where the list has none. */
function costOf(row: FoundSums, prices: ModelPrices): number | null {
  if (row.above === null) return null;
  return prices.costOf(row.provider, row.model, { ...row, above: row.above });
}

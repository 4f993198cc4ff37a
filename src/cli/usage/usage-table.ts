import { tildePath } from "../../files/paths.ts";
import { shortIds } from "../../format/ids.ts";
import type { Sums } from "../../format/usage.ts";
import type {
  Estimate,
  ReportGrouping,
  UsageFigures,
  UsageReport,
  UsageRow,
} from "../../reports/usage/usage-shapes.ts";
import { decimalsFor, formatCompact, formatCount, formatDuration, formatMoney } from "../../text/numbers.ts";
import { maskSecrets } from "../../text/secrets.ts";
import { addDays, weekdayOf } from "../../time/calendar.ts";
import type { Context } from "../command-line/command.ts";
import { formatBar, formatSparkline } from "../output/bars.ts";
import { shownTitle } from "../output/shown-title.ts";
import { type Column, formatTable } from "../output/table.ts";
import { formatCost } from "./usage-period.ts";

/** How many columns the longest bar takes, by the width of the terminal. */
const barWidth = (terminal = 80): number => (terminal >= 110 ? 16 : 10);

const TITLES: Record<ReportGrouping, string> = {
  hourly: "Hour",
  daily: "Day",
  weekly: "Week",
  monthly: "Month",
  session: "Session",
  project: "Project",
  author: "Who",
  model: "Model",
  provider: "Provider",
  source: "Spent on",
  tool: "Tool",
  agent: "Sub-agent",
  thinking: "Thinking",
  "hour-of-week": "Hour of week",
  label: "Under label",
  branch: "Branch",
};

/** One line for each row, with bars and trends, and the totals below; for a terminal. */
export function usageTable(context: Context, report: UsageReport): string[] {
  const { out } = context;
  const { rows, by, totals } = report;
  const extras = extrasOf(report);
  const measure = measureOf(rows);
  const most = rows.reduce((highest, row) => Math.max(highest, measure(row)), 0);
  const ids = by === "session" ? shortIds(rows.map((row) => row.key)) : [];
  const names = namesOf(report);
  const decimals = decimalsFor(Math.max(totals.cost, report.estimatedCost ?? 0), out.width);
  const line = (row: UsageRow, keys: string[]): string[] => [
    ...keys,
    ...figureCells(row, { decimals, extras }),
    ...(extras.times ? timeCells(row) : []),
    formatBar(measure(row), most, barWidth(out.width)),
    ...(row.trend === undefined ? [] : [formatSparkline(row.trend)]),
  ];
  const lines = rows.flatMap((row, index) => [
    line(row, keyCells(context, by, { ...row, key: ids[index] ?? names[index] ?? row.key })),
    // Grouped by model, a row has no other models below it.
    ...(by === "model" ? [] : (row.models ?? [])).map((model, at, models) =>
      line(model, modelCells(by, model, at === models.length - 1)),
    ),
  ]);
  const keys = keyColumns(by);
  const columns = [...keys, ...figureColumns(context, extras)];
  const totalCells = figureCells({ ...report, ...totals }, { decimals, extras });
  const total = ["Total", ...keys.slice(1).map(() => ""), ...totalCells];
  return formatTable(columns, lines, { width: out.width, paintTitle: out.paint.dim, totals: total });
}

/** Columns that stand only where there is something to show in them. */
interface Extras {
  times: boolean;
  billed: boolean;
  estimate: boolean;
  trend: boolean;
}

function extrasOf({ by, rows, costFromProvider, estimatedCost }: UsageReport): Extras {
  return {
    times: (by === "model" || by === "thinking") && rows.some(({ averageMs }) => averageMs !== null),
    billed: (by === "model" || by === "provider") && costFromProvider > 0,
    estimate: estimatedCost !== undefined,
    trend: rows.some((row) => row.trend !== undefined),
  };
}

/** Bars show dollars, estimated ones too where they are shown; tokens where no row has any. */
function measureOf(rows: readonly UsageRow[]): (row: UsageRow) => number {
  const worth = ({ cost, estimatedCost = 0 }: UsageRow): number => cost + estimatedCost;
  return rows.some((row) => worth(row) > 0) ? worth : ({ totalTokens }) => totalTokens;
}

/**
 * The name of a row is worth more than some of its figures, which are left out when there is no room. No period takes more:
 * it is cut on terminals only that are too narrow for its cost beside it.
 */
const LEAST_KEY = 24;

function keyColumns(by: ReportGrouping): Column[] {
  const title = TITLES[by];
  if (by === "session") return [{ title }, { title: "Title", shrinkTo: LEAST_KEY }];
  return [{ title, shrinkTo: LEAST_KEY, cut: by === "project" ? "path" : "end" }];
}

/** What periods are called; empty for other rows, which are called by their keys. */
function namesOf({ rows, by, since, until }: UsageReport): string[] {
  const keys = rows.map(({ key }) => key);
  switch (by) {
    case "hourly":
      return hoursOf(keys);
    case "daily":
      return keys.map((key) => `${key} ${weekdayOf(key)}`);
    case "weekly":
      return keys.map((key) => weekWithin(key, { since, until }));
    default:
      return [];
  }
}

/** With the offset only where the clock has been changed between them: an hour may come twice. */
function hoursOf(keys: string[]): string[] {
  const hour = "2026-11-03T14:00".length;
  const isOneOffset = new Set(keys.map((key) => key.slice(hour))).size === 1;
  return keys.map((key) => (isOneOffset ? key.slice(0, hour) : key).replace("T", " "));
}

/** Its days, as far as the report covers them. */
function weekWithin(first: string, { since, until }: Pick<UsageReport, "since" | "until">): string {
  const last = addDays(first, 6);
  const isDay = (bound: string | null): bound is string => bound?.length === first.length;
  const from = isDay(since) && since > first ? since : first;
  const to = isDay(until) && until < last ? until : last;
  return from === to ? from : `${from} to ${to.slice(5)}`;
}

function keyCells({ world }: Context, by: ReportGrouping, row: UsageRow): string[] {
  if (by === "session") return [row.key, shownTitle({ title: row.label ?? "" })];
  if (by === "label") return [maskSecrets(row.key)];
  return [by === "project" ? tildePath(row.key, world.home) : row.key];
}

function modelCells(by: ReportGrouping, { key }: UsageRow, isLast: boolean): string[] {
  const name = `${isLast ? "└" : "├"} ${key}`;
  return by === "session" ? ["", name] : [name];
}

function figureColumns({ out }: Context, { times, billed, estimate, trend }: Extras): Column[] {
  const number = (title: string, expendable: number): Column => ({ title, align: "right", expendable });
  const { green } = out.paint;
  return [
    number("Requests", 5),
    number("Input", 3),
    number("Output", 3),
    number("Cache read", 4),
    number("Cache write", 6),
    number("Tokens", 1),
    { title: "Cost", align: "right" },
    ...(billed ? [number("Billed", 4)] : []),
    ...(estimate ? [{ title: "Estimate", align: "right" as const }] : []),
    ...(times ? [number("Response", 4), number("Tokens/s", 4)] : []),
    { title: "", expendable: 2, paint: green },
    ...(trend ? [{ title: "Cost over time", expendable: 7, paint: green }] : []),
  ];
}

function figureCells(
  figures: Sums & Pick<UsageFigures, "unpriced" | "costFromProvider"> & Partial<Estimate>,
  { decimals, extras }: { decimals: number; extras: Extras },
): string[] {
  const { requests, input, output, cacheRead, cacheWrite, totalTokens } = figures;
  const { cost, unpriced, costFromProvider, estimatedCost } = figures;
  return [
    formatCount(requests),
    ...[input, output, cacheRead, cacheWrite, totalTokens].map(formatCompact),
    formatCost({ cost, unpriced }, decimals),
    ...(extras.billed ? [formatMoney(costFromProvider, decimals)] : []),
    ...(estimatedCost === undefined ? [] : [formatMoney(estimatedCost, decimals)]),
  ];
}

/** How long a request took, and how fast it was. */
function timeCells({ averageMs, tokensPerSecond }: UsageFigures): string[] {
  return [
    averageMs === null ? "-" : formatDuration(Math.round(averageMs)),
    tokensPerSecond === null ? "-" : formatCount(Math.round(tokensPerSecond)),
  ];
}

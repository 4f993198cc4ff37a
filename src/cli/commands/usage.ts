import { SessionDbError } from "../../errors.ts";
import type { Filter } from "../../query/filter.ts";
import {
  type Sums,
  USAGE_GROUPINGS,
  type UsageGrouping,
  type UsageReport,
  type UsageRow,
} from "../../query/results.ts";
import { type Args, countOf, isSet, type Sort, sortOf, textOf } from "../args.ts";
import { INDEX_OPTIONS, withIndex } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { filterOptions, filterWorldOf, readFilter } from "../filter-options.ts";
import { formatBar } from "../output/bars.ts";
import { printDocument } from "../output/json.ts";
import { formatCompact, formatCount, formatMoney } from "../output/numbers.ts";
import { shortIds, tildePath } from "../output/paths.ts";
import { type Column, formatTable } from "../output/table.ts";
import { weekdayOf } from "../output/times.ts";

const DEFAULT_DAYS = 30;
const SORT_KEYS = ["key", "cost", "tokens", "requests", "input", "output"] as const;
/** Columns of the longest bar, by the width of the terminal. */
const barWidth = (terminal = 80): number => (terminal >= 110 ? 16 : 10);

export const usage: Command = {
  positionals: { by: `${USAGE_GROUPINGS.join(", ")} [default: daily]` },
  options: {
    all: { type: "boolean", describe: `Everything, not only the last ${DEFAULT_DAYS} days` },
    limit: { type: "string", describe: "How many rows at most, 0 = all [default: 0]" },
    sort: { type: "string", describe: `${SORT_KEYS.join(", ")}; :asc or :desc after it` },
    ...filterOptions(),
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 usage", `the last ${DEFAULT_DAYS} days, day by day`],
    ["$0 usage project --all --sort cost", "what each project has cost, dearest first"],
  ],
  async run(context, args) {
    const by = groupingOf(args);
    const filter = await withDefaultDays(await readFilter(args, filterWorldOf(context)), context, args);
    const sort = sortOf(args, SORT_KEYS);
    const limit = countOf(args, "limit") ?? 0;
    const { roots, timezone } = context.config;
    const { sumUsage } = await import("../../query/usage.ts");
    const report = await withIndex(context, args, { search: false }, (index) =>
      sumUsage(index, {
        by,
        timezone,
        filter,
        roots,
        limit,
        ...(sort && { sort: inWordsOfTheReport(sort) }),
      }),
    );
    if (context.json) printDocument(context.out, report);
    else printReport(context, report);
    return ExitCode.done;
  },
};

function inWordsOfTheReport({ key, descending }: Sort<string>): Sort<string> {
  return { key: key === "tokens" ? "totalTokens" : key, descending };
}

function groupingOf(args: Args): UsageGrouping {
  const word = textOf(args, "by") ?? "daily";
  const grouping = USAGE_GROUPINGS.find((each) => each === word);
  if (grouping !== undefined) return grouping;
  throw new SessionDbError("usage", `usage cannot be grouped by "${word}"`, {
    hint: `It is one of: ${USAGE_GROUPINGS.join(", ")}.`,
  });
}

async function withDefaultDays(filter: Filter, context: Context, args: Args): Promise<Filter> {
  const isOpen = filter.since === undefined && filter.until === undefined;
  if (isSet(args, "all") && !isOpen) {
    throw new SessionDbError("usage", "--all excludes --since and --until", { hint: "Leave out one." });
  }
  if (isSet(args, "all") || !isOpen) return filter;
  const { lastDays } = await import("../dates.ts");
  return { ...filter, since: lastDays(DEFAULT_DAYS, filterWorldOf(context)).start };
}

function printReport(context: Context, report: UsageReport): void {
  const { out, talk } = context;
  const { dim } = talk.paint;
  if (report.rows.length === 0) {
    talk.print(`Nothing was used: ${spanOf(report)}, time zone ${report.timezone}.`);
    return;
  }
  out.print(...usageTable(context, report));
  talk.print(dim(`${spanOf(report)}, time zone ${report.timezone}.`));
  const { copies } = report;
  if (copies.requests > 0) {
    const what = `${formatMoney(copies.cost)} in ${formatCount(copies.requests)} requests`;
    talk.print(dim(`Left out: ${what}, copied into forks and counted where it was spent.`));
  }
}

/** `2026-10-05 to 2026-11-03`, as far as the report says. */
function spanOf({ since, until }: UsageReport): string {
  if (since !== null && until !== null) return since === until ? since : `${since} to ${until}`;
  if (since !== null) return `Since ${since}`;
  return until === null ? "All time" : `Up to ${until}`;
}

const KEY_TITLES: Record<UsageGrouping, string> = {
  daily: "Day",
  session: "Session",
  project: "Project",
  model: "Model",
};

function usageTable(context: Context, report: UsageReport): string[] {
  const { out } = context;
  const most = Math.max(...report.rows.map(({ cost }) => cost));
  const measure = most > 0 ? ({ cost }: Sums) => cost : ({ totalTokens }: Sums) => totalTokens;
  const mostMeasured = Math.max(...report.rows.map(measure));
  const ids = report.by === "session" && out.isTerminal ? shortIds(report.rows.map((row) => row.key)) : [];
  const rows = report.rows.map((row, index) => [
    ...keyCells(context, report.by, { ...row, key: ids[index] ?? row.key }),
    ...sumCells(context, row),
    ...(out.isTerminal ? [formatBar(measure(row), mostMeasured, barWidth(out.width))] : []),
  ]);
  const keys = keyColumns(report.by);
  const totals = ["Total", ...keys.slice(1).map(() => ""), ...sumCells(context, report.totals)];
  const columns = [...keys, ...sumColumns(context)];
  return formatTable(columns, rows, { width: out.width, paintTitle: out.paint.dim, totals });
}

function keyColumns(by: UsageGrouping): Column[] {
  const title = KEY_TITLES[by];
  if (by === "daily") return [{ title }];
  if (by === "session") return [{ title }, { title: "Title", shrinkTo: 16 }];
  return [{ title, shrinkTo: 16, cut: by === "project" ? "path" : "end" }];
}

function keyCells({ out, world }: Context, by: UsageGrouping, row: UsageRow): string[] {
  if (by === "daily") return [out.isTerminal ? `${row.key} ${row.label ?? weekdayOf(row.key)}` : row.key];
  if (by === "session") return [row.key, row.label ?? ""];
  if (by === "project" && out.isTerminal) return [tildePath(row.key, world.home)];
  return [row.key];
}

function sumColumns({ out }: Context): Column[] {
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
    ...(out.isTerminal ? [{ title: "", expendable: 2, paint: green }] : []),
  ];
}

/** Short numbers on a terminal, exact ones elsewhere. */
function sumCells({ out }: Context, sums: Sums): string[] {
  const tokens = out.isTerminal ? formatCompact : formatCount;
  const { requests, input, output, cacheRead, cacheWrite, totalTokens, cost } = sums;
  return [
    formatCount(requests),
    ...[input, output, cacheRead, cacheWrite, totalTokens].map(tokens),
    formatMoney(cost),
  ];
}

import { SessionDbError } from "../../errors.ts";
import type { Filter } from "../../filters/filter.ts";
import type { Unmatched } from "../../reports/unmatched.ts";
import {
  USAGE_GROUPINGS,
  USAGE_PERIODS,
  USAGE_SORT_KEYS,
  type UsageGrouping,
  type UsageOptions,
  type UsageReport,
} from "../../reports/usage/usage-shapes.ts";
import { plural } from "../../text/numbers.ts";
import { toSafeJson } from "../../text/safe-json.ts";
import { WEEKDAYS, type Weekday } from "../../time/calendar.ts";
import { type Args, choiceOf, countOf, isSet, sortOf, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions, filterWorldOf } from "../command-line/filter-options.ts";
import { type Explained, explained, noteUnmatched, printNothing } from "../output/empty-answer.ts";
import { printDocument } from "../output/json-output.ts";
import { delimited, ROW_OPTIONS, rowFormatOf } from "../output/rows.ts";
import type { BelowTable } from "../usage/below-table.ts";
import { DEFAULT_PERIODS, defaultStart } from "../usage/usage-period.ts";
import { ANSWERS_BESIDE, groupingOf, USAGE_WORDS } from "../usage/usage-words.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

/** On the command line the sum of all tokens is called `tokens` everywhere. */
const SORT_KEYS = USAGE_SORT_KEYS.map((key) => (key === "totalTokens" ? "tokens" : key));

export const usage: Command = {
  pages: true,
  completes: USAGE_WORDS,
  positionals: { by: `${USAGE_GROUPINGS.join(", ")}, or ${ANSWERS_BESIDE.join(", ")} [default: daily]` },
  options: {
    all: { describe: `Everything, not only ${DEFAULT_PERIODS}` },
    breakdown: { describe: "Split each row by model, too" },
    own: { describe: "By session: each for itself, without its sub-agents" },
    "week-start": {
      value: "DAY",
      completes: WEEKDAYS,
      describe: "First day of the week [default: as configured, else monday]",
    },
    limit: { value: "N", alias: "n", describe: "Most rows, of periods the newest, 0 = all [default: 0]" },
    sort: { value: "KEY", completes: SORT_KEYS, describe: `${SORT_KEYS.join(", ")}; :asc or :desc after it` },
    ...ROW_OPTIONS,
    estimate: {
      describe: "Also what requests without a cost would have cost, by the price list of the installed pi",
    },
    compat: {
      value: "PROGRAM",
      completes: ["ccusage"],
      describe: "ccusage: JSON in the shape of ccusage pi daily, monthly or session",
    },
    otlp: {
      value: "FILE",
      completes: "files",
      describe: "Write each request as an OpenTelemetry span, for other dashboards; - is standard output",
    },
    check: { describe: "Check budgets: a line for each limit; exit code 3 if one warns, 4 if one is over" },
    ...filterOptions(),
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 usage", "the last 30 days, day by day"],
    ["$0 usage project --all", "what each project has cost, most expensive first"],
    ["$0 usage monthly --breakdown", "month by month, each by model"],
    ["$0 usage source", "turns, tools, compaction, summaries, cache warming"],
    ["$0 usage agent --all", "what each sub-agent has cost"],
    ["$0 usage branch --all", "what was spent on abandoned branches"],
    ["$0 usage provider --all --estimate", "what subscriptions would have cost as APIs"],
    ["$0 usage waste", "what was spent in vain, and the sessions to look at"],
    ["$0 usage statusline", "one line for a prompt or a status bar"],
    ["$0 usage --otlp spans.jsonl --all", "requests for the dashboards that you have"],
    ["$0 usage --check", "whether the budgets hold, for hooks and cron"],
  ],
  async run(context, args) {
    if (isSet(args, "check")) return (await import("../usage/budget-check.ts")).checkBudgets(context, args);
    const word = textOf(args, "by") ?? "daily";
    if (word === "statusline")
      return (await import("../usage/status-line.ts")).printStatusLine(context, args);
    if (word === "waste" || textOf(args, "otlp") !== undefined) return answerBeside(context, args);
    const by = groupingOf(word);
    const print = await printerOf(context, args, by);
    const options = optionsOf(context, args, by);
    if (isSet(args, "estimate"))
      options.prices = await (await import("../usage/price-list.ts")).pricesFor(context, args);
    const { found, ...about } = await report(context, args, options);
    const { shownOf } = await import("../../reports/usage/usage-report.ts");
    // Cut here and not by the query, to know whether to say that there are more.
    const rows = shownOf(found.rows, { ...options, limit: countOf(args, "limit") ?? 0 });
    await print({ ...found, rows }, { ...about, hasMore: found.rows.length > rows.length });
    return ExitCode.done;
  },
};

/** A report, and what stands below its table: budgets, and the pace. */
async function report(
  context: Context,
  args: Args,
  options: UsageOptions,
): Promise<Explained<UsageReport> & { below?: BelowTable }> {
  const { sumUsage } = await import("../../reports/usage/usage-report.ts");
  const isTable = rowFormatOf(context, args) === "table" && textOf(args, "compat") === undefined;
  return withIndex(context, args, { search: false }, async (index) => {
    const found = sumUsage(index, options);
    const isEmpty = found.rows.length === 0;
    const answer = await explained(index, { filter: {}, ...options }, { found, isEmpty });
    if (!isTable || isEmpty) return answer;
    const { belowTable } = await import("../usage/below-table.ts");
    return { ...answer, below: await belowTable(context, index, options) };
  });
}

function optionsOf(context: Context, args: Args, by: UsageGrouping): UsageOptions {
  const weekStart = choiceOf(args, "week-start", WEEKDAYS) ?? context.config.weekStart;
  const filter = filterOf(context, args, by, weekStart);
  const sort = sortOf(args, SORT_KEYS);
  const isCompat = textOf(args, "compat") !== undefined;
  return {
    by,
    weekStart,
    timezone: context.config.timezone,
    filter,
    roots: context.config.roots,
    breakdown: isSet(args, "breakdown") || isCompat,
    times: isCompat && by === "session",
    // ccusage has a row for each file.
    own: isCompat || isSet(args, "own"),
    // ccusage ignores requests without tokens, even where they state a cost.
    withTokens: isCompat,
    ...(!context.json && { trend: trendSlices(context, by) }),
    ...(sort && { sort: { ...sort, key: sort.key === "tokens" ? "totalTokens" : sort.key } }),
  };
}

/** In columns: terminals from this width on have room for a trend in each row. */
const WIDE = 100;
const SLICES = 16;

/** How many slices of time the trend of each row has; rows that are periods have a bar only. */
function trendSlices({ out }: Context, by: UsageGrouping): number {
  return !isByPeriod(by) && (out.width ?? 0) >= WIDE ? SLICES : 1;
}

/** Whether the rows of a report are periods. */
function isByPeriod(by: UsageGrouping): boolean {
  return USAGE_PERIODS.some((period) => period === by);
}

function filterOf(context: Context, args: Args, by: UsageGrouping, weekStart: Weekday): Filter {
  const world = filterWorldOf(context);
  const filter = filterFrom(args, world);
  const isOpen = filter.since === undefined && filter.until === undefined;
  if (isSet(args, "all") && !isOpen) {
    throw new SessionDbError("usage", "--all cannot be used with --since or --until", {
      hint: "Leave one out.",
    });
  }
  // Scripts written for ccusage get by default what it gives: everything.
  if (isSet(args, "all") || !isOpen || textOf(args, "compat") !== undefined) return filter;
  return { ...filter, since: defaultStart(by, weekStart, world) };
}

/** The printer for the options. @throws SessionDbError `usage` for formats that exclude each other */
async function printerOf(context: Context, args: Args, by: UsageGrouping): Promise<Printer> {
  const { out } = context;
  const format = rowFormatOf(context, args);
  const compat = choiceOf(args, "compat", ["ccusage"]);
  if (compat !== undefined) {
    if (format !== "json" && isSet(args, format)) {
      const hint = "Leave one out.";
      throw new SessionDbError("usage", `--${format} and --compat cannot be used together`, { hint });
    }
    const { ccusageDocument, ccusageNames } = await import("../usage/ccusage.ts");
    ccusageNames(by);
    return programPrinter(context, (report) => out.print(toSafeJson(ccusageDocument(report), 2)));
  }
  switch (format) {
    case "json":
      return programPrinter(context, (report) => printDocument(out, report));
    case "ndjson":
      return programPrinter(context, ({ rows }) => out.print(rows.map((row) => toSafeJson(row))));
    case "table":
      return await tablePrinter(context);
    default: {
      const { usageValues } = await import("../usage/usage-values.ts");
      const print = (report: UsageReport): void => {
        const { names, rows } = usageValues(report, { breakdown: isSet(args, "breakdown") });
        out.print(delimited(names, rows, { format, hasHeader: !isSet(args, "no-header") }));
      };
      // Nobody has asked for a format in a pipe: who reads it may be a person.
      return isSet(args, format) ? programPrinter(context, print) : await notingPrinter(context, print);
    }
  }
}

/** Prints a report, and says why it is empty and, to people, whether rows are left out. */
type Printer = (
  report: UsageReport,
  about: { unmatched: readonly Unmatched[]; below?: BelowTable; hasMore: boolean },
) => void | Promise<void>;

async function tablePrinter(context: Context): Promise<Printer> {
  const { usageTable } = await import("../usage/usage-table.ts");
  return notingPrinter(context, (report, below) =>
    context.out.print([...usageTable(context, report), ...(below?.bars ?? [])]),
  );
}

/** A printer that also says what the numbers cover. */
async function notingPrinter(
  context: Context,
  print: (report: UsageReport, below: BelowTable | undefined) => void,
): Promise<Printer> {
  const { talk } = context;
  const { nothingUsed, usageNotes } = await import("../usage/usage-notes.ts");
  return async (report, { unmatched, below, hasMore }) => {
    if (report.rows.length === 0) {
      await printNothing(context, nothingUsed(report), unmatched);
      return;
    }
    print(report, below);
    const shown = plural(report.rows.length, "row");
    if (hasMore) talk.say(`Showing ${shown}; the total covers all.`, talk.paint.dim);
    for (const note of [...usageNotes(report), ...(below?.notes ?? [])]) talk.say(note, talk.paint.dim);
  };
}

/** A printer of what a program reads. */
function programPrinter(context: Context, print: (report: UsageReport) => void): Printer {
  return (report, { unmatched }) => {
    noteUnmatched(context, unmatched);
    print(report);
  };
}

/** Answers that take filters, and are no report by groups. */
async function answerBeside(context: Context, args: Args): Promise<number> {
  const filter = filterOf(context, args, "daily", context.config.weekStart);
  if (textOf(args, "otlp") === undefined)
    return (await import("../usage/waste.ts")).printWaste(context, args, filter);
  return (await import("../usage/write-otlp.ts")).writeOtlp(context, args, filter);
}

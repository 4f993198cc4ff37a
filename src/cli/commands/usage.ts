import type { Filter } from "../../filters/filter.ts";
import {
  USAGE_GROUPINGS,
  type UsageGrouping,
  type UsageOptions,
  type UsageReport,
} from "../../reports/usage/usage-shapes.ts";
import { WEEKDAYS } from "../../time/calendar.ts";
import { type Args, isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions } from "../command-line/filter-options.ts";
import { type Explained, explained } from "../output/empty-answer.ts";
import { ROW_OPTIONS, rowFormatOf } from "../output/rows.ts";
import { AUTHOR_OPTION, refuseAuthor, TEAM_OPTION } from "../team/team-options.ts";
import type { BelowTable } from "../usage/below-table.ts";
import { inReportTime, pricesFor, SORT_KEYS, shownOptions } from "../usage/usage-options.ts";
import { DEFAULT_PERIODS } from "../usage/usage-period.ts";
import { printerOf, printReport } from "../usage/usage-printer.ts";
import { ANSWERS_BESIDE, groupingOf, USAGE_WORDS } from "../usage/usage-words.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

export const usage: Command = {
  pages: true,
  completes: [...USAGE_WORDS, "author"],
  positionals: {
    by: `${USAGE_GROUPINGS.join(", ")}, or ${ANSWERS_BESIDE.join(", ")}; with --team also author [default: daily]`,
  },
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
    ...TEAM_OPTION,
    ...filterOptions(),
    ...AUTHOR_OPTION,
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
    ["$0 usage author --team", "what each person of the team has spent"],
    ["$0 usage --check", "whether the budgets hold, for hooks and cron"],
  ],
  async run(context, args) {
    if (isSet(args, "check")) return (await import("../usage/budget-check.ts")).checkBudgets(context, args);
    if (isSet(args, "team")) return (await import("../team/ask-usage.ts")).showTeamUsage(context, args);
    refuseAuthor(args, "usage");
    const word = textOf(args, "by") ?? "daily";
    if (word === "statusline")
      return (await import("../usage/status-line.ts")).printStatusLine(context, args);
    if (word === "waste" || textOf(args, "otlp") !== undefined) return answerBeside(context, args);
    const by = groupingOf(word);
    const print = await printerOf(context, args, by);
    const options = optionsOf(context, args, by);
    if (isSet(args, "estimate")) options.prices = await pricesFor(context, args);
    await printReport(print, await report(context, args, options), { args, options });
    return ExitCode.done;
  },
};

function optionsOf(context: Context, args: Args, by: UsageGrouping): UsageOptions {
  const filter = filterOf(context, args, by);
  return { ...shownOptions(context, args, by), by, filter, roots: context.config.roots };
}

function filterOf(context: Context, args: Args, by: UsageGrouping): Filter {
  return inReportTime(context, args, by, filterFrom(context, args));
}

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

/** Answers that take filters, and are no report by groups. */
async function answerBeside(context: Context, args: Args): Promise<number> {
  const filter = filterOf(context, args, "daily");
  if (textOf(args, "otlp") === undefined)
    return (await import("../usage/waste.ts")).printWaste(context, args, filter);
  return (await import("../usage/write-otlp.ts")).writeOtlp(context, args, filter);
}

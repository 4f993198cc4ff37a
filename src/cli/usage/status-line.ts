import type { BudgetLimit, BudgetReport } from "../../reports/budgets/budget-shapes.ts";
import { addUp } from "../../reports/usage/figures.ts";
import { sumUsage } from "../../reports/usage/usage-report.ts";
import type { UsageReport, UsageRow } from "../../reports/usage/usage-shapes.ts";
import { formatCompact } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { addDays, dayOf } from "../../time/calendar.ts";
import { type Args, refuseOptions } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterWorldOf } from "../command-line/filter-options.ts";
import { printDocument } from "../output/json-output.ts";
import { ROW_OPTIONS } from "../output/rows.ts";
import { withIndex } from "../with-index.ts";
import { budgetsIn, limitSizes, WHEN } from "./budgets-in.ts";
import { type Cost, DAYS, formatCost, startOfDaysAgo } from "./usage-period.ts";

/** Options that the status line refuses: it always covers the same days, in one form. */
const NOT_OF_STATUS_LINE = [
  "all",
  "since",
  "until",
  "week-start",
  "breakdown",
  "estimate",
  "limit",
  "sort",
  ...Object.keys(ROW_OPTIONS),
  "compat",
  "otlp",
];

/** `usage statusline`: what today, the last 7 and the last 30 days cost, and which budgets warn. */
export async function printStatusLine(context: Context, args: Args): Promise<number> {
  refuseOptions(args, NOT_OF_STATUS_LINE, {
    of: "usage statusline",
    hint: "It always covers today, the last 7 and the last 30 days; use sessiondb usage daily instead.",
  });
  const { config, out } = context;
  const { timezone, roots } = config;
  const world = filterWorldOf(context);
  const filter = { ...filterFrom(context, args), since: startOfDaysAgo(DAYS, world) };
  const { daily, budgets } = await withIndex(context, args, { search: false }, async (index) => ({
    daily: sumUsage(index, { by: "daily", timezone, roots, filter }),
    budgets: await budgetsIn(index, context),
  }));
  const figures = statusLineFigures(daily, dayOf(world.now, timezone));
  if (context.json) printDocument(out, { timezone, ...figures, budgets: budgets.limits });
  else out.print(paintedBy(context, budgets)(statusLine(figures) + budgetsToSay(budgets)));
  return ExitCode.done;
}

/** Yellow while a budget warns, red once one is over. */
function paintedBy({ out }: Context, { state }: BudgetReport): (line: string) => string {
  if (state === "within") return String;
  return state === "over" ? out.paint.red : out.paint.yellow;
}

/** ` · work 92% of $200 this month`: what warns or is over. A budget's only limit needs no period. */
function budgetsToSay({ limits }: BudgetReport): string {
  const said = ({ name, period, ...sizes }: BudgetLimit): string => {
    const { share, limit } = limitSizes(sizes);
    const isOnly = limits.filter((each) => each.name === name).length === 1;
    return ` · ${oneLine(name)} ${share} of ${limit}${isOnly ? "" : ` ${WHEN[period]}`}`;
  };
  return limits
    .filter(({ state }) => state !== "within")
    .map(said)
    .join("");
}

/** What today, the last 7 and the last 30 days cost, from a report by day since 30 days ago; `today` is a date. */
export function statusLineFigures({ rows, totals, unpriced }: UsageReport, today: string) {
  const weekAgo = addDays(today, -7);
  return {
    today: together(rows.filter(({ key }) => key === today)),
    last7Days: together(rows.filter(({ key }) => key >= weekAgo)),
    last30Days: { ...totals, unpriced },
  };
}

function together(rows: readonly UsageRow[]) {
  return { ...addUp(rows), unpriced: rows.reduce((sum, { unpriced }) => sum + unpriced, 0) };
}

/** `$1.23 today (4.5M tokens) · $8.90 in 7 days · $30.12 in 30 days` */
export function statusLine({ today, last7Days, last30Days }: ReturnType<typeof statusLineFigures>): string {
  const spent = (figures: Cost): string =>
    figures.cost === 0 && figures.unpriced === 0 ? "$0" : formatCost(figures);
  const tokens = today.totalTokens === 0 ? "" : ` (${formatCompact(today.totalTokens)} tokens)`;
  return `${spent(today)} today${tokens} · ${spent(last7Days)} in 7 days · ${spent(last30Days)} in 30 days`;
}

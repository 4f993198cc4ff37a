import { SessionDbError } from "../../errors.ts";
import { tildePath } from "../../files/paths.ts";
import type { BudgetReport, BudgetState } from "../../reports/budgets/budget-shapes.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type Args, refuseOptions } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { filterOptions } from "../command-line/filter-options.ts";
import { printDocument } from "../output/json-output.ts";
import { ROW_OPTIONS } from "../output/rows.ts";
import { withIndex } from "../with-index.ts";
import { budgetLines } from "./budget-lines.ts";
import { budgetsIn, noBudgets } from "./budgets-in.ts";

/** Options that say what a report is about: what a budget is about stands in the configuration. */
const NOT_OF_CHECK = [
  ...["all", "breakdown", "estimate", "own", "week-start", "limit", "sort", "compat", "otlp"],
  ...Object.keys(ROW_OPTIONS),
  ...Object.keys(filterOptions()),
];

const EXIT_CODES: Record<BudgetState, number> = {
  within: ExitCode.done,
  warns: ExitCode.warns,
  over: ExitCode.over,
};

/** `usage --check`: a line for each limit, and the worst of them as the exit code. */
export async function checkBudgets(context: Context, args: Args): Promise<number> {
  const hint = "It is about the budgets as they are configured; leave it out.";
  refuseOptions(args, NOT_OF_CHECK, { of: "usage --check", hint });
  if (args.by !== undefined)
    throw new SessionDbError("usage", `usage --check takes no "${args.by}"`, { hint });
  const { timezone, budgets } = context.config;
  const report =
    budgets.length === 0
      ? noBudgets(timezone)
      : await withIndex(context, args, { search: false }, (index) => budgetsIn(index, context));
  if (context.json) printDocument(context.out, report);
  else context.out.print(budgetLines(context, report));
  noteBudgets(context, report);
  return EXIT_CODES[report.state];
}

/** What is to be known beside the lines. */
function noteBudgets(
  { config, world, talk, json }: Context,
  { limits, withoutSessions }: BudgetReport,
): void {
  if (config.budgets.length === 0 && !json) {
    const file = oneLine(tildePath(config.configPath, world.home));
    talk.say(`No budgets are set; one is set in ${file}: "budgets": [{ "name": "all", "month": 200 }].`);
  }
  for (const { name, project = "" } of config.budgets.filter(({ name }) => withoutSessions.includes(name)))
    talk.note(
      `there is no session of the budget "${oneLine(name)}" in ${oneLine(tildePath(project, world.home))}`,
    );
  const unpriced = Math.max(0, ...limits.map((limit) => limit.unpriced));
  if (unpriced > 0 && !json)
    talk.say(`Not priced, and so not counted: ${plural(unpriced, "request")}.`, talk.paint.dim);
}

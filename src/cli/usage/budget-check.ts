import { SessionDbError } from "../../errors.ts";
import { tildePath } from "../../files/paths.ts";
import type { BudgetReport, BudgetState } from "../../reports/budgets/budget-shapes.ts";
import type { Unmatched } from "../../reports/known-names.ts";
import type { Index } from "../../store/open.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { apiOf } from "../api-of.ts";
import { type Args, isSet, refuseOptions } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { filterOptions } from "../command-line/filter-options.ts";
import { noteUnmatched } from "../output/empty-answer.ts";
import { printDocument } from "../output/json-output.ts";
import { ROW_OPTIONS } from "../output/rows.ts";
import { withIndex } from "../with-index.ts";
import { budgetLines } from "./budget-lines.ts";
import { budgetsIn, noBudgets } from "./budgets-in.ts";

/** Options that say what a report is about: what a budget is about stands in the configuration. */
const NOT_OF_CHECK = [
  ...["author", "all", "breakdown", "estimate", "own", "week-start", "limit", "sort", "compat", "otlp"],
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
  if (isSet(args, "team")) return checkTeamBudgets(context);
  const { timezone, budgets } = context.config;
  const { report, unmatched } =
    budgets.length === 0
      ? { report: noBudgets(timezone), unmatched: [] }
      : await withIndex(context, args, { search: false }, async (index) => {
          const report = await budgetsIn(index, context);
          return { report, unmatched: await namesOfNothing(index, context, report) };
        });
  printBudgets(context, report);
  noteBudgets(context, report);
  noteUnmatched(context, unmatched);
  return EXIT_CODES[report.state];
}

function printBudgets(context: Context, report: BudgetReport): void {
  if (context.json) printDocument(context.out, report);
  else context.out.print(budgetLines(context, report));
}

/** A line for each limit of the team's budgets, by what all have pushed. */
async function checkTeamBudgets(context: Context): Promise<number> {
  const { team, timezone, weekStart } = context.config;
  const { budgets } = team;
  const [{ withTeam }, { readTeamBudgets }] = await Promise.all([
    import("../../api/team.ts"),
    import("../../team/ask/team-budgets.ts"),
  ]);
  const now = context.world.now();
  const report = await withTeam(apiOf(context), (client) =>
    readTeamBudgets(client, { budgets, timezone, weekStart, now }),
  );
  printBudgets(context, report);
  if (budgets.length === 0 && !context.json)
    context.talk.say(
      'The team has no budgets; one is set in the configuration: "team": { "budgets": [{ "name": "all", "month": 5000 }] }.',
    );
  return EXIT_CODES[report.state];
}

/** Models and providers that no request was of, as misspelt ones: their budgets would never warn. */
async function namesOfNothing(
  index: Index,
  { config: { budgets, roots } }: Context,
  { limits }: BudgetReport,
): Promise<Unmatched[]> {
  const used = new Set(limits.flatMap((each) => (each.spent > 0 || each.unpriced > 0 ? [each.name] : [])));
  const idle = budgets.filter(
    ({ name, model, provider }) => !used.has(name) && (model ?? provider) !== undefined,
  );
  if (idle.length === 0) return [];
  const { unmatchedIn } = await import("../../reports/known-names.ts");
  return idle.flatMap(({ model, provider }) =>
    unmatchedIn(index, {
      roots,
      filter: { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) },
    }),
  );
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

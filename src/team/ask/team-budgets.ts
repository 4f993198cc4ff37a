import type { Budget, BudgetOptions, BudgetReport } from "../../reports/budgets/budget-shapes.ts";
import { budgetFilter, budgetReport, firstDayOf } from "../../reports/budgets/read-budgets.ts";
import type { Spending } from "../../reports/budgets/spending.ts";
import { DAY_MS } from "../../time/zone.ts";
import type { TeamClient } from "../connect.ts";
import type { TeamFilter } from "./team-filter.ts";
import { sumTeamUsage } from "./team-sums.ts";

/** A budget of a team: `project` is a part of a name. */
interface TeamBudget extends Budget {
  /** The name of a person. */
  author?: string;
}

type TeamBudgetOptions = Omit<BudgetOptions, "budgets" | "roots" | "withPace"> & {
  budgets: readonly TeamBudget[];
};

/** What has been spent of each limit, by all that the connection may see. @throws SessionDbError as `teamError` */
export async function readTeamBudgets(client: TeamClient, options: TeamBudgetOptions): Promise<BudgetReport> {
  const spendings: Spending[] = [];
  for (const budget of options.budgets) spendings.push(await spendingOf(client, budget, options));
  return budgetReport(options, spendings);
}

async function spendingOf(
  client: TeamClient,
  budget: TeamBudget,
  options: TeamBudgetOptions,
): Promise<Spending> {
  const { author } = budget;
  const first = firstDayOf({ ...options, budgets: [budget] });
  const filter: TeamFilter = {
    ...budgetFilter(budget),
    ...(author !== undefined && { author }),
    // A day more, whatever the zone: which day it was is decided by the report.
    ...(first > 0 && { since: (first - 1) * DAY_MS }),
  };
  const { timezone } = options;
  const { rows } = await sumTeamUsage(client, { by: "daily", timezone, filter });
  return new Map(
    rows.map(({ key, cost, unpriced }) => [Date.parse(key) / DAY_MS, { cost, before: cost, unpriced }]),
  );
}

import type {
  BudgetLimit,
  BudgetOptions,
  BudgetPeriod,
  BudgetReport,
} from "../../reports/budgets/budget-shapes.ts";
import type { Index } from "../../store/open.ts";
import { formatMoney } from "../../text/numbers.ts";
import type { Context } from "../command-line/command.ts";

/** In words, beside a limit. */
export const WHEN: Record<BudgetPeriod, string> = {
  day: "today",
  week: "this week",
  month: "this month",
  total: "in all",
};

export function noBudgets(timezone: string): BudgetReport {
  return { timezone, state: "within", limits: [], withoutSessions: [] };
}

/** What was spent of the configured budgets. Where there are none, nothing is loaded or asked for them. */
export async function budgetsIn(
  index: Index,
  { config, world }: Context,
  options: Pick<BudgetOptions, "withPace"> = {},
): Promise<BudgetReport> {
  const { budgets, timezone, weekStart, roots } = config;
  if (budgets.length === 0) return noBudgets(timezone);
  const { readBudgets } = await import("../../reports/budgets/read-budgets.ts");
  return readBudgets(index, { ...options, budgets, timezone, weekStart, roots, now: world.now() });
}

/** What binary fractions of dollars may be off by, in percent: $0.29 of $1 is a little less than 29%. */
const LEAST_PERCENT = 1e-9;

/** `$183.20`, `$200`, and `92%`: never 100% unless the whole limit was spent, and above it once it is over. */
export function limitSizes({
  spent,
  unpriced,
  limit,
  state,
}: Pick<BudgetLimit, "spent" | "unpriced" | "limit" | "state">) {
  const percent = (spent / limit) * 100;
  return {
    spent: spent > 0 ? formatMoney(spent) : unpriced > 0 ? "not priced" : "$0",
    // Cents would hide a limit that is less than one.
    limit: limit < 0.01 ? `$${limit}` : formatMoney(limit).replace(/\.00$/, ""),
    share: `${state === "over" ? Math.max(101, Math.ceil(percent - LEAST_PERCENT)) : Math.floor(percent + LEAST_PERCENT)}%`,
  };
}

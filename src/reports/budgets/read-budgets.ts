import type { Filter } from "../../filters/filter.ts";
import { isOfProject } from "../../filters/where.ts";
import type { Index } from "../../store/open.ts";
import { inOneState } from "../../store/statements.ts";
import { dateOf, dayAt, minutesOfDay } from "../../time/calendar.ts";
import { isThere } from "../known-names.ts";
import {
  BUDGET_PERIODS,
  BUDGET_STATES,
  type Budget,
  type BudgetLimit,
  type BudgetOptions,
  type BudgetPeriod,
  type BudgetReport,
  type BudgetState,
} from "./budget-shapes.ts";
import { firstDayForPace, paceIn } from "./pace.ts";
import { ALL_DAYS, type Days, daysOf, type Today } from "./periods.ts";
import { findSpending, type Spending } from "./spending.ts";

/** From which part of a limit on a budget warns that does not say so itself. */
const WARNS_FROM = 0.8;

/**
 * What has been spent of each limit of each budget in the present period; forks' copies left out, sub-agents with their
 * parents, as in reports of usage.
 *
 * @throws SQLite's errors
 */
export function readBudgets(index: Index, options: BudgetOptions): BudgetReport {
  return inOneState(index.database, () => read(index, options));
}

function read(index: Index, options: BudgetOptions): BudgetReport {
  const { budgets, timezone, now, roots } = options;
  if (budgets.length === 0) return budgetReport(options, []);
  const spendings = findSpending(index, budgets.map(budgetFilter), {
    ...{ timezone, roots, until: minutesOfDay(now, timezone) },
    firstDay: firstDayOf(options),
  });
  const isUnknown = ({ project }: Budget, at: number) =>
    spendings[at]?.size === 0 &&
    project !== undefined &&
    !isThere(index.database, isOfProject(project), roots);
  return {
    ...budgetReport(options, spendings),
    withoutSessions: budgets.filter(isUnknown).map(({ name }) => name),
  };
}

/** The first day that has to be looked at for any of the budgets, counted from 1970-01-01. */
export function firstDayOf({
  budgets,
  timezone,
  weekStart = "monday",
  now,
  withPace = false,
}: BudgetOptions): number {
  const when = { today: dayAt(now, timezone), weekStart };
  return Math.min(...budgets.flatMap(periodsOf).map((period) => firstDayFor(period, when, withPace)));
}

/** The limits of budgets, of each of which is known what was spent. */
export function budgetReport(
  { budgets, timezone, weekStart = "monday", now, withPace = false }: BudgetOptions,
  spendings: readonly Spending[],
): BudgetReport {
  const when = { today: dayAt(now, timezone), weekStart };
  const limits = budgets.flatMap((budget, at) =>
    periodsOf(budget).map((period) => {
      const spending: Spending = spendings[at] ?? new Map();
      const limit = limitOf(budget, period, daysOf(period, when.today, weekStart), spending);
      return withPace ? { ...limit, pace: paceIn(spending, period, when) } : limit;
    }),
  );
  const state = BUDGET_STATES.find((each) => limits.some((limit) => limit.state === each)) ?? "within";
  return { timezone, state, limits, withoutSessions: [] };
}

/** The first day that has to be looked at. */
function firstDayFor(period: BudgetPeriod, when: Today, withPace: boolean): number {
  if (withPace) return firstDayForPace(period, when);
  return daysOf(period, when.today, when.weekStart)?.first ?? ALL_DAYS;
}

function periodsOf(budget: Budget): BudgetPeriod[] {
  return BUDGET_PERIODS.filter((period) => budget[period] !== undefined);
}

/** What a budget is about. */
export function budgetFilter({ project, model, provider }: Budget): Filter {
  return {
    ...(project !== undefined && { project }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
  };
}

function limitOf(budget: Budget, period: BudgetPeriod, days: Days | null, spending: Spending): BudgetLimit {
  const { name, warn = WARNS_FROM } = budget;
  const limit = budget[period] ?? 0;
  const warnAt = warn * limit;
  let [spent, unpriced] = [0, 0];
  for (const [day, found] of spending) {
    if (days !== null && (day < days.first || day >= days.end)) continue;
    spent += found.cost;
    unpriced += found.unpriced;
  }
  return {
    name,
    ...budgetFilter(budget),
    period,
    since: days === null ? null : dateOf(days.first),
    until: days === null ? null : dateOf(days.end - 1),
    ...{ limit, warnAt, spent, unpriced },
    state: stateOf(spent, limit, warnAt),
  };
}

/** Dollars are added as binary fractions: ten times $0.10 is a little less than a dollar, or a little more. */
const LEAST_DOLLARS = 1e-9;

function stateOf(spent: number, limit: number, warnAt: number): BudgetState {
  if (spent - limit > LEAST_DOLLARS) return "over";
  return spent - warnAt > -LEAST_DOLLARS ? "warns" : "within";
}

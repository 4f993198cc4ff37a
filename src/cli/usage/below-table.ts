import type { BudgetLimit, Pace } from "../../reports/budgets/budget-shapes.ts";
import { isOverTime, type UsageOptions } from "../../reports/usage/usage-shapes.ts";
import type { Index } from "../../store/open.ts";
import { formatCount, formatMoney } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import type { Context } from "../command-line/command.ts";
import { budgetLines } from "./budget-lines.ts";
import { budgetsIn, WHEN } from "./budgets-in.ts";

/** What stands below a table of usage: bars, and sentences about the pace. */
export interface BelowTable {
  bars: string[];
  notes: string[];
}

/**
 * Each limit with a bar and its pace; where no budgets are set, the pace of the present month below a report over time that
 * reaches until now.
 */
export async function belowTable(context: Context, index: Index, asked: UsageOptions): Promise<BelowTable> {
  const isOfBudgets = context.config.budgets.length > 0;
  const report = isOfBudgets ? await budgetsIn(index, context, { withPace: true }) : undefined;
  const paces = report?.limits.flatMap(paceOfLimit) ?? (await paceOfMonth(context, index, asked));
  const notes = paces.flatMap(({ what, pace, named }) => paceSentence(what, pace, named));
  return {
    bars: report === undefined ? [] : ["", ...budgetLines(context, report)],
    notes: paces.some(({ pace }) => pace.forecast !== null) ? [...notes, HOW] : notes,
  };
}

/** What a sentence is about, and what the periods before are called. */
interface NamedPace {
  what: string;
  pace: Pace;
  named: string;
}

const HOW =
  "Likely: in 4 of 5 cases, by what each weekday of the last 8 weeks has cost and how much that has varied.";

function paceOfLimit({ name, period, pace }: BudgetLimit): NamedPace[] {
  return pace ? [{ what: `${oneLine(name)} ${WHEN[period]}`, pace, named: `${period}s` }] : [];
}

async function paceOfMonth(
  { config, world }: Context,
  index: Index,
  asked: UsageOptions,
): Promise<NamedPace[]> {
  const { since: _since, until, ...about } = asked.filter ?? {};
  const { project: _project, model: _model, provider: _provider, ...others } = about;
  if (!isOverTime(asked.by) || until !== undefined || Object.keys(others).length > 0) return [];
  const { readBudgets } = await import("../../reports/budgets/read-budgets.ts");
  const unlimited = { ...about, name: "", month: Number.POSITIVE_INFINITY };
  const { timezone, roots } = config;
  const options = { budgets: [unlimited], timezone, roots, now: world.now(), withPace: true };
  const { spent = 0, pace } = readBudgets(index, options).limits[0] ?? {};
  return spent === 0 || !pace ? [] : [{ what: `${formatMoney(spent)} this month`, pace, named: "months" }];
}

/** `$183.20 this month: by now $142.00 on average (last 4 months), at its end likely $190 to $260.` */
function paceSentence(what: string, { usual, periods, forecast }: Pace, named: string): string[] {
  const last = periods === 1 ? named.slice(0, -1) : `${periods} ${named}`;
  const facts = [
    ...(usual === null
      ? []
      : [`by now ${usual === 0 ? "$0" : formatMoney(usual)} on average (last ${last})`]),
    ...(forecast === null ? [] : [`at its end likely ${range(forecast)}`]),
  ];
  return facts.length === 0 ? [] : [`${what}: ${facts.join(", ")}.`];
}

function range({ low, high }: { low: number; high: number }): string {
  const [from, to] = [roughly(low), roughly(high)];
  return from === to ? from : `${from} to ${to}`;
}

/** Cents would promise what nobody knows. */
function roughly(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 10 ? formatMoney(dollars) : `$${formatCount(dollars)}`;
}

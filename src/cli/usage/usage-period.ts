import type { ReportGrouping, UsageFigures } from "../../reports/usage/usage-shapes.ts";
import { formatMoney } from "../../text/numbers.ts";
import { dayAt, monthOf, startOfDay, type Weekday, weekOf } from "../../time/calendar.ts";
import type { PeriodContext } from "../../time/period.ts";

export const DAYS = 30;
const WEEKS = 12;
const MONTHS = 12;

/** The default periods of reports, in words. */
export const DEFAULT_PERIODS = `the last ${DAYS} days; by hour since yesterday, by week ${WEEKS} weeks, by month ${MONTHS} months`;

/**
 * The default start of a report, which covers whole days, weeks or months, today's included: by day that of
 * `--since 30d`, by hour that of `--since 1d`. Unix ms.
 */
export function defaultStart(
  by: ReportGrouping,
  weekStart: Weekday,
  { now, timezone }: PeriodContext,
): number {
  const today = dayAt(now, timezone);
  return startOfDay(firstDay(by, weekStart, today), timezone);
}

/** Where the last so many days begin, as with `--since 30d`: at the first moment of the day so many days ago. Unix ms. */
export function startOfDaysAgo(days: number, { now, timezone }: PeriodContext): number {
  return startOfDay(dayAt(now, timezone) - days, timezone);
}

function firstDay(by: ReportGrouping, weekStart: Weekday, today: number): number {
  if (by === "hourly") return today - 1;
  if (by === "weekly") return weekOf(today, weekStart) - 7 * (WEEKS - 1);
  return by === "monthly" ? monthOf(today, MONTHS - 1) : today - DAYS;
}

export type Cost = Pick<UsageFigures, "cost" | "unpriced">;

/** What requests cost. Those with tokens but without a cost were not free: their price is not known. */
export function formatCost({ cost, unpriced }: Cost, decimals?: number): string {
  return cost === 0 && unpriced > 0 ? "not priced" : formatMoney(cost, decimals);
}

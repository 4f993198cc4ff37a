import type { Weekday } from "../../query/calendar.ts";
import type { UsageGrouping } from "../../query/results.ts";
import type { Calendar } from "../../query/span.ts";

const DAYS = 30;
const WEEKS = 12;
const MONTHS = 12;

/** What a report is about unless told, in words. */
export const DEFAULT_PERIODS = `the last ${DAYS} days; by hour 2 days, by week ${WEEKS} weeks, by month ${MONTHS} months`;

const ISO_WEEKDAYS: Record<Weekday, number> = {
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
  sunday: 7,
};

/** The moment a report begins with unless told: of whole days, weeks or months, today's included. */
export async function defaultStart(
  by: UsageGrouping,
  weekStart: Weekday,
  calendar: Calendar,
): Promise<number> {
  const { lastDays, startOfMonth, startOfWeek } = await import("../dates.ts");
  if (by === "hourly") return lastDays(2, calendar).start;
  if (by === "weekly") return startOfWeek(WEEKS - 1, ISO_WEEKDAYS[weekStart], calendar);
  return by === "monthly" ? startOfMonth(MONTHS - 1, calendar) : lastDays(DAYS, calendar).start;
}

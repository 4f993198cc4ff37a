import { monthOf, type Weekday, weekOf } from "../../time/calendar.ts";
import type { BudgetPeriod } from "./budget-shapes.ts";

/** Whole days of a calendar, counted from 1970-01-01, without `end`. */
export interface Days {
  first: number;
  end: number;
}

/** The first day of everything. */
export const ALL_DAYS = Number.NEGATIVE_INFINITY;

/** Which periods are the present ones. */
export interface Today {
  /** Counted from 1970-01-01. */
  today: number;
  weekStart: Weekday;
}

/** The period that a day lies in; null for all time. */
export function daysOf(period: BudgetPeriod, day: number, weekStart: Weekday): Days | null {
  switch (period) {
    case "day":
      return { first: day, end: day + 1 };
    case "week": {
      const first = weekOf(day, weekStart);
      return { first, end: first + 7 };
    }
    case "month":
      return { first: monthOf(day, 0), end: monthOf(day, -1) };
    case "total":
      return null;
  }
}

/** So many periods before one, the last first. */
export function periodsBefore(
  period: BudgetPeriod,
  { first }: Days,
  { weekStart, count }: { weekStart: Weekday; count: number },
): Days[] {
  const before: Days[] = [];
  for (let day = first - 1; before.length < count; ) {
    const days = daysOf(period, day, weekStart);
    if (days === null) return [];
    before.push(days);
    day = days.first - 1;
  }
  return before;
}

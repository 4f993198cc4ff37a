import { type Calendar, dateOf, daySpan, type Span, startOf } from "../query/span.ts";

/** The first moment of the week of `calendar.now`, or of the one so many weeks before. `weekStart`: 1 is Monday. */
export function startOfWeek(weeksAgo: number, weekStart: number, calendar: Calendar): number {
  const today = dateOf(calendar.now, calendar.timezone);
  const first = today.subtract({ days: ((today.dayOfWeek - weekStart + 7) % 7) + 7 * weeksAgo });
  return startOf(first, calendar.timezone);
}

/** The first moment of this month, or of the one so many months before. */
export function startOfMonth(monthsAgo: number, calendar: Calendar): number {
  const first = dateOf(calendar.now, calendar.timezone).with({ day: 1 }).subtract({ months: monthsAgo });
  return startOf(first, calendar.timezone);
}

/** The days of the report from `start` on, today included. */
export function lastDays(count: number, calendar: Calendar): Span {
  const today = dateOf(calendar.now, calendar.timezone);
  const first = daySpan(today.subtract({ days: count - 1 }), calendar.timezone);
  return { start: first.start, end: daySpan(today, calendar.timezone).end };
}

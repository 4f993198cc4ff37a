import { clockTimeOf, dayOf } from "../../query/calendar.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `2026-11-03 14:05` in a zone. */
export function formatMoment(time: number, timezone: string): string {
  return `${dayOf(time, timezone)} ${clockTimeOf(time, timezone)}`;
}

/** `now`, `5 min ago`, `3 h ago`, `yesterday`, `4 days ago`, then the date; the day changes at midnight of the zone. */
export function formatWhen(time: number, now: number, timezone: string): string {
  const age = now - time;
  if (age < -MINUTE) return dayOf(time, timezone);
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  const days = daysBetween(dayOf(time, timezone), dayOf(now, timezone));
  if (days === 0 || age < 6 * HOUR) return `${Math.floor(age / HOUR)} h ago`;
  if (days === 1) return "yesterday";
  if (days < 7) return `${days} days ago`;
  return dayOf(time, timezone);
}

/** Whole days from one date to the other. */
function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}

/** The date so many days after (or, negative, before) `date`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** `Tue`. */
export function weekdayOf(date: string): string {
  return WEEKDAYS[new Date(date).getUTCDay()] ?? "";
}

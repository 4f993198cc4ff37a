/** Days, weeks, months and hours of a time zone, and how people are shown them. */
import { DAY_MS, MINUTE_MS, minutesAt, nearestInstant, offsetsBetween } from "./zone.ts";

const HOUR_MS = 60 * MINUTE_MS;

export const WEEKDAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Times in the index, in Unix ms, are within what `Date` can hold. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : toIso(ms);
}

/** The calendar day of a zone that an instant lies in, counted from 1970-01-01. */
export function dayAt(ms: number, timezone: string): number {
  return Math.floor((ms + minutesAt(ms, timezone) * MINUTE_MS) / DAY_MS);
}

/** The first moment of a day of a zone, in Unix ms: midnight, or where the clock skips midnight what comes then. */
export function startOfDay(day: number, timezone: string): number {
  const { moment, skippedAt } = findMoment(day * DAY_MS, timezone);
  return skippedAt ?? moment;
}

/**
 * When a zone's clock shows a local time, which is given as the Unix ms at which UTC shows it. The first time, if it
 * does so twice; if it skips it, when it would have shown it without the change. Unix ms.
 */
export function momentOf(local: number, timezone: string): number {
  return findMoment(local, timezone).moment;
}

/** `skippedAt` is the change of the clock that skips the local time, if one does. */
function findMoment(local: number, timezone: string): { moment: number; skippedAt?: number } {
  let moment = Number.NaN;
  for (const { from, minutes } of offsetsBetween(local - DAY_MS, local + DAY_MS, timezone)) {
    // By the offset before; it is in force until the change.
    if (moment < from) break;
    const after = local - minutes * MINUTE_MS;
    if (after < from) return { moment, skippedAt: from };
    moment = after;
  }
  return { moment };
}

/** The date of a day counted from 1970-01-01: `2026-11-03`. */
export function dateOf(day: number): string {
  const iso = toIso(nearestInstant(day * DAY_MS));
  return iso.slice(0, iso.indexOf("T"));
}

/** The first day of the week that a day lies in. */
export function weekOf(day: number, weekStart: Weekday): number {
  // 1970-01-01 was a Thursday.
  return day - ((((day + 3 - WEEKDAYS.indexOf(weekStart)) % 7) + 7) % 7);
}

/** The first day of the month so many months before that of a day. */
export function monthOf(day: number, monthsAgo: number): number {
  const date = new Date(day * DAY_MS);
  // Not `Date.UTC`, for which the year 26 is 1926.
  return date.setUTCMonth(date.getUTCMonth() - monthsAgo, 1) / DAY_MS;
}

/** The day so many months before another; the last of its month where that has no such day. */
export function monthsBefore(day: number, months: number): number {
  const first = monthOf(day, months);
  return Math.min(first + (day - monthOf(day, 0)), monthOf(first, -1) - 1);
}

/** The calendar day of a zone: `2026-11-03`. */
export function dayOf(ms: number, timezone: string): string {
  return dateOf(dayAt(ms, timezone));
}

/** The hour of a zone with its offset, for an hour may come twice: `2026-11-03T14:00+01:00`. */
export function hourOf(ms: number, timezone: string): string {
  const minutes = minutesAt(ms, timezone);
  const size = Math.abs(minutes);
  const offset = `${minutes < 0 ? "-" : "+"}${hoursAndMinutes(size)}`;
  const hour = hoursAndMinutes(sinceMidnight(ms, minutes)).slice(0, 2);
  return `${dateOf(Math.floor((ms + minutes * MINUTE_MS) / DAY_MS))}T${hour}:00${offset}`;
}

/** What a zone's clock shows: `14:05`. */
export function clockTimeOf(ms: number, timezone: string): string {
  return hoursAndMinutes(sinceMidnight(ms, minutesAt(ms, timezone)));
}

/** How many minutes after midnight a zone's clock shows. */
export function minutesOfDay(ms: number, timezone: string): number {
  return sinceMidnight(ms, minutesAt(ms, timezone));
}

/** Whole minutes. */
function sinceMidnight(ms: number, offsetMinutes: number): number {
  const inDay = (ms + offsetMinutes * MINUTE_MS) % DAY_MS;
  return Math.floor(((inDay + DAY_MS) % DAY_MS) / MINUTE_MS);
}

function hoursAndMinutes(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** `2026-11-03 14:05` in a zone. */
export function formatMoment(time: number, timezone: string): string {
  return `${dayOf(time, timezone)} ${clockTimeOf(time, timezone)}`;
}

/**
 * From one time to another (ISO 8601), each as `told`, once where both are told alike. What ends before it begins has only
 * begun: the last words of a fork may be older than the fork.
 */
export function formatSpan(begin: string, end: string, told: (ms: number) => string): string {
  const begun = Date.parse(begin);
  return [...new Set([begun, Math.max(begun, Date.parse(end))].map(told))].join(" to ");
}

/** `now`, `5 min ago`, `3 h ago`, `yesterday`, `4 days ago`, then the date; the day changes at midnight of the zone. */
export function formatWhen(time: number, now: number, timezone: string): string {
  const age = now - time;
  if (age < -MINUTE_MS) return dayOf(time, timezone);
  if (age < MINUTE_MS) return "now";
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  const days = dayAt(now, timezone) - dayAt(time, timezone);
  if (days === 0 || age < 6 * HOUR_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  if (days === 1) return "yesterday";
  if (days < 7) return `${days} days ago`;
  return dayOf(time, timezone);
}

/** The day of a date such as `2026-11-03`, counted from 1970-01-01. */
function dayOfDate(date: string): number {
  return Math.floor(Date.parse(date) / DAY_MS);
}

/** The date so many days after (or, negative, before) `date`. */
export function addDays(date: string, days: number): string {
  return dateOf(dayOfDate(date) + days);
}

/** `Tue`. */
export function weekdayOf(date: string): string {
  const day = dayOfDate(date);
  const name = WEEKDAYS[day - weekOf(day, "monday")] ?? "";
  return name.slice(0, 1).toUpperCase() + name.slice(1, 3);
}

import { Temporal } from "temporal-polyfill";

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

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The instants from which on a zone has another offset from UTC; the first one holds from the beginning. */
export interface OffsetChange {
  /** Unix ms. */
  from: number;
  /** Minutes to be added to UTC. */
  minutes: number;
}

/** Nobody knows the clocks of later times. */
const LAST_KNOWN = Date.UTC(2100, 0);

/** How a zone's clock stands between two instants. */
export function offsetsBetween(first: number, last: number, timezone: string): OffsetChange[] {
  let time: Temporal.ZonedDateTime | null = zoned(first, timezone);
  const offsets: OffsetChange[] = [{ from: Number.NEGATIVE_INFINITY, minutes: minutesOf(time) }];
  const end = Math.min(last, LAST_KNOWN);
  for (time = time.getTimeZoneTransition("next"); time; time = time.getTimeZoneTransition("next")) {
    if (time.epochMilliseconds > end) break;
    offsets.push({ from: time.epochMilliseconds, minutes: minutesOf(time) });
  }
  return offsets;
}

function minutesOf(time: Temporal.ZonedDateTime): number {
  return time.offsetNanoseconds / 6e10;
}

function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
}

/** The date of a day, counted from 1970-01-01: `2026-11-03`. */
export function dateOf(day: number): string {
  const iso = new Date(day * DAY_MS).toISOString();
  return iso.slice(0, iso.indexOf("T"));
}

/** The first day of the week a day lies in. */
export function weekOf(day: number, weekStart: Weekday): string {
  // 1970-01-01 was a Thursday.
  const sinceStart = (((day + 3 - WEEKDAYS.indexOf(weekStart)) % 7) + 7) % 7;
  return dateOf(day - sinceStart);
}

/** The calendar day of a zone: `2026-11-03`. */
export function dayOf(ms: number, timezone: string): string {
  return zoned(ms, timezone).toPlainDate().toString();
}

/** The hour of a zone with its offset, for an hour may come twice: `2026-11-03T14:00+01:00`. */
export function hourOf(ms: number, timezone: string): string {
  const time = zoned(ms, timezone);
  return `${time.toPlainDate()}T${String(time.hour).padStart(2, "0")}:00${time.offset}`;
}

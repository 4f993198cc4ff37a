/**
 * Days, weeks and hours of a time zone, computed from its clock, which is `Intl` unless there is a quicker one. Not by
 * Temporal: until Node has it, its polyfill takes longer to load and to answer than adding up a whole year of usage.
 */
import { unknownTimezone } from "../timezone.ts";
import { WEEKDAYS, type Weekday } from "../weekdays.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;
/** The last day that `Date` can hold, counted from 1970-01-01. */
const LAST_DAY = 1e8;

/** A change of a zone's offset from UTC. The first of a list holds from the beginning of time. */
export interface OffsetChange {
  /** Unix ms. */
  from: number;
  /** To be added to UTC. */
  minutes: number;
}

/** Before the first there were no zones, and after the last nobody knows the clocks. Unix ms. */
const KNOWN = { first: Date.UTC(1900, 0), last: Date.UTC(2100, 0) };

/** A zone's offsets between two instants, in Unix ms. */
export function offsetsBetween(first: number, last: number, timezone: string): OffsetChange[] {
  const start = Math.max(first, KNOWN.first);
  return offsetsOf((ms) => minutesAt(ms, timezone), start, Math.min(last, KNOWN.last));
}

/** The same for any clock. No zone changes its offset twice within a week. */
export function offsetsOf(minutesAt: (ms: number) => number, start: number, end: number): OffsetChange[] {
  const offsets: OffsetChange[] = [{ from: Number.NEGATIVE_INFINITY, minutes: minutesAt(start) }];
  for (let from = start; from < end; from += WEEK_MS) {
    const before = minutesAt(from);
    const to = Math.min(from + WEEK_MS, end);
    const minutes = minutesAt(to);
    if (minutes !== before) offsets.push({ from: changeBetween(from, to, before, minutesAt), minutes });
  }
  return offsets;
}

/** The first whole minute at which the offset is no longer `before`. */
function changeBetween(from: number, to: number, before: number, minutesAt: (ms: number) => number): number {
  let low = Math.floor(from / MINUTE_MS);
  let high = Math.ceil(to / MINUTE_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (minutesAt(middle * MINUTE_MS) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

/** How far a zone's clock is ahead of UTC at an instant (Unix ms), in minutes; undefined where that is not known. */
export type Clock = (ms: number) => number | undefined;

const clocks = new Map<string, Clock>([["UTC", () => 0]]);

/** For programs that know a zone's clock without `Intl`, which takes 20 ms at its first use. It has to say the same. */
export function keepClock(timezone: string, clock: Clock): void {
  clocks.set(timezone, clock);
}

function minutesAt(ms: number, timezone: string): number {
  return clocks.get(timezone)?.(ms) ?? minutesByIntl(ms, timezone);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The offset of a zone from UTC at an instant, in minutes; a local mean time's is rounded to whole minutes.
 *
 * @throws SessionDbError `usage` where there is no such zone
 */
function minutesByIntl(ms: number, timezone: string): number {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = formatOf(timezone);
    formats.set(timezone, format);
  }
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(nearestInstant(ms))) ?? [];
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === "-" ? -offset : offset;
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" });
  } catch (error) {
    if (error instanceof RangeError) throw unknownTimezone(timezone);
    throw error;
  }
}

/** The nearest instant that a date can be. */
export function nearestInstant(ms: number): number {
  return Math.max(-LAST_DAY * DAY_MS, Math.min(LAST_DAY * DAY_MS, ms));
}

/** The calendar day of a zone that an instant lies in, counted from 1970-01-01. */
export function dayAt(ms: number, timezone: string): number {
  return Math.floor((ms + minutesAt(ms, timezone) * MINUTE_MS) / DAY_MS);
}

/** The first moment of a day of a zone, in Unix ms: midnight, or where the clock skips midnight what comes then. */
export function startOfDay(day: number, timezone: string): number {
  const midnight = day * DAY_MS;
  const offsets = offsetsBetween(midnight - DAY_MS, midnight + DAY_MS, timezone);
  for (const [at, { from, minutes }] of offsets.entries()) {
    const start = Math.max(from, midnight - minutes * MINUTE_MS);
    const isInForce = start < (offsets[at + 1]?.from ?? Number.POSITIVE_INFINITY);
    if (isInForce && dayAt(start, timezone) === day) return start;
  }
  return midnight;
}

/** The date of a day counted from 1970-01-01: `2026-11-03`. */
export function dateOf(day: number): string {
  const iso = new Date(nearestInstant(day * DAY_MS)).toISOString();
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
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsAgo) / DAY_MS;
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

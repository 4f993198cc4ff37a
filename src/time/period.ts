import { SessionDbError } from "../errors.ts";
import { dateOf, dayAt, momentOf, monthOf, monthsBefore, startOfDay } from "./calendar.ts";
import { DAY_MS, MINUTE_MS, minutesAt, timezoneByIntl } from "./zone.ts";

/** What words for a time are counted from. */
export interface PeriodContext {
  /** Unix ms: what `today` and `7d` are counted from. */
  now: number;
  /** The IANA zone whose midnights begin the days. */
  timezone: string;
}

/** The instants a word for a time covers, in Unix ms: `[start, end)`. */
export interface Period {
  start: number;
  end: number;
}

const FORMS =
  "Write 2026-11-03, 2026-11, 2026, 2026-11-03T10:00:00Z, today, yesterday, 7d, 2w, 3mo, 1y or 12h.";

/**
 * What `since` and `until` understand: a day, a month, a year, an instant (RFC 3339, or local time without an
 * offset), `today`, `yesterday`, and so many hours, days, weeks, months or years ago. `7d` is the whole day
 * seven days ago, so that `1d` is `yesterday`. @throws SessionDbError `usage`, also for an unknown zone
 */
export function parsePeriod(text: string, context: PeriodContext): Period {
  const today = dayAt(context.now, context.timezone);
  const word = text.trim().toLowerCase();
  const period =
    datePeriod(word, context) ?? agoPeriod(word, today, context) ?? instantPeriod(text.trim(), context);
  if (period !== undefined) return period;
  throw new SessionDbError("usage", `"${text}" is not a date`, { hint: FORMS });
}

/** `2026-11-03`, `2026-11` and `2026`. */
function datePeriod(text: string, { timezone }: PeriodContext): Period | undefined {
  const [, year = "", month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text) ?? [];
  const first = dayOfDate(`${year}-${month ?? "01"}-${day ?? "01"}`);
  if (first === undefined) return undefined;
  if (day !== undefined) return days(first, first + 1, timezone);
  return days(first, monthOf(first, month === undefined ? -12 : -1), timezone);
}

/** The day of a date, counted from 1970-01-01; undefined where there is no such day. */
function dayOfDate(date: string): number | undefined {
  const day = Date.parse(date) / DAY_MS;
  // `Date` takes 02-30 for 03-02.
  return Number.isNaN(day) || dateOf(day) !== date ? undefined : day;
}

function agoPeriod(text: string, today: number, { now, timezone }: PeriodContext): Period | undefined {
  if (text === "today") return days(today, today + 1, timezone);
  if (text === "yesterday") return days(today - 1, today, timezone);
  const [, digits = "", unit] = /^(\d{1,5})(h|d|w|mo|y)$/.exec(text) ?? [];
  const count = Number(digits);
  if (unit === undefined) return undefined;
  if (unit === "h") return instant(now - count * 60 * MINUTE_MS);
  const day = dayAgo(today, count, unit);
  return days(day, day + 1, timezone);
}

function dayAgo(today: number, count: number, unit: string): number {
  if (unit === "d") return today - count;
  if (unit === "w") return today - 7 * count;
  return monthsBefore(today, unit === "mo" ? count : 12 * count);
}

/** A date and a time, with a fraction of a second; then an offset from UTC, a zone in brackets, both, or neither. */
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2})(?:(:?)(\d{2})(?:\3(\d{2})(?:[.,](\d{1,9}))?)?)?(z|[+-]\d{2}(?:(:?)\d{2}(?:\8\d{2})?)?)?(?:\[(.+)\])?$/i;

function instantPeriod(text: string, context: PeriodContext): Period | undefined {
  const parts = INSTANT.exec(text);
  if (parts === null) return undefined;
  const [, date = "", hour = "", , minute = "00", second = "00", fraction = "", offset, , zone] = parts;
  const day = dayOfDate(date);
  // A leap second is the last of its minute.
  const clock = clockMs(hour, minute, second === "60" ? "59" : second);
  const timezone = zone === undefined ? context.timezone : timezoneByIntl(zone);
  if (day === undefined || clock === undefined || timezone === undefined) return undefined;
  const local = day * DAY_MS + clock + Number(fraction.padEnd(3, "0").slice(0, 3));
  if (offset === undefined) return instant(momentOf(local, timezone));
  const ahead = offsetMs(offset);
  if (ahead === undefined) return undefined;
  const start = local - ahead;
  const isOfZone =
    zone === undefined || /z/i.test(offset) || minutesAt(start, timezone) * MINUTE_MS === ahead;
  return isOfZone ? instant(start) : undefined;
}

/** How long after midnight, in ms; undefined where no clock shows it. */
function clockMs(hours: string, minutes: string, seconds: string): number | undefined {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  return hour < 24 && minute < 60 && second < 60
    ? (hour * 60 + minute) * MINUTE_MS + second * 1000
    : undefined;
}

/** `Z`, `+01:00`, `+0100`, `+01`, also with seconds: how far ahead of UTC, in ms. */
function offsetMs(offset: string): number | undefined {
  const [hours = "00", minutes = "00", seconds = "00"] = offset.match(/\d{2}/g) ?? [];
  const size = clockMs(hours, minutes, seconds);
  return offset.startsWith("-") && size !== undefined ? -size : size;
}

function instant(start: number): Period {
  return { start, end: start + 1 };
}

/** From the first moment of a day to that of another, in which it ends. */
function days(first: number, end: number, timezone: string): Period {
  return { start: startOfDay(first, timezone), end: startOfDay(end, timezone) };
}

import type { Temporal } from "temporal-polyfill";
import { SessionDbError } from "../errors.ts";
import { temporal, timezoneByIntl, unknownTimezone } from "../timezone.ts";

/** What words for a time are counted from. */
export interface Calendar {
  /** Unix ms: what `today` and `7d` are counted from. */
  now: number;
  /** The IANA zone whose midnights begin the days. */
  timezone: string;
}

/** The instants a word for a time covers, in Unix ms: `[start, end)`. */
export interface Span {
  start: number;
  end: number;
}

const FORMS =
  "Write 2026-11-03, 2026-11, 2026, 2026-11-03T10:00:00Z, today, yesterday, 7d, 2w, 3mo, 1y or 12h.";

/**
 * What `since` and `until` understand: a day, a month, a year, an instant (RFC 3339, or local time without an
 * offset), `today`, `yesterday`, and so many hours, days, weeks, months or years ago. `7d` is the whole day
 * seven days ago, so that `1d` is `yesterday`. @throws SessionDbError `usage`
 */
export function parseSpan(text: string, calendar: Calendar): Span {
  try {
    const span = spanOf(text.trim(), calendar);
    if (span !== undefined) return span;
  } catch (error) {
    // Temporal throws it for a day or an hour that does not exist.
    if (!(error instanceof RangeError)) throw error;
    if (timezoneByIntl(calendar.timezone) === undefined) throw unknownTimezone(calendar.timezone);
  }
  throw new SessionDbError("usage", `"${text}" is not a date`, { hint: FORMS });
}

function spanOf(text: string, calendar: Calendar): Span | undefined {
  const { now, timezone } = calendar;
  const today = dateOf(now, timezone);
  if (/^today$/i.test(text)) return daySpan(today, timezone);
  if (/^yesterday$/i.test(text)) return daySpan(today.subtract({ days: 1 }), timezone);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return daySpan(temporal().PlainDate.from(text), timezone);
  if (/^\d{4}-\d{2}$/.test(text)) return monthSpan(temporal().PlainYearMonth.from(text), timezone);
  if (/^\d{4}$/.test(text)) return yearSpan(Number(text), timezone);
  if (/^\d{4}-\d{2}-\d{2}[T ]\d/i.test(text)) return instantSpan(instantOf(text, timezone));
  return agoSpan(text, today, calendar);
}

function agoSpan(text: string, today: Temporal.PlainDate, { now, timezone }: Calendar): Span | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,5})(h|d|w|mo|y)$/i.exec(text) ?? [];
  const count = Number(digits);
  switch (unit.toLowerCase()) {
    case "h":
      return instantSpan(now - count * 3_600_000);
    case "d":
      return daySpan(today.subtract({ days: count }), timezone);
    case "w":
      return daySpan(today.subtract({ weeks: count }), timezone);
    case "mo":
      return daySpan(today.subtract({ months: count }), timezone);
    case "y":
      return daySpan(today.subtract({ years: count }), timezone);
    default:
      return undefined;
  }
}

/** `Z`, `+01:00`, `+0100`, `+01`, also with seconds. */
const OFFSET = /(?:z|[+-]\d{2}(?::?\d{2}){0,2})$/i;

/** Told apart here, because Temporal would read a time with an offset as a local one, and ignore the offset. */
function instantOf(text: string, timezone: string): number {
  if (text.endsWith("]")) return temporal().ZonedDateTime.from(text).epochMilliseconds;
  if (OFFSET.test(text)) return temporal().Instant.from(text).epochMilliseconds;
  return temporal().PlainDateTime.from(text).toZonedDateTime(timezone).epochMilliseconds;
}

function instantSpan(start: number): Span {
  return { start, end: start + 1 };
}

/** From midnight to midnight; where the clock skips midnight, from the day's first moment. */
function daySpan(date: Temporal.PlainDate, timezone: string): Span {
  return { start: startOf(date, timezone), end: startOf(date.add({ days: 1 }), timezone) };
}

function monthSpan(month: Temporal.PlainYearMonth, timezone: string): Span {
  const first = month.toPlainDate({ day: 1 });
  return { start: startOf(first, timezone), end: startOf(first.add({ months: 1 }), timezone) };
}

function yearSpan(year: number, timezone: string): Span {
  const first = temporal().PlainDate.from({ year, month: 1, day: 1 });
  return { start: startOf(first, timezone), end: startOf(first.add({ years: 1 }), timezone) };
}

/** The first moment of a day. */
function startOf(date: Temporal.PlainDate, timezone: string): number {
  return date.toZonedDateTime(timezone).epochMilliseconds;
}

/** The day of a moment, in Unix ms. */
function dateOf(time: number, timezone: string): Temporal.PlainDate {
  return temporal().Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timezone).toPlainDate();
}

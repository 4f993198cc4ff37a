const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const dayFormats = new Map<string, Intl.DateTimeFormat>();
const clockFormats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day of an instant in a zone: `2026-11-03`. */
export function dayOf(time: number, timezone: string): string {
  const parts = dayFormat(timezone).formatToParts(time);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
}

/** `2026-11-03 14:05` in a zone. */
export function formatMoment(time: number, timezone: string): string {
  return `${dayOf(time, timezone)} ${clockFormat(timezone).format(time)}`;
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
export function daysBetween(from: string, to: string): number {
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

function dayFormat(timeZone: string): Intl.DateTimeFormat {
  const known = dayFormats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "iso8601",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  dayFormats.set(timeZone, made);
  return made;
}

function clockFormat(timeZone: string): Intl.DateTimeFormat {
  const known = clockFormats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  clockFormats.set(timeZone, made);
  return made;
}

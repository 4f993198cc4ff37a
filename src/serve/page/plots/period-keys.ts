/** Names of periods, as `usage` has them: `2026-11-03`, the first day of a week, `2026-11`, `2026-11-03T14:00+01:00`. */
export type PlotPeriod = "hourly" | "daily" | "weekly" | "monthly";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The day so many days after another. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, day.length);
}

/** From one day to another, both counted. */
export function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
}

function stepped(key: string, by: "daily" | "weekly" | "monthly", steps: number): string {
  if (by !== "monthly") return dayAfter(key, steps * (by === "weekly" ? 7 : 1));
  const date = new Date(`${key}-01`);
  date.setUTCMonth(date.getUTCMonth() + steps);
  return date.toISOString().slice(0, key.length);
}

/** As many as there are days in eleven years: a clock that went wrong may have put something centuries away. */
const MOST_PERIODS = 4000;

/** The periods from the first to the last, those without use, too; hours, and where there were too many, only as they come. */
export function filledPeriods(
  keys: readonly string[],
  by: PlotPeriod,
  bounds: { since: string | null; until: string },
): string[] {
  const [first] = keys;
  // Years of more than four digits, which come after 9999, have a sign, and are not in order.
  if (first === undefined || by === "hourly" || keys.some((key) => !/^(?!9999)\d{4}-/.test(key)))
    return [...keys];
  let begin = first;
  // A week or month counts that holds the first day.
  const since = bounds.since?.slice(0, first.length);
  for (let steps = 0; since !== undefined && begin > since && steps < MOST_PERIODS; steps++) {
    const before = stepped(begin, by, -1);
    if (before < floorOf(since, by)) break;
    begin = before;
  }
  const last = [keys.at(-1) ?? first, bounds.until.slice(0, first.length)].sort().at(-1) ?? first;
  const filled = [];
  for (let key = begin; key <= last; key = stepped(key, by, 1)) {
    if (filled.push(key) > MOST_PERIODS) return [...keys];
  }
  return filled;
}

function floorOf(since: string, by: PlotPeriod): string {
  return by === "weekly" ? dayAfter(since, -6) : since;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** For an axis: `Nov 3`, `Nov 2026`, `14:00`. */
export function periodLabel(key: string, by: PlotPeriod): string {
  const [year = "", month = "", rest = ""] = key.split("-");
  const name = MONTHS[Number(month) - 1] ?? month;
  if (by === "monthly") return `${name} ${year}`;
  if (by === "hourly") return rest.slice(3, 8);
  return `${name} ${Number(rest)}`;
}

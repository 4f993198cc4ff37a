import type { Filter } from "../../filters/filter.ts";
import { type Condition, inRootsIfNeeded, inTime, whereClause } from "../../filters/where.ts";
import type { Index } from "../../store/open.ts";
import { QUARTER_MS } from "../../store/tables/usage-buckets.ts";
import { DAY_MS, offsetsBetween } from "../../time/zone.ts";
import { countedWithin } from "../usage/counted.ts";
import { clockExpression, dayExpression, GROUPINGS } from "../usage/groupings.ts";
import { joinsForUsage, quarterSpanOf, sourceOf, usageConditions } from "../usage/source.ts";
import { ALL_DAYS } from "./periods.ts";

/** What was spent on a day of a zone's calendar. */
interface DaySpending {
  /** US dollars. */
  cost: number;
  /** The part of it that was spent before the clock showed `until` of the question. */
  before: number;
  unpriced: number;
}

/** By days, counted from 1970-01-01; only those on which something was used. */
export type Spending = ReadonlyMap<number, DaySpending>;

export interface SpendingOptions {
  timezone: string;
  roots?: string[] | undefined;
  /** The first day that is asked about. */
  firstDay: number;
  /** Minutes after midnight. */
  until: number;
}

/** Whole numbers in which each filter has its bit are exact in JavaScript and in SQLite. */
const MOST_AT_ONCE = 48;

type FoundRow = [day: number, isBefore: number, met: number, cost: number, unpriced: number];

/**
 * What each filter finds, day by day, each bill counted once. All are asked at once, of the roll-up where that will do: the
 * rows are the same for all of them, and to look at these takes most of the time.
 */
export function findSpending(index: Index, filters: readonly Filter[], options: SpendingOptions): Spending[] {
  const parts: Spending[] = [];
  for (let first = 0; first < filters.length; first += MOST_AT_ONCE) {
    parts.push(...findSome(index, filters.slice(first, first + MOST_AT_ONCE), options));
  }
  return parts;
}

function findSome(index: Index, filters: readonly Filter[], options: SpendingOptions): Spending[] {
  const spendings = filters.map(() => new Map<number, DaySpending>());
  for (const [day, isBefore, met, cost, unpriced] of rowsOf(index, filters, options)) {
    for (const [at, spending] of spendings.entries()) {
      if (Math.floor(met / 2 ** at) % 2 === 0) continue;
      const sofar = spending.get(day) ?? { cost: 0, before: 0, unpriced: 0 };
      sofar.cost += cost;
      if (isBefore === 1) sofar.before += cost;
      sofar.unpriced += unpriced;
      spending.set(day, sofar);
    }
  }
  return spendings;
}

function rowsOf(index: Index, filters: readonly Filter[], options: SpendingOptions): FoundRow[] {
  const { timezone, roots, firstDay, until } = options;
  const { database } = index;
  // A day more, whatever the zone: which day a quarter of an hour lies in is decided below.
  const time: Filter = firstDay === ALL_DAYS ? {} : { since: (firstDay - 1) * DAY_MS };
  const bounds = inRootsIfNeeded(database, roots);
  const counted = countedWithin(database, bounds, inTime("u.timestamp", time));
  const source = sourceOf(GROUPINGS.daily, {}, { wantsRows: counted.needsRows });
  const met = filters.map((filter, at): Condition => {
    const { sql, values } = whereClause(usageConditions(filter, source));
    return {
      sql: sql === "" ? String(2 ** at) : `iif(${sql.replace(/^WHERE /, "")}, ${2 ** at}, 0)`,
      values,
    };
  });
  const { first, last } = quarterSpanOf(index);
  const offsets = offsetsBetween(first * QUARTER_MS, last * QUARTER_MS, timezone);
  const columns = `${dayExpression(source.quarter, offsets)} AS day,
    ${clockExpression(source.quarter, offsets)} <= ${until} AS is_before, ${met.map(({ sql }) => sql).join(" + ")} AS met,
    sum(u.cost), ${source.prices} FROM ${source.from} u`;
  const where = whereClause([...bounds, counted, ...inTime(source.time, time)]);
  return database
    .prepare(
      `SELECT ${columns} ${joinsForUsage(columns + where.sql)} ${where.sql} GROUP BY day, is_before, met`,
    )
    .raw()
    .all(...met.flatMap(({ values }) => values), ...where.values) as FoundRow[];
}

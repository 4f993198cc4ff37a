import { describe, expect, test } from "vitest";
import type { Budget, BudgetPeriod } from "../../../src/reports/budgets/budget-shapes.ts";
import { paceIn } from "../../../src/reports/budgets/pace.ts";
import { readBudgets } from "../../../src/reports/budgets/read-budgets.ts";
import type { Spending } from "../../../src/reports/budgets/spending.ts";
import { session } from "../../helpers/session-builder.ts";
import { Random } from "../../session-manager/random.ts";
import { indexOfSessions } from "../indexed.ts";

const HOUR = 3_600_000;

interface Spent {
  time: number;
  cost: number;
}

function indexOfSpent(spent: readonly Spent[]) {
  const built = session({ timestamp: "2000-01-01T00:00:00Z" });
  for (const { time, cost } of spent)
    built.at(time).assistant({ usage: { input: 1, cost: { total: cost } } });
  return indexOfSessions(built);
}

const monthOf = (date: string) => date.slice(0, 7);
const mondayOf = (date: string) => {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
};

describe("what was spent by the same point of the last periods equals a plain count", () => {
  const random = new Random(7);
  const start = Date.parse("2025-08-20T00:30:00Z");
  // At half past each hour, so that no clock shows its time twice; in no hour of a fifth of the days.
  const spent = Array.from({ length: 4000 }, (_, at) => ({
    time: start + at * 2 * HOUR,
    cost: random.below(100) / 10,
  }));

  test.each(["Europe/Berlin", "America/Asuncion", "Australia/Lord_Howe"])("in %s", (timezone) => {
    const index = indexOfSpent(spent.filter(({ cost }) => cost > 0));
    const date = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone });
    const clock = new Intl.DateTimeFormat("sv-SE", {
      timeZone: timezone,
      hour: "2-digit",
      minute: "2-digit",
    });
    const local = spent.map(({ time, cost }) => ({
      cost,
      date: date.format(time),
      clock: clock.format(time),
    }));
    for (const now of ["2026-03-29T12:31:00Z", "2026-03-31T05:45:00Z", "2026-06-05T22:05:00Z"].map(
      Date.parse,
    )) {
      const [today, time] = [date.format(now), clock.format(now)];
      for (const [period, keyOf] of [
        ["month", monthOf],
        ["week", mondayOf],
        ["day", (each: string) => each],
      ] as const) {
        const passed = (each: string) =>
          Math.round(
            (Date.parse(each) - Date.parse(period === "month" ? `${keyOf(each)}-01` : keyOf(each))) /
              (24 * HOUR),
          );
        const first = keyOf(local[0]?.date ?? "");
        const keys = [...new Set(local.map((each) => keyOf(each.date)))]
          .filter((key) => key > first && key < keyOf(today))
          .slice(-4);
        const sums = keys.map((key) =>
          local
            .filter((each) => keyOf(each.date) === key)
            .filter(
              (each) =>
                passed(each.date) < passed(today) ||
                (passed(each.date) === passed(today) && each.clock <= time),
            )
            .reduce((sum, { cost }) => sum + cost, 0),
        );
        const budgets: Budget[] = [{ name: "all", [period]: 1 }];
        const [limit] = readBudgets(index, { budgets, timezone, now, withPace: true }).limits;
        expect([period, limit?.pace?.periods]).toEqual([period, 4]);
        expect(limit?.pace?.usual).toBeCloseTo(sums.reduce((sum, each) => sum + each, 0) / 4, 6);
      }
    }
  });
});

/** Spending of days from 0 on, which is a Thursday: half of each day before the clock shows what it shows now. */
const spendingOf = (costs: readonly number[]): Spending =>
  new Map(costs.map((cost, day) => [day, { cost, before: cost / 2, unpriced: 0 }]));
const paceAt = (costs: readonly number[], period: BudgetPeriod, today: number) =>
  paceIn(spendingOf(costs), period, { today, weekStart: "monday" });

describe("a forecast", () => {
  test("of what is the same each day is that", () => {
    const costs = Array.from({ length: 46 }, () => 2);
    // 1970-02-16, of which half is spent.
    const pace = paceAt([...costs, 1], "month", 46);
    expect(pace?.forecast).toEqual({ low: expect.closeTo(2 * 28, 9), high: expect.closeTo(2 * 28, 9) });
    expect(pace).toMatchObject({ usual: 2 * 15 + 1, periods: 1 });
  });

  test("goes by weekdays", () => {
    // Saturdays and Sundays cost nothing, other days $1: from 1970-01-01, a Thursday, on.
    const costs = Array.from({ length: 60 }, (_, day) => ([2, 3].includes(day % 7) ? 0 : 1));
    const [friday, saturday] = [43, 44];
    const ofWeek = (today: number) => paceAt(costs.slice(0, today), "week", today)?.forecast;
    expect(ofWeek(friday)).toEqual({ low: expect.closeTo(4.5, 9), high: expect.closeTo(4.5, 9) });
    expect(ofWeek(saturday)).toEqual({ low: expect.closeTo(5, 9), high: expect.closeTo(5, 9) });
  });

  test.each([
    [13, false],
    [14, true],
  ])("of spending that began %i days ago is given: %s", (days, isGiven) => {
    const costs = Array.from({ length: 40 + days }, (_, day) => (day < 40 ? 0 : 1));
    expect(paceAt(costs, "month", 40 + days)?.forecast !== null).toBe(isGiven);
  });

  test("is not given where nothing was spent for eight weeks, nor for a limit in all", () => {
    const costs = Array.from({ length: 90 }, (_, day) => (day < 20 ? 1 : 0));
    expect(paceAt(costs, "week", 90)).toEqual({ usual: null, periods: 0, forecast: null });
    expect(paceAt(costs, "total", 90)).toBeNull();
  });

  test("is at least what has been spent already", () => {
    const costs = Array.from({ length: 50 }, (_, day) => (day % 9 === 0 ? 100 : 0));
    expect(paceAt(costs, "month", 50)?.forecast?.low).toBeGreaterThanOrEqual(200);
  });
});

/** Two normally distributed numbers (Box and Muller). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** How much weekdays cost, the first of which is a Thursday, and how often they cost nothing. */
const WEEKDAYS = [1.1, 0.8, 0.15, 0.1, 1, 1.2, 1];
const IDLE = [0.1, 0.15, 0.7, 0.8, 0.1, 0.1, 0.1];

/** Days of somebody who works on weekdays, more in some weeks than in others; both vary by so much. */
function madeUp(random: Random, { days, weeks }: { days: number; weeks: number }): number[] {
  let busy = 0;
  return Array.from({ length: 120 }, (_, day) => {
    if (day % 7 === 0) busy = busy / 2 + weeks * normal(random);
    const cost = 10 * (WEEKDAYS[day % 7] ?? 0) * Math.exp(busy + days * normal(random));
    return random.next() < (IDLE[day % 7] ?? 0) ? 0 : cost;
  });
}

test.each([
  ["calm", { days: 0.5, weeks: 0 }],
  ["usual", { days: 0.7, weeks: 0.3 }],
  ["wild", { days: 1, weeks: 0.5 }],
])("of %s spending that was made up, about four of five months end within the range", (_what, how) => {
  let [within, all] = [0, 0];
  for (let seed = 1; seed <= 150; seed++) {
    const costs = madeUp(new Random(seed), how);
    // After two, three, five and eight weeks; months end on days 31, 59 and 90.
    for (const [today, end] of [
      [14, 31],
      [24, 31],
      [36, 59],
      [56, 59],
      [62, 90],
      [80, 90],
    ] as const) {
      const known = costs.slice(0, today);
      const first = end === 31 ? 0 : end === 59 ? 31 : 59;
      const spent = costs.slice(first, end).reduce((sum, cost) => sum + cost, 0);
      const range = paceAt(known, "month", today)?.forecast;
      if (!range) continue;
      all++;
      if (spent >= range.low && spent <= range.high) within++;
    }
  }
  expect(all).toBeGreaterThan(700);
  expect(within / all).toBeGreaterThan(0.74);
  expect(within / all).toBeLessThan(0.9);
});

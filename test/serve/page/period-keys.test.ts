import { expect, test } from "vitest";
import {
  dayAfter,
  daysBetween,
  filledPeriods,
  periodLabel,
} from "../../../src/serve/page/plots/period-keys.ts";
import { fc } from "../../helpers/drawn.ts";

const days = fc.integer({ min: 0, max: 20_000 }).map((day) => dayAfter("2000-01-01", day));

test("a day so many days after another is so many days away", () => {
  fc.assert(
    fc.property(days, fc.integer({ min: 0, max: 3000 }), (day, after) => {
      expect(daysBetween(day, dayAfter(day, after))).toBe(after + 1);
      expect(dayAfter(dayAfter(day, after), -after)).toBe(day);
    }),
  );
});

test("between the first day and today every day is there once, in order", () => {
  fc.assert(
    fc.property(
      days,
      fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }),
      fc.nat(30),
      (first, gaps, rest) => {
        const keys = [...new Set([0, ...gaps])].sort((a, b) => a - b).map((gap) => dayAfter(first, gap));
        const until = dayAfter(keys.at(-1) ?? first, rest);
        const filled = filledPeriods(keys, "daily", { since: null, until });
        expect(filled).toEqual(
          Array.from({ length: daysBetween(first, until) }, (_, day) => dayAfter(first, day)),
        );
      },
    ),
  );
});

test("a report that begins before its first row begins with empty days", () => {
  const bounds = { since: "2026-10-30T00:00:00.000Z", until: "2026-11-03" };
  expect(filledPeriods(["2026-11-01"], "daily", bounds)).toEqual([
    "2026-10-30",
    "2026-10-31",
    "2026-11-01",
    "2026-11-02",
    "2026-11-03",
  ]);
});

test("the first week is the one that holds the first day, whichever day weeks begin with", () => {
  const filled = filledPeriods(["2026-11-15"], "weekly", { since: "2026-11-04", until: "2026-11-24" });
  expect(filled).toEqual(["2026-11-01", "2026-11-08", "2026-11-15", "2026-11-22"]);
});

test("months follow one another over the end of a year", () => {
  const filled = filledPeriods(["2025-11", "2026-02"], "monthly", {
    since: "2025-10-20",
    until: "2026-03-02",
  });
  expect(filled).toEqual(["2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03"]);
});

test("where a clock went wrong there are the periods with use only", () => {
  const bounds = { since: "2026-08-31", until: "2026-11-29" };
  for (const far of ["9999-12-31", "+275760-09-13"]) {
    const keys = ["2026-11-28", far].sort();
    expect(filledPeriods(keys, "daily", bounds)).toEqual(keys);
    expect(filledPeriods([far], "daily", { ...bounds, since: null })).toEqual([far]);
    expect(filledPeriods(["2026-11", far.slice(0, -3)], "monthly", bounds).length).toBeLessThanOrEqual(4000);
  }
});

test("without rows there are no periods", () => {
  expect(filledPeriods([], "daily", { since: "2026-11-01", until: "2026-11-03" })).toEqual([]);
});

test("an axis calls periods as people do", () => {
  expect([
    periodLabel("2026-11-03", "daily"),
    periodLabel("2026-11-02", "weekly"),
    periodLabel("2026-11", "monthly"),
    periodLabel("2026-11-03T14:00+01:00", "hourly"),
  ]).toEqual(["Nov 3", "Nov 2", "Nov 2026", "14:00"]);
});

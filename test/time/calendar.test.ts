import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import {
  dateOf,
  dayAt,
  dayOf,
  formatSpan,
  hourOf,
  monthOf,
  startOfDay,
  weekOf,
} from "../../src/time/calendar.ts";
import { offsetsBetween } from "../../src/time/zone.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

// Midnights that are skipped or come twice, changes by half an hour, days that never were, four changes a year.
const ZONES =
  `UTC Europe/Berlin America/New_York America/St_Johns America/Sao_Paulo America/Havana Asia/Kathmandu
    Asia/Beirut Africa/Casablanca Australia/Lord_Howe Pacific/Apia Pacific/Chatham`.split(/\s+/);

const zone = fc.constantFrom(...ZONES);
const instant = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2037, 0) });

function temporal(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
}

describe("a calendar by Intl says what Temporal says", () => {
  test("of days and hours", () => {
    fc.assert(
      fc.property(instant, zone, (ms, timezone) => {
        const time = temporal(ms, timezone);
        const hour = String(time.hour).padStart(2, "0");
        expect([dayOf(ms, timezone), hourOf(ms, timezone)]).toEqual([
          time.toPlainDate().toString(),
          `${time.toPlainDate()}T${hour}:00${time.offset}`,
        ]);
      }),
      { numRuns: runs(500) },
    );
  });

  test("of the moment a day begins with", () => {
    fc.assert(
      fc.property(instant, zone, (ms, timezone) => {
        const start = temporal(ms, timezone).toPlainDate().toZonedDateTime(timezone);
        expect(new Date(startOfDay(dayAt(ms, timezone), timezone)).toISOString()).toBe(
          start.toInstant().toString({ fractionalSecondDigits: 3 }),
        );
      }),
      // The day after the one whose midnight was skipped.
      { numRuns: runs(500), examples: [[Date.UTC(1986, 9, 26, 2), "America/Sao_Paulo"]] },
    );
  });

  test.each(ZONES)("of the changes of the clock in %s", (timezone) => {
    const [first, last] = [Date.UTC(2005, 0), Date.UTC(2030, 0)];
    const changes: number[] = [];
    let time = temporal(first, timezone).getTimeZoneTransition("next");
    for (; time !== null && time.epochMilliseconds < last; time = time.getTimeZoneTransition("next")) {
      changes.push(time.epochMilliseconds);
    }
    expect(offsetsBetween(first, last, timezone).map(({ from }) => from)).toEqual([-Infinity, ...changes]);
  });

  test("of weeks and months", () => {
    fc.assert(
      fc.property(instant, fc.nat(30), (ms, months) => {
        const date = temporal(ms, "UTC").toPlainDate();
        const day = dayAt(ms, "UTC");
        expect(dateOf(weekOf(day, "monday"))).toBe(date.subtract({ days: date.dayOfWeek - 1 }).toString());
        expect(dateOf(weekOf(day, "sunday"))).toBe(date.subtract({ days: date.dayOfWeek % 7 }).toString());
        expect(dateOf(monthOf(day, months))).toBe(date.with({ day: 1 }).subtract({ months }).toString());
      }),
    );
  });
});

test("times nobody can have meant are in some year", () => {
  for (const ms of [-8.64e15, 8.64e15]) {
    for (const timezone of ZONES)
      expect([dayOf(ms, timezone), hourOf(ms, timezone)]).toEqual([expect.any(String), expect.any(String)]);
  }
  expect(offsetsBetween(-8.64e15, 8.64e15, "Europe/Berlin").length).toBeGreaterThan(100);
});

test("a span is from one time to another, once where both are told alike, and never ends before it begins", () => {
  const [first, later, last] = ["2026-11-03T10:00:00Z", "2026-11-03T12:00:00Z", "2026-11-04T00:00:00Z"];
  const told = (begin: string, end: string) => formatSpan(begin, end, (ms) => dayOf(ms, "UTC"));
  expect(told(first, last)).toBe("2026-11-03 to 2026-11-04");
  expect([told(first, later), told(first, first)]).toEqual(["2026-11-03", "2026-11-03"]);
  expect(told(last, first)).toBe("2026-11-04");
});

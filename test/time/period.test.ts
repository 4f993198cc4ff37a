import { Temporal } from "temporal-polyfill";
import { describe, expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import { type Period, parsePeriod } from "../../src/time/period.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

const ZONES =
  `UTC Europe/Berlin America/New_York America/St_Johns America/Sao_Paulo America/Havana America/Toronto Asia/Kathmandu
    Asia/Beirut Africa/Casablanca Africa/Monrovia Australia/Lord_Howe Pacific/Apia Pacific/Chatham
    Pacific/Kiritimati`.split(/\s+/);

const NOW = Date.parse("2026-11-03T12:30:00Z");
const HOUR = 3_600_000;

function period(text: string, timezone = "UTC", now = NOW): [string, string] {
  const { start, end } = parsePeriod(text, { now, timezone });
  return [new Date(start).toISOString(), new Date(end).toISOString()];
}

describe("in UTC", () => {
  const cases: [string, string, string][] = [
    ["2026-11-03", "2026-11-03T00:00:00.000Z", "2026-11-04T00:00:00.000Z"],
    ["2026-02", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
    ["2025", "2025-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
    ["today", "2026-11-03T00:00:00.000Z", "2026-11-04T00:00:00.000Z"],
    ["Yesterday", "2026-11-02T00:00:00.000Z", "2026-11-03T00:00:00.000Z"],
    ["0d", "2026-11-03T00:00:00.000Z", "2026-11-04T00:00:00.000Z"],
    ["1d", "2026-11-02T00:00:00.000Z", "2026-11-03T00:00:00.000Z"],
    ["2w", "2026-10-20T00:00:00.000Z", "2026-10-21T00:00:00.000Z"],
    ["3mo", "2026-08-03T00:00:00.000Z", "2026-08-04T00:00:00.000Z"],
    ["1y", "2025-11-03T00:00:00.000Z", "2025-11-04T00:00:00.000Z"],
    ["12h", "2026-11-03T00:30:00.000Z", "2026-11-03T00:30:00.001Z"],
    ["2026-11-03T10:00:00Z", "2026-11-03T10:00:00.000Z", "2026-11-03T10:00:00.001Z"],
    ["2026-11-03t10:00:00+01:00", "2026-11-03T09:00:00.000Z", "2026-11-03T09:00:00.001Z"],
    ["2026-11-03 10:00:00.5Z", "2026-11-03T10:00:00.500Z", "2026-11-03T10:00:00.501Z"],
    ["2026-11-03T10:00", "2026-11-03T10:00:00.000Z", "2026-11-03T10:00:00.001Z"],
    ["2026-11-03T10", "2026-11-03T10:00:00.000Z", "2026-11-03T10:00:00.001Z"],
    ["2026-11-03T100001,25+0130", "2026-11-03T08:30:01.250Z", "2026-11-03T08:30:01.251Z"],
    ["2026-11-03T23:59:60Z", "2026-11-03T23:59:59.000Z", "2026-11-03T23:59:59.001Z"],
    ["2026-11-03T10:00[Asia/Tokyo]", "2026-11-03T01:00:00.000Z", "2026-11-03T01:00:00.001Z"],
    ["2026-11-03T10:00+09:00[Asia/Tokyo]", "2026-11-03T01:00:00.000Z", "2026-11-03T01:00:00.001Z"],
    ["0000", "0000-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12", "9999-12-01T00:00:00.000Z", "+010000-01-01T00:00:00.000Z"],
    ["24000mo", "0026-11-03T00:00:00.000Z", "0026-11-04T00:00:00.000Z"],
  ];
  test.each(cases)("%s is from %s to %s", (text, start, end) => {
    expect(period(text)).toEqual([start, end]);
  });
});

describe("in other zones", () => {
  test("a day begins at the zone's midnight", () => {
    expect(period("2026-11-03", "Asia/Kathmandu")).toEqual([
      "2026-11-02T18:15:00.000Z",
      "2026-11-03T18:15:00.000Z",
    ]);
  });

  test("today is the zone's today", () => {
    expect(period("today", "Pacific/Auckland")[0]).toBe("2026-11-03T11:00:00.000Z");
  });

  test("local time without an offset is the zone's", () => {
    expect(period("2026-07-01T10:00", "Europe/Berlin")[0]).toBe("2026-07-01T08:00:00.000Z");
  });

  test.each([
    ["2026-03-29", "Europe/Berlin", 23],
    ["2026-10-25", "Europe/Berlin", 25],
    ["2026-11-01", "America/New_York", 25],
    ["2026-10-04", "Australia/Lord_Howe", 23.5],
  ])("%s in %s has %d hours", (day, timezone, hours) => {
    const { start, end } = parsePeriod(day, { now: NOW, timezone });
    expect((end - start) / HOUR).toBe(hours);
  });

  test("a day whose midnight is skipped begins with its first moment", () => {
    expect(period("2018-11-04", "America/Sao_Paulo")[0]).toBe("2018-11-04T03:00:00.000Z");
  });

  test("so many days ago are days of the calendar, over a change of the clock", () => {
    expect(period("2d", "Europe/Berlin", Date.parse("2026-10-26T12:00:00Z"))[0]).toBe(
      "2026-10-23T22:00:00.000Z",
    );
  });

  test("a month ago on the 31st is the last day of the month before", () => {
    expect(period("1mo", "UTC", Date.parse("2026-03-31T12:00:00Z"))[0]).toBe("2026-02-28T00:00:00.000Z");
  });
});

test.each([
  "",
  "soon",
  "7",
  "-7d",
  "7 d",
  "d",
  "2026-13-01",
  "2026-02-30",
  "2026-1-1",
  "26-11-03",
  "2026-11-03T25:00:00Z",
  "2026-11-03T",
  "2026-00",
  "99999999d",
  "1.5d",
  "03/11/2026",
  "2026-11-03Z",
  "2026-11-03T10:60",
  "2026-11-03T10:00:61Z",
  "2026-11-03T24:00:00Z",
  "2026-11-03T10:0000",
  "2026-11-03T10:00+24:00",
  "2026-11-03T10:00+02:00[Asia/Tokyo]",
  "2026-11-03T10:00[Mars/Olympus]",
])("%j is no date", (text) => {
  expect(() => parsePeriod(text, { now: NOW, timezone: "UTC" })).toThrow(SessionDbError);
});

test("an unknown zone is told as such, whatever was asked", () => {
  for (const text of ["7d", "2026-11", "2026-11-03T10:00:00Z", "soon"]) {
    expect(() => parsePeriod(text, { now: NOW, timezone: "Mars/Olympus" })).toThrow(
      'unknown time zone "Mars/Olympus"',
    );
  }
});

function instantOf(text: string, timezone: string): number {
  if (/(?:Z|[+-]\d\d:\d\d)$/.test(text)) return Temporal.Instant.from(text).epochMilliseconds;
  return Temporal.PlainDateTime.from(text).toZonedDateTime(timezone).epochMilliseconds;
}

/** What Temporal says of a text; null where it knows none such. */
function byTemporal(text: string, now: number, timezone: string): Period | null {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).toPlainDate();
  const from = (first: Temporal.PlainDate, length: Temporal.DurationLike): Period => ({
    start: first.toZonedDateTime(timezone).epochMilliseconds,
    end: first.add(length).toZonedDateTime(timezone).epochMilliseconds,
  });
  const [, count = "", unit = ""] = /^(\d+)(h|d|w|mo|y)$/.exec(text) ?? [];
  const units: Record<string, "days" | "weeks" | "months" | "years"> = {
    d: "days",
    w: "weeks",
    mo: "months",
    y: "years",
  };
  const ago = units[unit];
  if (unit === "h") return { start: now - Number(count) * HOUR, end: now - Number(count) * HOUR + 1 };
  if (ago !== undefined) return from(today.subtract({ [ago]: Number(count) }), { days: 1 });
  try {
    if (text.length === 4) return from(Temporal.PlainDate.from(`${text}-01-01`), { years: 1 });
    if (text.length === 7) return from(Temporal.PlainDate.from(`${text}-01`), { months: 1 });
    if (text.length === 10) return from(Temporal.PlainDate.from(text), { days: 1 });
    const start = instantOf(text, timezone);
    return { start, end: start + 1 };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function byCalendar(text: string, now: number, timezone: string): Period | null {
  try {
    return parsePeriod(text, { now, timezone });
  } catch (error) {
    if (error instanceof SessionDbError) return null;
    throw error;
  }
}

/** The changes of a zone's clock in those years, in Unix ms. */
function changesOf(timezone: string): number[] {
  const changes: number[] = [];
  let time = Temporal.Instant.fromEpochMilliseconds(Date.UTC(1900, 0))
    .toZonedDateTimeISO(timezone)
    .getTimeZoneTransition("next");
  for (; time !== null && time.year < 2100; time = time.getTimeZoneTransition("next")) {
    changes.push(time.epochMilliseconds);
  }
  return changes;
}

/** A local mean time has odd seconds, of which we know no more than the minute. */
function hasOddSeconds({ start, end }: Period, timezone: string): boolean {
  return [start - 86_400_000, start, end].some((ms) => {
    const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
    return offsetNanoseconds % 60e9 !== 0;
  });
}

const changes = new Map(ZONES.map((timezone) => [timezone, changesOf(timezone)]));
const instant = fc.integer({ min: Date.UTC(1900, 0, 3), max: Date.UTC(2099, 11, 28) });
/** Half of them within a day of a change of the clock. */
const zoned = fc
  .tuple(fc.constantFrom(...ZONES), instant, fc.nat(), fc.integer({ min: -26 * 60, max: 26 * 60 }))
  .map(([timezone, ms, pick, minutes]) => {
    const own = changes.get(timezone) ?? [];
    const change = own[pick % (2 * own.length + 1)];
    return { timezone, now: change === undefined ? ms : change + minutes * 60_000 };
  });
const form = fc.oneof(
  fc.tuple(fc.nat(3000), fc.constantFrom("h", "d")).map(
    ([count, unit]) =>
      () =>
        `${count}${unit}`,
  ),
  fc.tuple(fc.nat(40), fc.constantFrom("w", "mo", "y")).map(
    ([count, unit]) =>
      () =>
        `${count}${unit}`,
  ),
  // Of what the zone's clock shows then; the 19th character ends the seconds.
  fc.constantFrom(4, 7, 10, 13, 16, 19).map((length) => (local: string) => local.slice(0, length)),
  fc
    .constantFrom("Z", "+05:45", "-03:30")
    .map((offset) => (local: string) => `${local.slice(0, 19)}${offset}`),
  // The end of a month, and days that it may not have.
  fc.integer({ min: 27, max: 32 }).map((day) => (local: string) => `${local.slice(0, 8)}${day}`),
);

test("a word means what Temporal says, from 1900 to 2100, wherever clocks change", () => {
  fc.assert(
    fc.property(zoned, form, fc.integer({ min: -90, max: 90 }), ({ timezone, now }, textOf, minutes) => {
      const clock = Temporal.Instant.fromEpochMilliseconds(now)
        .toZonedDateTimeISO(timezone)
        .toPlainDateTime();
      // Also what the clock never shows, because it skips it.
      const text = textOf(clock.add({ minutes }).toString({ fractionalSecondDigits: 3 }));
      const said = byCalendar(text, now, timezone);
      const expected = byTemporal(text, now, timezone);
      if (said === null || expected === null) expect([text, said]).toEqual([text, expected]);
      else {
        fc.pre(expected.start >= Date.UTC(1900, 0, 3) && !hasOddSeconds(expected, timezone));
        expect({ text, ...said }).toEqual({ text, ...expected });
      }
    }),
    { numRuns: runs(3000) },
  );
});

test("in a local mean time a day begins within a minute of what Temporal says", () => {
  const said = parsePeriod("1930-05-01", { now: NOW, timezone: "Africa/Monrovia" });
  const expected = byTemporal("1930-05-01", NOW, "Africa/Monrovia");
  expect(Math.abs(said.start - (expected?.start ?? 0))).toBeLessThan(60_000);
});

import { Temporal } from "temporal-polyfill";
import { afterEach, describe, expect, test, vi } from "vitest";
import { timezoneByDate } from "../../src/cli/own-clock.ts";
import { clockTimeOf, dayAt, dayOf, hourOf, offsetsBetween, startOfDay } from "../../src/query/calendar.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

const { DateTimeFormat } = Intl;

afterEach(() => {
  vi.restoreAllMocks();
});

/** What `ask` says, and how often `Intl` was asked. */
function countingIntl<T>(ask: () => T): { said: T; asked: number } {
  const intl = vi.spyOn(Intl, "DateTimeFormat").mockImplementation((...args) => new DateTimeFormat(...args));
  const said = ask();
  const asked = intl.mock.calls.length;
  intl.mockRestore();
  return { said, asked };
}

describe("the zone asked for", () => {
  test.each(["Europe/Berlin", "America/St_Johns", "America/Argentina/Buenos_Aires", "Europe/Moscow", "UTC"])(
    "is %s, and Intl is not asked",
    (name) => {
      const own = process.env.TZ;
      const asked = countingIntl(() => [timezoneByDate(name, {}), hourOf(Date.UTC(2026, 6, 1), name)]);
      expect(asked.asked).toBe(0);
      expect(asked.said).toEqual([
        name,
        Temporal.Instant.from("2026-07-01T00:00:00Z")
          .toZonedDateTimeISO(name)
          .toString({ smallestUnit: "minute", timeZoneName: "never" })
          .replace(/:\d\d(?=[+-])/, ":00"),
      ]);
      expect(process.env.TZ).toBe(own);
    },
  );

  test("is none, not a name that nobody knows, where the system's was emptied", () => {
    vi.stubEnv("TZ", "");
    const zone = timezoneByDate(undefined, { TZ: "" });
    expect(zone === undefined || hourOf(0, zone) === "1970-01-01T00:00+00:00").toBe(true);
    vi.unstubAllEnvs();
  });

  test.each([
    ["Etc/UTC", "UTC"],
    ["europe/berlin", "Europe/Berlin"],
    ["Etc/GMT+5", "Etc/GMT+5"],
    ["Asia/Kathmandu", "Asia/Kathmandu"],
    ["Asia/Katmandu", "Asia/Katmandu"],
    ["asia/kathmandu", "Asia/Kathmandu"],
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["asia/calcutta", "Asia/Calcutta"],
    ["US/EASTERN", "US/Eastern"],
    ["est", "EST"],
  ])("%s is %s", (name, zone) => {
    expect(timezoneByDate(name, {})).toBe(zone);
  });

  test.each([
    "Mars/Olympus",
    "+02:00",
    "",
    "Europe/Berlin; DROP",
    "CET-1CEST",
    "Foo5Bar",
    "localtime",
    ":UTC",
  ])("cannot be %j", (name) => {
    expect(timezoneByDate(name, {})).toBeUndefined();
  });
});

test("the system's zone is that of the environment before any other", () => {
  expect(timezoneByDate(undefined, { TZ: "Asia/Tokyo" })).toBe("Asia/Tokyo");
  expect(timezoneByDate(undefined, { TZ: "Asia/Kathmandu" })).toBe("Asia/Kathmandu");
  expect(timezoneByDate(undefined, {})).toEqual(expect.any(String));
});

test("a clock by Date says of every zone what Temporal says, at every hour that there is", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  for (const zone of zones) expect(timezoneByDate(zone, {})).toBe(zone);
  const instant = fc.integer({ min: Date.UTC(2022, 0), max: Date.UTC(2042, 0) });
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), (ms, zone) => {
      const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
      const day = time.toPlainDate();
      expect([dayOf(ms, zone), hourOf(ms, zone), clockTimeOf(ms, zone)]).toEqual([
        day.toString(),
        `${day}T${time.toString().slice(11, 13)}:00${time.offset}`,
        time.toString().slice(11, 16),
      ]);
      expect(startOfDay(dayAt(ms, zone), zone)).toBe(day.toZonedDateTime(zone).epochMilliseconds);
    }),
    { numRuns: runs(2000) },
  );
});

test.each(["Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut"])(
  "a clock by Date is changed when Temporal says, in %s",
  (zone) => {
    timezoneByDate(zone, {});
    const [first, last] = [Date.UTC(2024, 0), Date.UTC(2040, 0)];
    const changes: number[] = [];
    let time = Temporal.Instant.fromEpochMilliseconds(first)
      .toZonedDateTimeISO(zone)
      .getTimeZoneTransition("next");
    for (; time !== null && time.epochMilliseconds < last; time = time.getTimeZoneTransition("next")) {
      changes.push(time.epochMilliseconds);
    }
    const offsets = countingIntl(() => offsetsBetween(first, last - 1, zone).map(({ from }) => from));
    expect(offsets).toEqual({ said: [-Infinity, ...changes], asked: 0 });
  },
);

import { Temporal } from "temporal-polyfill";
import { afterEach, describe, expect, test, vi } from "vitest";
import { clockTimeOf, dayAt, dayOf, hourOf, startOfDay } from "../../src/time/calendar.ts";
import { offsetsBetween, ownTimezone, timezoneByDate, timezoneByIntl } from "../../src/time/zone.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

/** What `ask` says, and how often `Intl` was asked. */
function countingIntl<T>(ask: () => T): { said: T; asked: number } {
  let asked = 0;
  class Counted extends Intl.DateTimeFormat {
    constructor(...options: ConstructorParameters<typeof Intl.DateTimeFormat>) {
      super(...options);
      asked++;
    }
  }
  vi.stubGlobal("Intl", Object.create(Intl, { DateTimeFormat: { value: Counted } }));
  const said = ask();
  vi.unstubAllGlobals();
  return { said, asked };
}

/** The zone of a process that was started in it, and of its clock. */
function startedIn(name: string): string | undefined {
  vi.stubEnv("TZ", name);
  return timezoneByDate(undefined, { TZ: name });
}

function temporal(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
}

describe("a zone is called", () => {
  test.each([
    "Asia/Kathmandu",
    "Asia/Katmandu",
    "Asia/Kolkata",
    "Asia/Calcutta",
    "Europe/Kyiv",
    "US/Eastern",
  ])("%s, as it was asked for", (name) => {
    expect(timezoneByIntl(name)).toBe(name);
  });

  test.each([
    ["europe/berlin", "Europe/Berlin"],
    ["asia/kathmandu", "Asia/Kathmandu"],
    ["ASIA/CALCUTTA", "Asia/Calcutta"],
    ["america/port-au-prince", "America/Port-au-Prince"],
    ["etc/gmt+3", "Etc/GMT+3"],
    ["est", "EST"],
  ])("by the letters of IANA: %s is %s", (name, zone) => {
    expect(timezoneByIntl(name)).toBe(zone);
  });

  test.each(["UTC", "utc"])("UTC where it is nothing else: %s", (name) => {
    expect(timezoneByIntl(name)).toBe("UTC");
  });

  test("by the letters of IANA, whichever it is and however it was written", () => {
    const others =
      `CET CST6CDT EET EST5EDT Eire GB GB-Eire HST Hongkong MET MST MST7MDT NZ NZ-CHAT PRC PST8PDT ROC
      ROK W-SU WET Cuba Singapore America/Knox_IN America/Indiana/Tell_City America/North_Dakota/New_Salem
      America/Argentina/ComodRivadavia America/Port_of_Spain America/St_Johns Antarctica/DumontDUrville
      Antarctica/McMurdo Asia/Ho_Chi_Minh Asia/Ust-Nera Brazil/DeNoronha Chile/EasterIsland Europe/Isle_of_Man
      Mexico/BajaNorte Mexico/BajaSur Africa/Dar_es_Salaam Pacific/Yap US/East-Indiana Etc/GMT-14`.split(
        /\s+/,
      );
    const names = [...Intl.supportedValuesOf("timeZone"), ...others].filter((name) => name !== "UTC");
    for (const name of names) {
      const said = [name, name.toLowerCase(), name.toUpperCase()].map(timezoneByIntl);
      expect([name, ...said]).toEqual([name, name, name, name]);
      expect(temporal(0, name.toLowerCase()).timeZoneId).toBe(name);
    }
  });
});

test.each(["CST", "ist", "PST"])(
  "a name that only Intl understands is that of the zone it stands for: %s",
  (name) => {
    expect(timezoneByIntl(name)).toBe(
      new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone,
    );
    expect(timezoneByIntl("CST")).toBe("America/Chicago");
  },
);

test.each([
  [":Asia/Tokyo", "Asia/Tokyo"],
  ["posix/Asia/Tokyo", "Asia/Tokyo"],
  [":right/asia/tokyo", "Asia/Tokyo"],
  ["/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"],
  [":/usr/share/zoneinfo-leaps/posix/Asia/Tokyo", "Asia/Tokyo"],
  ["JST-9", "Etc/GMT-9"],
  ["<-03>3", "Etc/GMT+3"],
  ["EST+05:00", "Etc/GMT+5"],
  ["UTC0", "UTC"],
  [":UTC", "UTC"],
])("a zone may be written as for TZ: %s is %s", (name, zone) => {
  expect([timezoneByIntl(name), timezoneByDate(name, {})]).toEqual([zone, zone]);
  expect(hourOf(0, name)).toBe(hourOf(0, zone));
});

test.each(["Mars/Olympus", "", "+02:00", "UTC+2", "GMT-5", "JST-15", "<+0330>-3:30"])(
  "%j is no zone",
  (name) => {
    expect(timezoneByIntl(name)).toBeUndefined();
  },
);

describe("the zone of a program that has to start quickly", () => {
  test.each(["Europe/Berlin", "America/St_Johns", "America/Argentina/Buenos_Aires", "Asia/Kolkata", "UTC"])(
    "is the system's, %s, and Intl is not asked",
    (name) => {
      const asked = countingIntl(() => [startedIn(name), hourOf(Date.UTC(2026, 6, 1), name)]);
      expect(asked.asked).toBe(0);
      expect(asked.said).toEqual([
        name,
        temporal(Date.UTC(2026, 6, 1), name)
          .toString({ smallestUnit: "minute", timeZoneName: "never" })
          .replace(/:\d\d(?=[+-])/, ":00"),
      ]);
      expect(timezoneByDate(name, { TZ: name })).toBe(name);
    },
  );

  test("is none, not a name that nobody knows, where the system's was emptied", () => {
    const zone = startedIn("");
    expect(zone === undefined || hourOf(0, zone) === "1970-01-01T00:00+00:00").toBe(true);
  });

  test.each([
    ["CET-1CEST,M3.5.0,M10.5.0/3", undefined],
    ["<+0330>-3:30", undefined],
    ["Mars/Olympus", undefined],
    ["europe/berlin", undefined],
    ["JST", undefined],
    ["ABC", undefined],
    ["JST-9", "Etc/GMT-9"],
    ["UTC-2", "Etc/GMT-2"],
    ["GMT+5", "Etc/GMT+5"],
    ["<-03>3", undefined],
    ["UTC0", "UTC"],
    [":UTC", "UTC"],
    ["EST5EDT", "EST5EDT"],
    [":Europe/Berlin", "Europe/Berlin"],
    ["posix/Europe/Berlin", "Europe/Berlin"],
    ["right/Europe/Berlin", "Europe/Berlin"],
    ["Africa/Abidjan", "Africa/Abidjan"],
  ])("is the one that Date shows, or none where Date makes UTC of it: %s is %s", (name, zone) => {
    expect([startedIn(name), ownTimezone(name)]).toEqual([zone, zone]);
    for (const ms of [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)]) {
      const date = new Date(ms);
      expect(hourOf(ms, zone ?? "UTC").slice(0, 13)).toBe(
        new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 13),
      );
    }
  });

  test("is the environment's before any other", () => {
    expect([startedIn("Asia/Tokyo"), startedIn("Asia/Kathmandu")]).toEqual(["Asia/Tokyo", "Asia/Kathmandu"]);
    vi.unstubAllEnvs();
    expect(timezoneByDate(undefined, {})).toEqual(expect.any(String));
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
  ])("may be another: %s is %s", (name, zone) => {
    expect(timezoneByDate(name, {})).toBe(zone);
  });

  test.each(["Mars/Olympus", "+02:00", "", "Europe/Berlin; DROP", "CET-1CEST", "Foo5Bar", "localtime", ":"])(
    "cannot be %j",
    (name) => {
      expect(timezoneByDate(name, {})).toBeUndefined();
    },
  );
});

test("a clock by Date says of every zone what Temporal says, at every hour that there is", () => {
  const zones = Intl.supportedValuesOf("timeZone");
  for (const zone of zones) expect(startedIn(zone)).toBe(zone);
  const instant = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2100, 0) });
  fc.assert(
    fc.property(
      fc.array(instant, { minLength: 5, maxLength: 5 }),
      fc.constantFrom(...zones),
      (times, zone) => {
        startedIn(zone);
        for (const ms of times) {
          const time = temporal(ms, zone);
          const day = time.toPlainDate();
          expect([dayOf(ms, zone), hourOf(ms, zone), clockTimeOf(ms, zone)]).toEqual([
            day.toString(),
            `${day}T${time.toString().slice(11, 13)}:00${time.offset}`,
            time.toString().slice(11, 16),
          ]);
          expect(startOfDay(dayAt(ms, zone), zone)).toBe(day.toZonedDateTime(zone).epochMilliseconds);
        }
      },
    ),
    { numRuns: runs(400) },
  );
});

test.each(["Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut"])(
  "a clock by Date is changed when Temporal says, in %s",
  (zone) => {
    startedIn(zone);
    const [first, last] = [Date.UTC(2024, 0), Date.UTC(2040, 0)];
    const changes: number[] = [];
    let time = temporal(first, zone).getTimeZoneTransition("next");
    for (; time !== null && time.epochMilliseconds < last; time = time.getTimeZoneTransition("next")) {
      changes.push(time.epochMilliseconds);
    }
    const offsets = countingIntl(() => offsetsBetween(first, last - 1, zone).map(({ from }) => from));
    expect(offsets).toEqual({ said: [-Infinity, ...changes], asked: 0 });
  },
);

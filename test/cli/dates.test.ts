import { describe, expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import { parseSpan } from "../../src/query/span.ts";

const NOW = Date.parse("2026-11-03T12:30:00Z");
const HOUR = 3_600_000;

function span(text: string, timezone = "UTC", now = NOW): [string, string] {
  const { start, end } = parseSpan(text, { now, timezone });
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
  ];
  test.each(cases)("%s is from %s to %s", (text, start, end) => {
    expect(span(text)).toEqual([start, end]);
  });
});

describe("in other zones", () => {
  test("a day begins at the zone's midnight", () => {
    expect(span("2026-11-03", "Asia/Kathmandu")).toEqual([
      "2026-11-02T18:15:00.000Z",
      "2026-11-03T18:15:00.000Z",
    ]);
  });

  test("today is the zone's today", () => {
    expect(span("today", "Pacific/Auckland")[0]).toBe("2026-11-03T11:00:00.000Z");
  });

  test("local time without an offset is the zone's", () => {
    expect(span("2026-07-01T10:00", "Europe/Berlin")[0]).toBe("2026-07-01T08:00:00.000Z");
  });

  test.each([
    ["2026-03-29", "Europe/Berlin", 23],
    ["2026-10-25", "Europe/Berlin", 25],
    ["2026-11-01", "America/New_York", 25],
    ["2026-10-04", "Australia/Lord_Howe", 23.5],
  ])("%s in %s has %d hours", (day, timezone, hours) => {
    const { start, end } = parseSpan(day, { now: NOW, timezone });
    expect((end - start) / HOUR).toBe(hours);
  });

  test("a day whose midnight is skipped begins with its first moment", () => {
    expect(span("2018-11-04", "America/Sao_Paulo")[0]).toBe("2018-11-04T03:00:00.000Z");
  });

  test("so many days ago are days of the calendar, over a change of the clock", () => {
    expect(span("2d", "Europe/Berlin", Date.parse("2026-10-26T12:00:00Z"))[0]).toBe(
      "2026-10-23T22:00:00.000Z",
    );
  });

  test("a month ago on the 31st is the last day of the month before", () => {
    expect(span("1mo", "UTC", Date.parse("2026-03-31T12:00:00Z"))[0]).toBe("2026-02-28T00:00:00.000Z");
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
])("%j is no date", (text) => {
  expect(() => parseSpan(text, { now: NOW, timezone: "UTC" })).toThrow(SessionDbError);
});

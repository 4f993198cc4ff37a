import { describe, expect, test } from "vitest";
import { timezoneByIntl } from "../src/timezone.ts";

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
});

test("a name that only Intl understands is that of the zone it stands for", () => {
  expect(timezoneByIntl("CST")).toBe("America/Chicago");
});

test.each(["Mars/Olympus", "", "+02:00"])("%j is no zone", (name) => {
  expect(timezoneByIntl(name)).toBeUndefined();
});

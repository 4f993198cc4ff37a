import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import {
  USAGE_GROUPINGS,
  type USAGE_SORT_KEYS,
  type UsageOptions,
} from "../../../src/reports/usage/usage-shapes.ts";
import { searchEntries } from "../../../src/search/search.ts";
import { withIndex } from "../../helpers/open-index.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { LATER } from "../../indexing/store.ts";
import { indexOf, indexOfSessions } from "../indexed.ts";

const usage = (input: number, cost = 0) => ({ input, totalTokens: input, cost: { total: cost } });

/** Requests by day of a zone, of assistant messages at these moments. */
function daysOf(timezone: string, moments: string[]): Record<string, number> {
  const built = session({ timestamp: "2000-01-01T00:00:00Z" });
  for (const moment of moments) built.at(moment).assistant({ usage: usage(1) });
  const { rows } = sumUsage(indexOfSessions(built), { by: "daily", timezone });
  return Object.fromEntries(rows.map(({ key, requests }) => [key, requests]));
}

describe("a day", () => {
  test("of Berlin has 23 hours in spring", () => {
    const moments = [
      "2025-03-29T22:59:59Z",
      "2025-03-29T23:00:00Z",
      "2025-03-30T21:59:59Z",
      "2025-03-30T22:00:00Z",
    ];
    expect(daysOf("Europe/Berlin", moments)).toEqual({ "2025-03-29": 1, "2025-03-30": 2, "2025-03-31": 1 });
  });

  test("of Berlin has 25 hours in autumn", () => {
    const moments = [
      "2025-10-25T21:59:59Z",
      "2025-10-25T22:00:00Z",
      "2025-10-26T22:59:59Z",
      "2025-10-26T23:00:00Z",
    ];
    expect(daysOf("Europe/Berlin", moments)).toEqual({ "2025-10-25": 1, "2025-10-26": 2, "2025-10-27": 1 });
  });

  test.each(["Europe/Berlin", "Pacific/Chatham", "America/New_York"])(
    "of %s stands with its hours in the order of time, though one comes twice",
    (timezone) => {
      const built = session({ timestamp: "2000-01-01T00:00:00Z" });
      const moments = Array.from({ length: 24 * 365 }, (_, hour) => Date.UTC(2026, 0, 1, hour));
      for (const moment of moments) built.at(new Date(moment).toISOString()).assistant({ usage: usage(1) });
      const index = indexOfSessions(built);
      const { rows } = sumUsage(index, { by: "hourly", timezone });
      expect(rows.map(({ key }) => Date.parse(key))).toEqual(
        rows.map(({ key }) => Date.parse(key)).toSorted((a, b) => a - b),
      );
      const newestFirst = sumUsage(index, { by: "hourly", timezone, sort: { key: "key", descending: true } });
      expect(newestFirst.rows).toEqual(rows.toReversed());
    },
  );

  test("beyond the year 9999 comes after all others", () => {
    const built = session({ timestamp: "2000-01-01T00:00:00Z" });
    for (const moment of ["+012026-05-01T00:00:00.000Z", "2026-05-01T00:00:00.000Z"]) {
      built.at(moment).assistant({ usage: usage(1) });
    }
    const { rows } = sumUsage(indexOfSessions(built), { by: "daily", timezone: "UTC" });
    expect(rows.map(({ key }) => key)).toEqual(["2026-05-01", "+012026-05-01"]);
  });

  test("of Kathmandu begins at a quarter past", () => {
    const moments = ["2025-06-01T18:14:59.999Z", "2025-06-01T18:15:00Z"];
    expect(daysOf("Asia/Kathmandu", moments)).toEqual({ "2025-06-01": 1, "2025-06-02": 1 });
  });

  test("of St. John's begins at half past, in winter and in summer", () => {
    const moments = [
      "2025-01-10T03:29:59Z",
      "2025-01-10T03:30:00Z",
      "2025-07-10T02:29:59Z",
      "2025-07-10T02:30:00Z",
    ];
    const days = { "2025-01-09": 1, "2025-01-10": 1, "2025-07-09": 1, "2025-07-10": 1 };
    expect(daysOf("America/St_Johns", moments)).toEqual(days);
  });

  test("of Apia that never was, in 2011, is none", () => {
    const moments = ["2011-12-30T09:59:59Z", "2011-12-30T10:00:00Z"];
    expect(daysOf("Pacific/Apia", moments)).toEqual({ "2011-12-29": 1, "2011-12-31": 1 });
  });

  test("before 1970 is a day like any other", () => {
    expect(daysOf("UTC", ["1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z"])).toEqual({
      "1969-12-31": 1,
      "1970-01-01": 1,
    });
  });
});

test("a request that states no time is of the time the session was begun", () => {
  const built = session({ timestamp: "2026-02-03T04:05:06Z" });
  built.usage("k", { usage: usage(1) }, { timestamp: "?" });
  const [row] = sumUsage(indexOfSessions(built), { by: "daily", timezone: "UTC" }).rows;
  expect(row?.key).toBe("2026-02-03");
});

/** Three sessions in two projects; the second is the first one's fork. */
function threeSessions() {
  const first = session({ id: "first", cwd: "/p", timestamp: "2026-01-01T10:00:00Z" });
  first.user("the first").assistant({ usage: usage(10, 1), model: "b" });
  const fork = first.fork({ id: "fork", cwd: "/q", timestamp: "2026-01-02T10:00:00Z" });
  fork.at("2026-01-02T10:00:01Z").assistant({ usage: usage(20, 5), model: "a" });
  const third = session({ id: "third", cwd: "/p", timestamp: "2026-01-03T10:00:00Z" });
  third.assistant({ usage: usage(30, 2), model: "b" }).usage("k", { usage: usage(5, 0), model: "c" });
  return indexOfSessions(first, fork, third);
}

function keysOf(options: Partial<UsageOptions> & Pick<UsageOptions, "by">): string[] {
  return sumUsage(threeSessions(), { timezone: "UTC", ...options }).rows.map(({ key }) => key);
}

describe("rows", () => {
  test.each<[UsageOptions["by"], string[]]>([
    ["daily", ["2026-01-01", "2026-01-02", "2026-01-03"]],
    ["session", ["fork", "third", "first"]],
    ["project", ["/q", "/p"]],
    ["model", ["a", "b", "c"]],
  ])("by %s are days in order, else the dearest first", (by, keys) => {
    expect(keysOf({ by })).toEqual(keys);
  });

  test.each<[(typeof USAGE_SORT_KEYS)[number], boolean, string[]]>([
    ["key", false, ["a", "b", "c"]],
    ["key", true, ["c", "b", "a"]],
    ["cost", false, ["c", "b", "a"]],
    ["input", true, ["b", "a", "c"]],
    ["requests", true, ["b", "c", "a"]],
  ])("can be sorted by %s, the greatest first: %s", (key, descending, keys) => {
    expect(keysOf({ by: "model", sort: { key, descending } })).toEqual(keys);
  });

  test("of sessions with one id that cost the same come in the order of their files, whichever was read first", () => {
    const root = tempDir();
    withIndex(tempDir(), (index) => {
      const paths = ["b", "a"].map((name) => join(root, `${name}.jsonl`));
      for (const [number, path] of paths.entries()) {
        session()
          .assistant({ usage: usage(10, 1), model: `m${number}` })
          .write(path);
        syncAll(index, [root], { now: LATER });
      }
      const { rows } = sumUsage(index, {
        by: "session",
        timezone: "UTC",
        sort: { key: "cost", descending: false },
      });
      expect(rows.map(({ path }) => path)).toEqual(paths.toReversed());
    });
  });

  test("are cut at the limit, and the totals are not", () => {
    const { rows, totals } = sumUsage(threeSessions(), { by: "model", timezone: "UTC", limit: 1 });
    expect([rows.length, totals.requests, totals.cost]).toEqual([1, 4, 8]);
  });

  test("hold models, times and the course of the cost only where these are asked for", () => {
    const more = (options: Partial<UsageOptions>) => {
      const [row] = sumUsage(threeSessions(), { by: "project", timezone: "UTC", ...options }).rows;
      const { models, firstAt, lastAt, trend } = row ?? {};
      return [models?.map(({ key }) => key), firstAt, lastAt, trend?.length];
    };
    expect(more({})).toEqual([undefined, undefined, undefined, undefined]);
    expect(more({ breakdown: true })).toEqual([["a"], undefined, undefined, undefined]);
    const at = "2026-01-02T10:00:01.000Z";
    expect(more({ times: true })).toEqual([undefined, at, at, undefined]);
    expect(more({ trend: 3 })).toEqual([undefined, undefined, undefined, 3]);
  });

  test("of sessions say what and where they are", () => {
    const { rows } = sumUsage(threeSessions(), { by: "session", timezone: "UTC" });
    expect(rows.at(-1)).toMatchObject({
      key: "first",
      label: "the first",
      path: expect.stringMatching(/first\.jsonl$/),
    });
  });

  test("of what says nothing of itself are unknown", () => {
    const index = indexOfSessions(session({ cwd: "" }).compaction("s", { usage: usage(1) }));
    const keys = (["model", "project"] as const).map(
      (by) => sumUsage(index, { by, timezone: "UTC" }).rows[0]?.key,
    );
    expect(keys).toEqual(["unknown", "unknown"]);
  });
});

describe("a report", () => {
  test("tells copies from what was spent", () => {
    const { totals, copies } = sumUsage(threeSessions(), { by: "daily", timezone: "UTC" });
    expect([totals.requests, totals.cost, copies.requests, copies.cost]).toEqual([4, 8, 1, 1]);
  });

  test("names its first and last day, both included", () => {
    const filter = { since: Date.parse("2025-12-31T23:00:00Z"), until: Date.parse("2026-01-31T23:00:00Z") };
    const report = sumUsage(threeSessions(), { by: "daily", timezone: "Europe/Berlin", filter });
    expect([report.since, report.until]).toEqual(["2026-01-01", "2026-01-31"]);
  });

  test("names the first and last instant of what is not of whole days", () => {
    const filter = { since: Date.parse("2026-01-01T00:00Z"), until: Date.parse("2026-01-02T10:00Z") + 1 };
    const report = sumUsage(threeSessions(), { by: "daily", timezone: "Europe/Berlin", filter });
    expect([report.since, report.until]).toEqual(["2026-01-01T00:00:00.000Z", "2026-01-02T10:00:00.000Z"]);
  });

  test("is open where nothing bounds it", () => {
    expect(sumUsage(threeSessions(), { by: "daily", timezone: "UTC" })).toMatchObject({
      since: null,
      until: null,
    });
  });

  test("of nothing is empty", () => {
    const { rows, totals } = sumUsage(indexOfSessions(), { by: "daily", timezone: "UTC" });
    expect([rows, totals.cost, totals.requests]).toEqual([[], 0, 0]);
  });

  test("is of the roots asked for", () => {
    const root = tempDir();
    for (const name of ["a", "ab", "b"])
      session({ id: name }).assistant({ text: name }, { id: name }).write(`${root}/${name}/1.jsonl`);
    const of = (...roots: string[]) =>
      sumUsage(indexOf(root), { by: "session", timezone: "UTC", roots }).rows.map(({ key }) => key);
    expect([of(`${root}/a`), of(`${root}/a`, `${root}/b`).toSorted(), of(), of(root).length]).toEqual([
      ["a"],
      ["a", "b"],
      [],
      3,
    ]);
  });
});

describe("the roll-up by quarters and the single rows agree", () => {
  const bounds: [string, number][] = [
    ["at the quarter", 0],
    ["a millisecond after it", 1],
    ["in the middle of it", 450_000],
  ];
  test.each(bounds)("when a time lies %s", (_name, offset) => {
    const built = session({ timestamp: "2026-01-01T00:00:00Z" });
    for (let minute = 0; minute < 60; minute++) {
      built.at(Date.parse("2026-01-01T00:00:00Z") + minute * 60_000).assistant({ usage: usage(1) });
    }
    const since = Date.parse("2026-01-01T00:15:00Z") + offset;
    const { totals } = sumUsage(indexOfSessions(built), { by: "daily", timezone: "UTC", filter: { since } });
    expect(totals.requests).toBe(45 - Math.ceil(offset / 60_000));
  });
});

test("A27: a million tokens in each of many calls are added exactly, and senseless numbers break no sum", () => {
  const built = session();
  for (let call = 0; call < 200; call++)
    built.assistant({ usage: usage(1e12, 1e12) }).assistant({ usage: usage(2 ** 60, 1e300) });
  const { totals } = sumUsage(indexOfSessions(built), { by: "model", timezone: "UTC" });
  expect([totals.input, totals.cost, totals.requests]).toEqual([2e14, 2e14, 400]);
});

test("what the cache has saved is the same whatever the report is grouped by", () => {
  const cost = { input: 0.5, cacheRead: 0.01, total: 0.51 };
  const index = indexOfSessions(
    // No input, and yet a price for it: a row of its own by day, one with the next by model.
    session({ id: "odd", timestamp: "2026-01-01T00:00:00Z" }).assistant({ usage: { cacheRead: 100, cost } }),
    session({ id: "plain", timestamp: "2026-01-02T00:00:00Z" })
      .assistant({ usage: { input: 10, cacheRead: 1000, cost } })
      // Its price is not known, so neither what its input costs nor what the cache spared it.
      .assistant({ usage: { input: 40, cacheRead: 5000, cost: { input: 0, cacheRead: 0, total: 0 } } })
      // Of nothing there is no price to be known.
      .assistant({ usage: { input: 0, output: 0, totalTokens: 0 } }),
  );
  const reports = USAGE_GROUPINGS.map((by) => sumUsage(index, { by, timezone: "UTC" }));
  const saved = reports.map(({ cacheSavings, unpriced }) => [cacheSavings?.toFixed(6), unpriced]);
  expect(saved).toEqual(USAGE_GROUPINGS.map(() => ["109.980000", 1]));
});

test("a zone that is none is wrong usage", () => {
  const index = indexOfSessions(session().assistant());
  const timezone = "Mars/Olympus";
  expect(() => sumUsage(index, { by: "daily", timezone })).toThrow('unknown time zone "Mars/Olympus"');
  expect(() => searchEntries(index, "x since:today", { timezone })).toThrow(
    'unknown time zone "Mars/Olympus"',
  );
});

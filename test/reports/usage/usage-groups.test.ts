import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import type { UsageOptions, UsageReport, UsageRow } from "../../../src/reports/usage/usage-shapes.ts";
import { type Index, openIndex } from "../../../src/store/open.ts";
import { groupFolder } from "../../helpers/independent-groups.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { isMissing } from "../../helpers/peers.ts";
import { writePiStore } from "../../helpers/pi-store.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { writeMixedStore } from "../../search/mixed-store.ts";
import { counted, keyed } from "./compared-sums.ts";
import { writeSpendingStore } from "./spending-store.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "Asia/Kathmandu",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Pacific/Apia",
];

function writtenByPi(root: string): void {
  writePiStore({ sessions: 48, projects: 4, seed: 11, agentDir: root });
}

/** Copies that stay when what they were copied from is gone. */
function withoutParents(root: string): void {
  const { sessions } = writePiStore({ sessions: 48, projects: 4, seed: 12, agentDir: root });
  for (const { file, kind } of sessions) if (kind === "branches" || kind === "plain") rmSync(file);
}

const stores: [string, (root: string) => void, boolean][] = [
  ["the five sources, labels, branches and forks of them", writeSpendingStore, false],
  ["sessions of every kind and every damage", writeMixedStore, false],
  ["sessions written by pi", writtenByPi, isMissing("piAgentModule")],
  ["forks written by pi whose parents are gone", withoutParents, isMissing("piAgentModule")],
];

describe.each(stores)("of %s", (name, write, missing) => {
  describe.skipIf(missing)(name, () => {
    const folder = sharedTempDir();
    const root = join(folder, "store");
    let index: Index;
    beforeAll(() => {
      write(root);
      index = openIndex(indexIn(folder));
      syncAll(index, [root]);
    });
    afterAll(() => index.close());

    const rowsOf = (options: Omit<UsageOptions, "timezone"> & { timezone?: string }) =>
      keyed(sumUsage(index, { timezone: "UTC", ...options }).rows);

    test.each(["model", "provider", "source", "tool", "label", "branch"] as const)(
      "a report by %s equals a plain count",
      (by) => {
        expect(rowsOf({ by })).toEqual(counted(groupFolder(root)[by]));
      },
    );

    test.each(ZONES)("hours, days, weeks and months of %s equal a plain count", (timezone) => {
      const count = groupFolder(root, timezone);
      for (const by of ["hourly", "daily", "weekly", "monthly", "hour-of-week"] as const) {
        expect([by, rowsOf({ by, timezone })]).toEqual([by, counted(count[by])]);
      }
      expect(rowsOf({ by: "weekly", timezone, weekStart: "sunday" })).toEqual(counted(count.sundays));
    });

    test("hours of the week begin with that of the report", () => {
      const days = (weekStart: "monday" | "sunday") => {
        const { rows } = sumUsage(index, { by: "hour-of-week", timezone: "UTC", weekStart });
        return [...new Set(rows.map(({ key }) => key.slice(0, 3)))];
      };
      const week = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
      const used = new Set(days("monday"));
      expect(days("monday")).toEqual([...week, "Sun"].filter((day) => used.has(day)));
      expect(days("sunday")).toEqual(["Sun", ...week].filter((day) => used.has(day)));
    });

    test("the single rows say the same as the roll-up", () => {
      for (const by of ["daily", "monthly", "session", "project", "model", "provider", "source"] as const) {
        const [rollUp, single] = [undefined, true].map((times) =>
          sumUsage(index, { by, timezone: "Asia/Kathmandu", breakdown: true, ...(times && { times }) }),
        );
        const told = (report: UsageReport | undefined, dollars: Dollars) => [
          report?.unpriced,
          report?.copies.requests,
          report?.totals.requests,
          inKeys(report?.rows).map((row) => figuresOf(row, dollars)),
        ];
        expect([by, ...told(single, (amount) => amount)]).toEqual([by, ...told(rollUp, about)]);
      }
    });
  });
});

type Dollars = (amount: number | null) => unknown;

/** Added in another order, dollars differ in the last places. */
const about: Dollars = (amount) => (amount === null ? null : expect.closeTo(amount, 9));

function figuresOf(row: UsageRow, dollars: Dollars): unknown {
  const { models, firstAt: _first, lastAt: _last, cost, cacheSavings, ...counts } = row;
  const ofModels = models?.map((model) => figuresOf(model, dollars));
  return { ...counts, cost: dollars(cost), cacheSavings: dollars(cacheSavings), models: ofModels };
}

function inKeys(rows: UsageRow[] = []): UsageRow[] {
  const place = ({ path = "", key }: UsageRow) => `${key} ${path}`;
  return rows
    .map((row) => (row.models === undefined ? row : { ...row, models: inKeys(row.models) }))
    .toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

describe("the prompt cache", () => {
  const usage = (numbers: Record<string, number>, cost: Record<string, number>) => ({
    input: 0,
    output: 0,
    ...numbers,
    cost,
  });
  const reportOf = (folder: string, ...usages: ReturnType<typeof usage>[]) => {
    const built = session({ id: "cached" });
    for (const each of usages) built.assistant({ usage: each });
    built.writeBelow(join(folder, "s"));
    const index = openIndex(indexIn(folder));
    try {
      syncAll(index, [join(folder, "s")]);
      return sumUsage(index, { by: "model", timezone: "UTC" });
    } finally {
      index.close();
    }
  };
  const folder = sharedTempDir();

  test("saved what its tokens would have cost as input, less what they did cost", () => {
    const report = reportOf(
      join(folder, "a"),
      usage({ input: 1000, cacheRead: 9000 }, { input: 0.003, cacheRead: 0.0027, total: 0.0057 }),
      usage({ input: 1000, cacheWrite: 2000 }, { input: 0.003, cacheWrite: 0.0075, total: 0.0105 }),
    );
    // 11,000 tokens at $3 a million are $0.033; they did cost $0.0102.
    expect(report.cacheSavings).toBeCloseTo(0.033 - 0.0102, 12);
    expect(report.cacheHitRate).toBeCloseTo(9 / 13, 12);
  });

  test("saved nobody knows how much in a request that states nothing but its whole cost", () => {
    const report = reportOf(
      join(folder, "c"),
      usage({ input: 1000 }, { input: 0.003, total: 0.003 }),
      usage({ cacheRead: 1000 }, { total: 0.002 }),
    );
    expect(report.cacheSavings).toBe(0);
  });

  test("saved nobody knows how much where no price is stated, and the requests are not priced", () => {
    const report = reportOf(
      join(folder, "b"),
      usage({ input: 10, cacheRead: 90, totalTokens: 100 }, { total: 0 }),
    );
    expect([report.cacheSavings, report.cacheHitRate, report.unpriced]).toEqual([null, 0.9, 1]);
  });
});

const spent = (cost: number) => ({ usage: { totalTokens: 1, cost: { total: cost } } });

test.each([
  [
    "whose ids repeat",
    session()
      .assistant(spent(1), { id: "a", parentId: null })
      .assistant(spent(2), { id: "b", parentId: "a" })
      .assistant(spent(4), { id: "a", parentId: null }),
    { current: 4, abandoned: 3 },
  ],
  [
    "whose parents stand below",
    session()
      .assistant(spent(1), { id: "a", parentId: null })
      .assistant(spent(4), { id: "c", parentId: "b" })
      .assistant(spent(2), { id: "b", parentId: "a" }),
    { current: 3, abandoned: 4 },
  ],
])("a tree %s is one branch long, and its session ends on another", (_, built, expected) => {
  const folder = tempDir();
  built.writeBelow(join(folder, "store"));
  withIndex(folder, (index) => {
    syncAll(index, [join(folder, "store")]);
    const { rows } = sumUsage(index, { by: "branch", timezone: "UTC" });
    expect(Object.fromEntries(rows.map(({ key, cost }) => [key, cost]))).toEqual(expected);
    const view = index.database.prepare("SELECT sum(cost) FROM usage_abandoned").pluck().get();
    expect(view).toBe(expected.abandoned);
  });
});

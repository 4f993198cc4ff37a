import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { findWaste } from "../../../src/reports/waste/waste-report.ts";
import type { Wasted, WasteReport } from "../../../src/reports/waste/waste-shapes.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { countFolder } from "../../helpers/independent-count.ts";
import { readSession } from "../../helpers/independent-read.ts";
import { countWaste, type WasteCount } from "../../helpers/independent-waste.ts";
import { importPeer, isMissing, peersDir } from "../../helpers/peers.ts";
import { writePiStore } from "../../helpers/pi-store.ts";
import { usageOf } from "../../helpers/sample-usage.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { writeMixedStore } from "../../search/mixed-store.ts";
import { indexOf } from "../indexed.ts";
import { writeSpendingStore } from "../usage/spending-store.ts";
import { happenIn, happenings, writeFamily } from "./wasteful-store.ts";

const none = { requests: 0, totalTokens: 0, cost: 0, unpriced: 0 };

/** Dollars are floats, which added in another order differ in the last places. */
function about({ requests, totalTokens, cost, unpriced }: Wasted) {
  return { requests, totalTokens, cost: expect.closeTo(cost, 9), unpriced };
}

function expectSame(report: WasteReport, count: WasteCount): void {
  for (const { key, parts, ...wasted } of report.rows) {
    expect([key, wasted]).toEqual([key, expect.objectContaining(about(count[key]))]);
    for (const part of parts)
      expect([part.key, part]).toEqual([
        part.key,
        expect.objectContaining(about(count.parts.get(part.key) ?? none)),
      ]);
  }
  const parts = report.rows.flatMap((row) => row.parts.map(({ key }) => key));
  expect(parts.toSorted()).toEqual([...count.parts.keys()].sort());
  expect(report.wasted).toEqual(expect.objectContaining(about(count.once)));
}

function expectSound(report: WasteReport): void {
  const { rows, wasted, totals, sessions } = report;
  expect(wasted.cost).toBeLessThanOrEqual(totals.cost + 1e-9);
  expect(wasted.requests).toBeLessThanOrEqual(totals.requests);
  expect(Math.max(...rows.map(({ cost }) => cost))).toBeLessThanOrEqual(wasted.cost + 1e-9);
  const sum = (each: readonly Wasted[]) => each.reduce((sofar, { cost }) => sofar + cost, 0);
  expect(sum(sessions)).toBeCloseTo(wasted.cost, 9);
  for (const { key, cost } of rows) expect(sum(sessions.map(({ kinds }) => kinds[key]))).toBeCloseTo(cost, 9);
}

const parts = fc.tuple(happenings, happenings, happenings);

test("what families have spent in vain equals a plain count", () => {
  fc.assert(
    fc.property(fc.array(parts, { minLength: 1, maxLength: 3 }), (families) => {
      const root = tempDir();
      for (const [at, each] of families.entries()) writeFamily(root, each, at);
      const index = indexOf(root);
      const report = findWaste(index, { timezone: "UTC" });
      expectSame(report, countWaste(root));
      expectSound(report);
      // A day of a zone with summer time, and one model: the request above may lie outside.
      const since = Date.UTC(2026, 0, 2, 7, 3);
      const asked = findWaste(index, { timezone: "Europe/Berlin", filter: { since, model: "sonnet" } });
      expectSame(
        asked,
        countWaste(root, ({ time, model }) => (time ?? 0) >= since && (model ?? "").includes("sonnet")),
      );
      expectSound(asked);
    }),
    { numRuns: runs(40) },
  );
});

test.each<[string, (root: string) => void, boolean]>([
  ["the five sources, labels and branches", writeSpendingStore, false],
  [
    "sessions written by pi",
    (root) => void writePiStore({ sessions: 48, projects: 4, seed: 21, agentDir: root }),
    isMissing("piAgentModule"),
  ],
])("of %s it equals a plain count, and what usage says", (_, write, missing) => {
  if (missing) return;
  const root = tempDir();
  write(root);
  const index = indexOf(root);
  const report = findWaste(index, { timezone: "UTC" });
  expectSame(report, countWaste(root));
  expectSound(report);
  const branches = sumUsage(index, { by: "branch", timezone: "UTC" });
  expect(report.totals).toEqual({ ...branches.totals, cost: expect.closeTo(branches.totals.cost, 9) });
  const abandoned = branches.rows.find(({ key }) => key === "abandoned");
  expect(report.rows[0]).toMatchObject(about(abandoned ?? none));
});

test("of damaged sessions it is no more than was spent, and what usage calls abandoned", () => {
  const root = tempDir();
  writeMixedStore(root);
  const index = indexOf(root);
  const report = findWaste(index, { timezone: "UTC" });
  expectSound(report);
  const abandoned = sumUsage(index, { by: "branch", timezone: "UTC" }).rows.find(
    ({ key }) => key === "abandoned",
  );
  expect([report.totals.requests, report.rows[0]]).toEqual([
    sumUsage(index, { by: "model", timezone: "UTC" }).totals.requests,
    expect.objectContaining(about(abandoned ?? none)),
  ]);
});

test("a backup that was indexed once takes nothing away from the folder that is asked about", () => {
  const [root, backup] = [tempDir(), tempDir()];
  const fail = { kind: "fail", new: 3000, reason: 0 } as const;
  writeFamily(root, [[fail, { kind: "back", to: 1, summary: true }], [fail], [fail]], 0);
  cpSync(root, join(backup, "--a--"), { recursive: true });
  const index = indexOf(root, backup);
  for (const each of [root, backup]) {
    const report = findWaste(index, { timezone: "UTC", roots: [realpathSync(each)] });
    expectSame(report, countWaste(each));
    expect(report.wasted.requests).toBe(3);
  }
});

interface PiCache {
  computeCacheWaste(
    entries: readonly object[],
    models: { getModel(): { cost: { cacheRead: number } } },
  ): { missedTokens: number; missedCost: number; missCount: number };
}

describe.skipIf(isMissing("newestPiCacheModule"))("cache misses", () => {
  test("are those that pi itself tells of, in a session without branches", async () => {
    const pi = await importPeer<PiCache>("newestPiCacheModule");
    const straight = happenings.map((all) => all.filter(({ kind }) => kind !== "back"));
    fc.assert(
      fc.property(straight, (all) => {
        const built = happenIn(session({ timestamp: "2026-01-01T00:00:00.000Z" }), all);
        const root = tempDir();
        built.writeBelow(root);
        const report = findWaste(indexOf(root), { timezone: "UTC" });
        // The price per million of those that read from the cache; local models have none, and pi takes 0 for it.
        const theirs = pi.computeCacheWaste(built.entries, {
          getModel: () => ({ cost: { cacheRead: 0.3 } }),
        });
        const { requests, totalTokens, cost } = report.rows[1] as Wasted;
        expect([requests, totalTokens]).toEqual([theirs.missCount, theirs.missedTokens]);
        // Where nothing of its model was ever read from the cache, we do not guess what that would have cost.
        if (report.rows[1]?.unpriced === 0) expect(cost).toBeCloseTo(theirs.missedCost, 9);
        else expect(cost).toBeLessThanOrEqual(theirs.missedCost + 1e-9);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe.skipIf(isMissing("piAgentModule"))("what pi writes", () => {
  /** The session, with what newer releases state of compactions. */
  function written(): string {
    const folder = tempDir();
    const script = join(peersDir, "pi", "wasteful.mjs");
    const path = execFileSync(process.execPath, [script, folder], { encoding: "utf8" }).trim();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const paid = lines.map((line) => {
      const entry = JSON.parse(line);
      if (entry.type !== "compaction") return line;
      return JSON.stringify({ ...entry, usage: usageOf({ input: 2000, output: 200 }) });
    });
    const root = join(folder, "paid");
    mkdirSync(root);
    writeFileSync(join(root, "session.jsonl"), `${paid.join("\n")}\n`);
    return root;
  }

  test("is a compaction for the same stretch, a retried error, an aborted answer and a miss after an hour", () => {
    const root = written();
    const report = findWaste(indexOf(root), { timezone: "UTC" });
    expectSame(report, countWaste(root));
    expectSound(report);
    const [abandoned, , compactions, failed] = report.rows;
    expect(compactions).toMatchObject(about({ ...none, requests: 1, totalTokens: 2200, cost: 0.009 }));
    expect(abandoned?.requests).toBe(2);
    // What was refused states no tokens.
    expect(failed?.parts).toEqual([expect.objectContaining({ key: "aborted", requests: 1 })]);
    const entries = readSession(join(root, "session.jsonl"))?.entries ?? [];
    const [first, second] = entries.filter(({ type }) => type === "compaction");
    expect(second?.value.firstKeptEntryId).toBe(first?.value.firstKeptEntryId);
  });
});

const asked = (tokens: number, more = {}) => ({
  usage: usageOf({ input: 3, output: 10, ...more, cacheWrite: tokens }),
});

test("a compaction is repeated by one in the same place, or up to the same entry from the same one on", () => {
  const usage = usageOf({ input: 1000, output: 100 });
  const built = session().user("a").assistant(asked(10)).user("b").assistant(asked(10));
  const [here, kept] = [built.lastId ?? "", String(built.entries[2]?.id)];
  built.compaction("first", { firstKept: kept, usage });
  const below = built.lastId;
  built.user("c").assistant(asked(10)).compaction("below it is another stretch", { firstKept: kept, usage });
  built.branchFrom(here).compaction("second, in the same place", { firstKept: here, usage });
  built.branchFrom(here).user("d").compaction("third, up to the same entry", { firstKept: kept, usage });
  built.branchFrom(here).user("e").compaction("another one", { firstKept: "elsewhere", usage });
  built.branchFrom(here).compaction("that nobody has paid for", { firstKept: kept });
  built.branchFrom(below).user("f");
  const root = tempDir();
  built.writeBelow(root);
  const report = findWaste(indexOf(root), { timezone: "UTC" });
  expect(report.rows[2]).toMatchObject({ key: "compactions", requests: 2, totalTokens: 2200 });
  expectSame(report, countWaste(root));
});

test("a compaction whose file is gone is known by its place alone", () => {
  const usage = usageOf({ input: 1000, output: 100 });
  const built = session().user("a").assistant(asked(10));
  const [here, kept] = [built.lastId ?? "", String(built.entries[0]?.id)];
  built.compaction("first", { firstKept: kept, usage });
  built.branchFrom(here).compaction("second", { firstKept: kept, usage });
  built.branchFrom(here).user("d").compaction("third", { firstKept: kept, usage });
  const root = tempDir();
  const path = built.writeBelow(root);
  const index = indexOf(root);
  writeFileSync(path, "");
  expect(findWaste(index, { timezone: "UTC" }).rows[2]).toMatchObject({ requests: 1 });
});

test("sub-agents stand under their session, and by themselves where only they are asked for", () => {
  const root = tempDir();
  writeFamily(
    root,
    [[{ kind: "fail", new: 2000, reason: 1 }], [], [{ kind: "fail", new: 2000, reason: 1 }]],
    0,
  );
  const index = indexOf(root);
  const keysOf = (report: WasteReport) => report.sessions.map(({ key, requests }) => [key, requests]);
  // The fork has asked anew for what its parent had in the cache.
  expect(keysOf(findWaste(index, { timezone: "UTC" }))).toEqual([
    ["parent0", 2],
    ["fork0", 1],
  ]);
  const own = findWaste(index, { timezone: "UTC", filter: { origin: "subagent" } });
  expect(keysOf(own)).toEqual([["agent0", 1]]);
});

test("the dearest sessions come first, as many as are asked for", () => {
  const root = tempDir();
  for (const [at, tokens] of [3000, 9000, 6000].entries()) {
    session({ id: `s${at}` })
      .user("a")
      .assistant({ ...asked(tokens), stopReason: "aborted" })
      .writeBelow(root);
  }
  const index = indexOf(root);
  const report = findWaste(index, { timezone: "UTC", limit: 2 });
  expect(report.sessions.map(({ key }) => key)).toEqual(["s1", "s2"]);
  expect([report.sessionCount, report.wasted.requests]).toEqual([3, 3]);
  expect(report.totals.cost).toBeCloseTo(countFolder(root).totals.cost, 9);
});

import { expect, test } from "vitest";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { bytesReadBy, countsBytes } from "../../helpers/process-io.ts";
import { session } from "../../helpers/session-builder.ts";
import { Store } from "../../indexing/store.ts";

const spent = (cost: number) => ({ usage: { totalTokens: 1, cost: { total: cost } } });

/** Forks that share an abandoned branch of twenty requests; `keepers` more end on it. */
function forksOf(forks: number, keepers = 0): Store {
  const store = new Store();
  const left = session({ id: "left" }).user("question");
  const start = left.lastId;
  for (let request = 0; request < 20; request++) left.assistant(spent(0.25));
  const both = left.fork({ id: "both" }).branchFrom(start).assistant(spent(1));
  const write = (built: typeof left, at: number): void => {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString();
    built.fork({ id: `fork${at}`, timestamp }).write(store.path(`${String(at).padStart(4, "0")}.jsonl`));
  };
  for (let at = 0; at < forks; at++) write(both, at);
  for (let at = forks; at < forks + keepers; at++) write(left, at);
  store.sync();
  return store;
}

function costsIn(store: Store): [key: string, cost: number, requests: number][] {
  const { rows } = sumUsage(store.index, {
    by: "branch",
    timezone: "UTC",
    sort: { key: "key", descending: false },
  });
  return rows.map(({ key, cost, requests }) => [key, cost, requests]);
}

test("what many forks left behind is abandoned, unless one of them all ends there", () => {
  expect(costsIn(forksOf(30))).toEqual([
    ["abandoned", 5, 20],
    ["current", 1, 1],
  ]);
  expect(costsIn(forksOf(30, 1))).toEqual([["current", 6, 21]]);
});

/** Bytes a report by branch reads that may keep next to nothing in memory: in proportion to the rows it looks at. */
function bytesOfReport(forks: number): number {
  const { index } = forksOf(forks);
  index.database.pragma("cache_size = 8");
  return bytesReadBy(() => sumUsage(index, { by: "branch", timezone: "UTC" }));
}

test.skipIf(!countsBytes)("a report by branch looks at a copy as often, however many forks share it", () => {
  const [few, many] = [bytesOfReport(40), bytesOfReport(120)];
  // Three times as many copies; nine times as much if each of them looked at all the others.
  expect(many).toBeLessThan(5 * few);
});

/** Bytes that the view reads where many requests of one time were abandoned, as what was imported may have. */
function bytesOfView(requests: number): number {
  const built = session({ timestamp: "2026-01-01T00:00:00.000Z" }).user("question");
  const start = built.lastId;
  const timestamp = "2026-01-01T00:00:01.000Z";
  for (let request = 0; request < requests; request++) built.assistant(spent(0.25), { timestamp });
  built.branchFrom(start).assistant(spent(1));
  const store = new Store();
  built.write(store.path("imported.jsonl"));
  store.sync();
  const { database } = store.index;
  database.pragma("cache_size = 8");
  const abandoned = database.prepare("SELECT count(*) FROM usage_abandoned").pluck();
  return bytesReadBy(() => expect(abandoned.get()).toBe(requests));
}

test.skipIf(!countsBytes)("the view of what was abandoned tells usage of one time apart at once", () => {
  const [few, many] = [bytesOfView(300), bytesOfView(900)];
  expect(many).toBeLessThan(5 * few);
});

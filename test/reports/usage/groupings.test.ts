import { expect, test } from "vitest";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { bytesReadBy, countsBytes } from "../../helpers/process-io.ts";
import { type SessionBuilder, session } from "../../helpers/session-builder.ts";
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

/** What a session with the given entries comes to by branch. */
function costsOf(built: SessionBuilder): [key: string, cost: number, requests: number][] {
  const store = new Store();
  built.write(store.path("one.jsonl"));
  store.sync();
  return costsIn(store);
}

/** Somebody goes on after the first answer of $1, for $2. */
function goneOn(): { built: SessionBuilder; first: string | null } {
  const built = session().user("begin").assistant(spent(1));
  const first = built.lastId;
  return { built: built.user("and more").assistant(spent(2)), first };
}

test("G9: what stands before a gap was not left on purpose, but what was left there was", () => {
  const { built, first } = goneOn();
  built.branchFrom(first).user("another way").assistant(spent(4));
  built.branchFrom("deadbeef").user("after the gap").assistant(spent(8));
  expect(costsOf(built)).toEqual([
    ["abandoned", 2, 1],
    ["current", 13, 3],
  ]);
});

test.each<[string, (built: SessionBuilder) => SessionBuilder]>([
  ["a tool's result", (built) => built.toolResult("killed", { usage: spent(4).usage })],
  ["an answer", (built) => built.assistant(spent(4))],
  ["a cache kept warm", (built) => built.usage("cache_warm", spent(4))],
])("G9: work that a last entry of another process hides was not left on purpose: %s", (_, last) => {
  const { built, first } = goneOn();
  expect(costsOf(last(built.branchFrom(first)))).toEqual([["current", 7, 3]]);
  const again = goneOn();
  last(last(again.built.branchFrom(again.first)).branchFrom(again.first));
  expect(costsOf(again.built)).toEqual([["current", 11, 4]]);
});

test.each<[string, (built: SessionBuilder) => SessionBuilder]>([
  ["says something else", (built) => built.user("another way").assistant(spent(4))],
  ["runs a command", (built) => built.bash("ls").assistant(spent(4))],
  ["has it summed up", (built) => built.branchSummary("went one way", spent(4))],
])("G9: a branch is abandoned where somebody goes back and %s", (_, last) => {
  const { built, first } = goneOn();
  expect(costsOf(last(built.branchFrom(first)))).toEqual([
    ["abandoned", 2, 1],
    ["current", 5, 2],
  ]);
});

test("G9: an answer that was asked for again is abandoned", () => {
  const built = session().user("begin");
  const asked = built.lastId;
  built.assistant(spent(1)).branchFrom(asked).assistant(spent(2));
  expect(costsOf(built)).toEqual([
    ["abandoned", 1, 1],
    ["current", 2, 1],
  ]);
});

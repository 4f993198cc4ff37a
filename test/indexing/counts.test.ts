import { rmSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { STEP_BYTES } from "../../src/files/lines.ts";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import { openIndex } from "../../src/store/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store, storeOf } from "./store.ts";

const NONE = { seen: 0, unchanged: 0, indexed: 0, removed: 0, notSessions: 0, failed: 0 };

/** What a sync counts, and one after it. */
function countsOf(store: Store): unknown[] {
  return [store.sync().files, store.sync().files];
}

describe("a file that is new is not unchanged", () => {
  test.each([
    ["empty", "new.jsonl", ""],
    ["a header without its end", "new.jsonl", '{"type":"session","id":'],
    ["no session", "new.jsonl", '{"type":"note"}\n'],
    ["empty, by the name of an array", "new.json", ""],
    ["another program's", "new.json", '{"theme":"dark"}'],
  ])("%s", (_what, name, bytes) => {
    const store = storeOf(1);
    store.sync();
    store.write(name, bytes);
    expect(countsOf(store)).toEqual([
      { ...NONE, seen: 2, unchanged: 1, notSessions: 1 },
      { ...NONE, seen: 2, unchanged: 2 },
    ]);
  });
});

describe("a file of which nothing is left is not unchanged", () => {
  test.each([
    ["emptied", ""],
    ["with half a header", '{"type":"session","id":'],
  ])("%s", (_what, bytes) => {
    const store = storeOf(2);
    store.sync();
    store.write("0.jsonl", bytes);
    expect(countsOf(store)).toEqual([
      { ...NONE, seen: 2, unchanged: 1, notSessions: 1 },
      { ...NONE, seen: 2, unchanged: 2 },
    ]);
  });
});

test("a file that is read in several steps counts by all of them", () => {
  const store = new Store();
  session({ id: "large" })
    .user("x".repeat(STEP_BYTES - 100_000))
    .torn(`{"type":"message","content":"${"y".repeat(300_000)}`)
    .write(store.path("large.jsonl"));
  expect(countsOf(store)).toEqual([
    { ...NONE, seen: 1, indexed: 1 },
    { ...NONE, seen: 1, unchanged: 1 },
  ]);
});

test("a file that is gone before it is read is not seen", () => {
  const store = storeOf(2);
  const run = new SyncRun(store.index, [store.root], { now: LATER });
  run.step();
  rmSync(store.path("0.jsonl"));
  while (run.step());
  expect(run.result().files).toEqual({ ...NONE, seen: 1, indexed: 1 });
});

test("what is left of a sync that was stopped is in no count but that of files seen", () => {
  const store = storeOf(3);
  const run = new SyncRun(store.index, [store.root], { now: LATER });
  const before = run.result().files;
  run.step();
  expect([before, run.result().files]).toEqual([NONE, { ...NONE, seen: 3 }]);
});

test("what was removed is counted though another process is in the way before the look is over", () => {
  const store = storeOf(3);
  store.sync();
  rmSync(store.path("0.jsonl"));
  const other = openIndex(indexIn(store.indexFolder)).database;
  onTestFinished(() => void other.close());
  let looks = 0;
  const run = new SyncRun(store.index, [store.root], {
    now: LATER,
    isExcluded: (path) => path === store.path("1.jsonl"),
    // What is excluded is gone by the second look.
    recent: {
      since: 0,
      onLocated: () => {
        if (++looks === 2) other.exec("BEGIN IMMEDIATE");
      },
    },
  });
  expect(() => run.step()).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
  other.exec("ROLLBACK");
  while (run.step());
  expect(run.result().files).toEqual({ ...NONE, seen: 1, unchanged: 1, removed: 2 });
});

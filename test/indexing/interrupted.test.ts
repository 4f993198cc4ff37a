import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import type { IndexDump } from "../helpers/index-dump.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { LATER, Store } from "./store.ts";

const root = sharedTempDir();
const ENTRIES = 2 * 22 + 1 + 5;
let expected: IndexDump;
let store: Store;

/** Enough for several steps: a file of three and its fork, and some more than a step's worth of smaller ones. */
beforeAll(() => {
  const picture = (letter: string) => ({
    type: "image" as const,
    mimeType: "image/png",
    data: letter.repeat(900_000),
  });
  const long = session({ id: "long", timestamp: "2026-01-01T00:00:00.000Z" });
  for (let round = 0; round < 11; round++) {
    long.user([{ type: "text", text: `needle${round}` }, picture("x")]).assistant();
  }
  long.write(join(root, "long.jsonl"));
  long.fork({ id: "fork" }).user("further").write(join(root, "fork.jsonl"));
  for (let number = 0; number < 5; number++) {
    session({ id: `s${number}` })
      .user([{ type: "text", text: "small" }, picture("y")])
      .write(join(root, `${number}.jsonl`));
  }
});

beforeEach(() => {
  store = new Store(root);
  expected ??= store.rebuilt();
});

describe("I-8: a sync that is ended after some steps", () => {
  test.each([0, 1, 2, 3, 4, 6, 8])("goes on where it was, after %i", (steps) => {
    store.syncSteps(steps);
    store.close();
    const before = Number(store.column("SELECT count(*) FROM entries")[0]);
    const { entries, complete } = store.sync();
    store.feed();
    expect([complete, before + entries.added]).toEqual([true, ENTRIES]);
    expect(store.dump()).toEqual(expected);
  });

  test("each time after the second step comes to an end all the same", () => {
    for (let run = 0; run < 20; run++) store.syncSteps(2);
    expect(store.sync().bytesRead).toBe(0);
  });

  test("by its deadline says that it is not complete, and how much is missing", () => {
    expect(store.sync({ deadlineMs: 0 })).toMatchObject({ complete: false, behindBytes: 0 });
    let steps = 0;
    const signal = {
      get aborted() {
        return steps >= 3;
      },
    };
    const result = store.sync({ signal, onProgress: () => steps++ });
    expect(result.complete).toBe(false);
    expect(result.behindBytes).toBeGreaterThan(5_000_000);
  });

  test("by a signal stops at the next step", () => {
    const controller = new AbortController();
    const progress: number[] = [];
    store.sync({
      signal: controller.signal,
      onProgress: ({ done }) => {
        progress.push(done);
        if (progress.length === 3) controller.abort();
      },
    });
    expect(progress).toHaveLength(3);
  });
});

test("progress goes up to its total, which stays", () => {
  const seen: { done: number; total: number }[] = [];
  store.sync({ onProgress: ({ done, total }) => seen.push({ done, total }) });
  const totals = new Set(seen.map(({ total }) => total));
  const done = seen.map((progress) => progress.done);
  expect([totals.size, done.at(-1)]).toEqual([1, [...totals][0]]);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
});

test("a step reads some four megabytes, whatever the size of the files", () => {
  let last = 0;
  const steps: number[] = [];
  store.sync({
    onProgress: ({ done }) => {
      steps.push(done - last);
      last = done;
    },
  });
  expect(Math.max(...steps)).toBeLessThan(9 * 1024 * 1024);
});

describe("I-8: a feed that is ended after some batches", () => {
  test.each([1, 2, 3])("goes on where it was, after %i", (batches) => {
    store.sync();
    const controller = new AbortController();
    let done = 0;
    const onProgress = () => {
      done++;
      if (done === batches) controller.abort();
    };
    const { added } = feedSearch(store.index, { signal: controller.signal, onProgress });
    store.close();
    const rest = store.feed();
    expect([rest.complete, added + rest.added]).toEqual([true, ENTRIES]);
    expect(store.dump()).toEqual(expected);
  });
});

test("I-5: two syncs that take turns step by step come to what one comes to", () => {
  withIndex(store.indexFolder, (other) => {
    const runs = [store.index, other].map((index) => new SyncRun(index, [store.root], { now: LATER }));
    for (let more = true; more; ) more = runs.map((run) => run.step()).includes(true);
  });
  store.feed();
  expect(store.dump()).toEqual(expected);
});

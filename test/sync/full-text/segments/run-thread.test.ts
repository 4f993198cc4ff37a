import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { SearchFeeder } from "../../../../src/sync/full-text/search-feed.ts";
import { type BuiltRun, ROOM_BYTES } from "../../../../src/sync/full-text/segments/entries-reader.ts";
import type { RunThread } from "../../../../src/sync/full-text/segments/run-thread.ts";
import { StopFlag } from "../../../../src/sync/stop-flag.ts";
import { DEFINITION } from "../../../helpers/full-text-image.ts";
import { indexIn } from "../../../helpers/open-index.ts";
import { Store } from "../../store.ts";
import { addRuns, storeOf } from "./building.ts";

const file = join(import.meta.dirname, "../../../../build/src/sync/full-text/segments/run-thread.js");

/** The compiled thread: a worker cannot load TypeScript on every Node that is supported. */
async function startThread(store: Store, stop = new StopFlag()): Promise<RunThread> {
  const compiled = (await import(pathToFileURL(file).href)) as { RunThread: typeof RunThread };
  const location = indexIn(store.indexFolder);
  const thread = new compiled.RunThread({ location, definition: DEFINITION, stop: stop.shared });
  onTestFinished(() => thread.close());
  return thread;
}

function build(thread: RunThread, after: number, upTo: number): Promise<BuiltRun | null> {
  return thread.build({ after, upTo }, new SharedArrayBuffer(ROOM_BYTES));
}

describe("the thread that builds runs", () => {
  test("gives run after run, which can be added", async () => {
    const store = storeOf("apple", "pear");
    new SearchFeeder(store.index).forgetGone();
    const thread = await startThread(store);
    const runs = [await build(thread, 0, 3), await build(thread, 3, 4)];
    expect(runs.map((run) => run?.counts.keys.length)).toEqual([3, 1]);
    expect(
      addRuns(
        store.index,
        runs.filter((run) => run !== null),
      ),
    ).toBe(true);
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("builds what it is told to while it is building, in the order in which it was told", async () => {
    const thread = await startThread(storeOf("apple", "pear"));
    const runs = [build(thread, 0, 3), build(thread, 3, 4)];
    const before = thread.orders;
    const ranges = (await Promise.all(runs)).map((run) => run?.range);
    expect(ranges).toEqual([
      { after: 0, upTo: 3 },
      { after: 3, upTo: 4 },
    ]);
    expect([before, thread.orders]).toEqual([2, 0]);
  });

  test("gives nothing when it cannot read the index", async () => {
    const thread = await startThread(new Store());
    expect([await build(thread, 0, 1), await build(thread, 0, 1), thread.isOver]).toEqual([null, null, true]);
  });

  test("gives nothing any more after it has died", async () => {
    const store = storeOf("apple");
    const thread = await startThread(store);
    expect(await build(thread, 0, 2)).not.toBeNull();
    store.index.database.exec("DROP VIEW entries");
    expect(await Promise.all([build(thread, 0, 2), build(thread, 0, 2)])).toEqual([null, null]);
    expect([await build(thread, 0, 2), thread.isOver]).toEqual([null, true]);
  });

  test("ends with all it was told to build when it is told to stop", async () => {
    const store = storeOf("apple");
    const stop = new StopFlag();
    const thread = await startThread(store, stop);
    stop.raise();
    expect(await Promise.all([build(thread, 0, 2), build(thread, 0, 2)])).toEqual([null, null]);
    await thread.close();
    expect(thread.isOver).toBe(true);
  });

  test("leaves the index to others when it has ended", async () => {
    const store = storeOf("apple");
    const thread = await startThread(store);
    await build(thread, 0, 2);
    await thread.close();
    store.index.database.exec("BEGIN EXCLUSIVE; ROLLBACK");
  });
});

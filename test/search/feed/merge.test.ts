import { afterEach, describe, expect, test, vi } from "vitest";
import { feedSearch } from "../../../src/search/feed/feeder.ts";
import { EVERYTHING, mergeSegments } from "../../../src/search/feed/merge.ts";
import { addSegments, countSegments } from "../../helpers/segments.ts";
import { session } from "../../helpers/session-builder.ts";
import { Store } from "../../indexing/store.ts";

/** So many that merging them takes more than a step of 512 pages. */
const SEGMENTS = 60;

function segmented(): Store {
  const store = new Store();
  addSegments(store.index, store.root, SEGMENTS);
  return store;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("merging the full text", () => {
  test("ends before the step for which there is no time, and goes on there", () => {
    const { index } = segmented();
    let asked = 0;
    expect(mergeSegments(index.search, EVERYTHING, () => ++asked > 1)).toBe(false);
    expect(asked).toBe(2);
    expect(countSegments(index)).toBeGreaterThan(SEGMENTS);
    expect(mergeSegments(index.search, EVERYTHING)).toBe(true);
    expect(countSegments(index)).toBeLessThan(4);
  });

  test("is not done as long as freed pages could be given back", () => {
    const { search } = segmented().index;
    const freePages = () => Number(search.pragma("freelist_count", { simple: true }));
    expect(mergeSegments(search, EVERYTHING, () => freePages() > 0)).toBe(false);
    expect(freePages()).toBeGreaterThan(0);
    expect(mergeSegments(search, EVERYTHING)).toBe(true);
    expect(freePages()).toBe(0);
  });

  test("waits where there is no time left once all is taken in", () => {
    const store = segmented();
    session({ id: "last" }).user("apple").write(store.path("last.jsonl"));
    store.sync();
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const deadlineMs = Date.now() + 2000;
    // What is taken in takes all the time there is.
    const onProgress = () => void vi.advanceTimersByTime(2000);
    expect(feedSearch(store.index, { deadlineMs, onProgress })).toEqual({
      complete: true,
      behind: 0,
      added: 1,
    });
    expect(countSegments(store.index)).toBe(SEGMENTS + 1);
  });
});

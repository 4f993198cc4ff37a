import { describe, expect, test } from "vitest";
import { KeyRanges } from "../../../../src/sync/full-text/segments/key-ranges.ts";
import { session } from "../../../helpers/session-builder.ts";
import { Store } from "../../store.ts";

const KB = 1024;

/** With an entry for each of these lengths of its text, in KB. */
function storeOf(lengths: readonly number[]): Store {
  const store = new Store();
  const built = session({ id: "a" });
  for (const length of lengths) built.user("x".repeat(length * KB));
  built.write(store.path("a.jsonl"));
  store.sync();
  return store;
}

/** All ranges there are. */
function rangesOf(store: Store, isLast: boolean): [number, number][] {
  const ranges = new KeyRanges(store.index.database, 0);
  const found: [number, number][] = [];
  for (let next = ranges.next(isLast); next !== null; next = ranges.next(isLast))
    found.push([next.after, next.upTo]);
  return found;
}

describe("ranges of entries", () => {
  test("are cut when there is enough for one, and follow on one another", () => {
    const store = storeOf(Array.from({ length: 2600 }, () => 20));
    // 250 entries are looked at in one go, and come to 5 MB.
    expect(rangesOf(store, false)).toEqual([
      [0, 750],
      [750, 1500],
      [1500, 2250],
    ]);
    expect(rangesOf(store, true).at(-1)?.[1]).toBe(2600);
  });

  test("become smaller where nothing more will come, so that all threads are at work to the end", () => {
    const store = storeOf(Array.from({ length: 2600 }, () => 20));
    const sizes = rangesOf(store, true).map(([after, upTo]) => upTo - after);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2600);
    expect(sizes).toEqual([250, 500, 500, 250, 250, 250, 250, 250, 100]);
  });

  test("go on with what has come meanwhile", () => {
    const store = storeOf([1, 1]);
    const ranges = new KeyRanges(store.index.database, 0);
    expect(ranges.next(false)).toBeNull();
    session({ id: "b" }).user("later").write(store.path("b.jsonl"));
    store.sync();
    expect([ranges.next(false), ranges.next(true), ranges.next(true)]).toEqual([
      null,
      { after: 0, upTo: 3 },
      null,
    ]);
  });

  test("are not filled by lines that are too long to be read for a run", () => {
    const store = storeOf([1, 5000, 5000, 5000, 5000, 5000, 5000, 1]);
    expect([rangesOf(store, false), rangesOf(store, true)]).toEqual([[], [[0, 8]]]);
  });
});

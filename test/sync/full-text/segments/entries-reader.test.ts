import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EntriesReader, ROOM_BYTES } from "../../../../src/sync/full-text/segments/entries-reader.ts";
import { StopFlag } from "../../../../src/sync/stop-flag.ts";
import { theAlphabet } from "../../../helpers/full-text-image.ts";
import { session } from "../../../helpers/session-builder.ts";
import { Store } from "../../store.ts";
import { feedBuilt, runsBehind, runsOf, storeOf } from "./building.ts";

/** The keys of the entries a run holds. */
function keysOf({ counts }: ReturnType<typeof runsBehind>[number]): number[] {
  return [...counts.keys].map((key) => counts.firstKey + key);
}

describe("runs of entries", () => {
  test("hold those of their range that say something, and tell of all of them", () => {
    const store = storeOf("apple", "pear");
    const [run] = runsOf(store.index, { after: 1, upTo: 3 });
    expect(run && keysOf(run)).toEqual([2, 3]);
    expect(run?.entries.slice(0, 4)).toEqual(
      store.rows(
        "SELECT count(*), sum(file_id), sum(offset), sum(length) FROM entries WHERE key IN (2, 3)",
      )[0],
    );
  });

  test("reach to the end of their range, whether or not there are entries there", () => {
    const store = storeOf("apple");
    const [run] = runsOf(store.index, { after: 0, upTo: 1000 });
    expect([run?.range, run && keysOf(run)]).toEqual([{ after: 0, upTo: 1000 }, [1, 2]]);
  });

  test("end when they are long enough, and the next one goes on there", () => {
    const store = new Store();
    const built = session({ id: "a" });
    const word = (at: number) => `w${((at * 2_654_435_761) % 2 ** 32).toString(36)}`;
    for (let at = 0; at < 150; at++) {
      built.user(Array.from({ length: 2000 }, (_, each) => word(at * 2000 + each)).join(" "));
    }
    built.write(store.path("a.jsonl"));
    store.sync();
    const runs = runsBehind(store.index);
    expect(runs.length).toBeGreaterThan(3);
    expect(runs.flatMap(keysOf)).toEqual(Array.from({ length: 150 }, (_, at) => at + 1));
    for (const run of runs) expect(run.end).toBeLessThanOrEqual(run.memory.byteLength);
    expect([feedBuilt(store.index), store.dump()]).toEqual([true, store.rebuilt()]);
  });

  test("do not give a name again that an earlier range gave, and give it again before that", () => {
    const store = storeOf("fooBar", "fooBar", "fooBar");
    const reader = new EntriesReader(store.index.database, theAlphabet(), new StopFlag());
    const namesIn = (after: number) =>
      reader.read({ after, upTo: after + 2 }, new SharedArrayBuffer(ROOM_BYTES))?.names;
    expect([namesIn(2), namesIn(4)]).toEqual([["fooBar"], []]);
    expect([namesIn(0), namesIn(2)]).toEqual([["fooBar"], []]);
  });

  test("a text that has no room in any is missed, and what stands beside it is not", () => {
    const many = Array.from({ length: 70_000 }, (_, at) => at.toString(36)).join(" ");
    const store = storeOf("apple", many, "pear");
    const runs = runsBehind(store.index);
    expect(runs.map(keysOf)).toEqual([
      [1, 2],
      [4, 5, 6],
    ]);
    expect(runs.flatMap(({ missed }) => missed)).toEqual([[3, 3]]);
    expect([feedBuilt(store.index), store.dump()]).toEqual([true, store.rebuilt()]);
  });

  test("A29: a long line is missed, and left to whoever adds the run", () => {
    const store = storeOf("before", "z".repeat(5_000_000), "after");
    const [run] = runsBehind(store.index);
    expect([run && keysOf(run), run?.missed]).toEqual([[1, 2, 4, 5, 6], [[3, 3]]]);
    expect([feedBuilt(store.index), store.dump()]).toEqual([true, store.rebuilt()]);
  });

  test("what stands in a file that is gone is missed", () => {
    const store = storeOf("apple", "pear", "plum");
    rmSync(store.path("1.jsonl"));
    const [run] = runsBehind(store.index);
    expect([run && keysOf(run), run?.missed]).toEqual([[1, 2, 5, 6], [[3, 4]]]);
  });

  test("what stands in a file that was rewritten is missed, also where it is as long as before", () => {
    const store = storeOf("apple", "pear", "plum");
    writeFileSync(store.path("0.jsonl"), session({ id: "s0" }).user("apples").bytes());
    const [run] = runsBehind(store.index);
    expect([run && keysOf(run), run?.missed]).toEqual([[3, 4, 5, 6], [[1, 2]]]);
  });

  test("are not finished when it is told to stop", () => {
    const store = storeOf("apple");
    const stop = new StopFlag();
    stop.raise();
    const reader = new EntriesReader(store.index.database, theAlphabet(), stop);
    expect(reader.read({ after: 0, upTo: 2 }, new SharedArrayBuffer(ROOM_BYTES))).toBeNull();
  });
});

import { describe, expect, test } from "vitest";
import type { BuiltRun, KeyRange } from "../../../../src/sync/full-text/segments/entries-reader.ts";
import { RunQueue } from "../../../../src/sync/full-text/segments/run-queue.ts";

/** A thread whose runs are finished by the test. */
class Builder {
  isOver = false;
  range: KeyRange | null = null;
  #answer: ((run: BuiltRun | null) => void) | null = null;
  #room: SharedArrayBuffer | null = null;

  get isIdle(): boolean {
    return !this.isOver && this.range === null;
  }

  build(range: KeyRange, room: SharedArrayBuffer): Promise<BuiltRun | null> {
    this.range = range;
    this.#room = room;
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  /** The run that is being built ends here. */
  async finish(upTo = this.range?.upTo ?? 0): Promise<void> {
    const { after } = this.range ?? { after: 0 };
    this.range = null;
    this.#answer?.({
      range: { after, upTo },
      memory: this.#room ?? new SharedArrayBuffer(0),
      end: 0,
      counts: { firstKey: after, keys: new Int32Array(), words: new Int32Array() },
      names: [],
      entries: [0, 0, 0, 0, 0],
      times: [],
      missed: [],
    });
    await Promise.resolve();
    await Promise.resolve();
  }

  async die(): Promise<void> {
    this.isOver = true;
    this.range = null;
    this.#answer?.(null);
    await Promise.resolve();
    await Promise.resolve();
  }
}

/** Ranges of ten keys, so many of them. */
function queueOf(ranges: number): { queue: RunQueue; one: Builder; other: Builder } {
  const [one, other] = [new Builder(), new Builder()];
  let given = 0;
  const source = {
    next: () => (given === ranges ? null : { after: 10 * given, upTo: 10 * ++given }),
  };
  const queue = new RunQueue(source, 0);
  queue.join(one);
  queue.join(other);
  return { queue, one, other };
}

function rangesOf(runs: readonly BuiltRun[]): [number, number][] {
  return runs.map(({ range: { after, upTo } }) => [after, upTo]);
}

describe("runs that threads build", () => {
  test("are given in the order of their entries, whichever is finished first", async () => {
    const { queue, one, other } = queueOf(3);
    queue.pump(true);
    await other.finish();
    expect(queue.take()).toEqual([]);
    queue.pump(true);
    await one.finish();
    expect(rangesOf(queue.take())).toEqual([
      [0, 10],
      [10, 20],
    ]);
    expect(queue.isEmpty).toBe(false);
    await other.finish();
    queue.pump(true);
    expect([rangesOf(queue.take()), queue.isEmpty]).toEqual([[[20, 30]], true]);
  });

  test("that end before their range does are followed by others of the rest of it", async () => {
    const { queue, one, other } = queueOf(3);
    queue.pump(true);
    await one.finish(4);
    queue.pump(true);
    expect([one.range, other.range]).toEqual([
      { after: 4, upTo: 10 },
      { after: 10, upTo: 20 },
    ]);
    await other.finish(15);
    await one.finish(7);
    queue.pump(true);
    expect([one.range, other.range]).toEqual([
      { after: 7, upTo: 10 },
      { after: 15, upTo: 20 },
    ]);
    await one.finish();
    await other.finish();
    expect(rangesOf(queue.take())).toEqual([
      [0, 4],
      [4, 7],
      [7, 10],
      [10, 15],
      [15, 20],
    ]);
  });

  test("wait for memory until some is given back", async () => {
    const { queue, one, other } = queueOf(100);
    const taken: BuiltRun[] = [];
    while (!queue.isFull) {
      queue.pump(false);
      await one.finish();
      await other.finish();
      taken.push(...queue.take());
    }
    queue.pump(false);
    expect([one.range, other.range, taken.length]).toEqual([null, null, 36]);
    for (const run of taken.slice(0, 1)) queue.giveBack(run);
    queue.pump(false);
    expect([one.range, other.range]).toEqual([{ after: 360, upTo: 370 }, null]);
  });

  test("are built by a thread that joins later, too", () => {
    const { queue, one, other } = queueOf(3);
    const third = new Builder();
    queue.pump(false);
    queue.join(third);
    queue.pump(false);
    expect([one.range?.upTo, other.range?.upTo, third.range?.upTo]).toEqual([10, 20, 30]);
  });

  test("are not there when their thread has ended", async () => {
    const { queue, one, other } = queueOf(3);
    queue.pump(true);
    const change = queue.change(60_000);
    await one.die();
    await change;
    await other.finish();
    expect([queue.hasFailed, queue.take()]).toEqual([true, []]);
  });

  test("are waited for no longer than told", async () => {
    const { queue } = queueOf(1);
    await expect(queue.change(1)).resolves.toBeUndefined();
  });
});

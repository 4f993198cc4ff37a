import { describe, expect, test } from "vitest";
import type { BuiltRun, KeyRange } from "../../../../src/sync/full-text/segments/entries-reader.ts";
import { RunQueue } from "../../../../src/sync/full-text/segments/run-queue.ts";

interface Order {
  range: KeyRange;
  room: SharedArrayBuffer;
  answer: (run: BuiltRun | null) => void;
}

/** A thread whose runs are finished by the test. */
class Builder {
  isOver = false;
  readonly #orders: Order[] = [];

  get orders(): number {
    return this.#orders.length;
  }

  /** Where those that are to be built begin and end. */
  get ranges(): [number, number][] {
    return this.#orders.map(({ range: { after, upTo } }) => [after, upTo]);
  }

  build(range: KeyRange, room: SharedArrayBuffer): Promise<BuiltRun | null> {
    return new Promise((answer) => {
      this.#orders.push({ range, room, answer });
    });
  }

  /** The run that is being built ends here. */
  async finish(end?: number): Promise<void> {
    for (const { range, room, answer } of this.#orders.splice(0, 1)) {
      answer({
        range: { after: range.after, upTo: end ?? range.upTo },
        memory: room,
        end: 0,
        counts: { firstKey: range.after, keys: new Int32Array(), words: new Int32Array() },
        names: [],
        entries: [0, 0, 0, 0, 0],
        times: [],
        missed: [],
      });
    }
    await Promise.resolve();
    await Promise.resolve();
  }

  async die(): Promise<void> {
    this.isOver = true;
    for (const { answer } of this.#orders.splice(0)) answer(null);
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
    await one.finish();
    expect(rangesOf(queue.take())).toEqual([
      [0, 10],
      [10, 20],
    ]);
    expect(queue.isEmpty).toBe(false);
    await one.finish();
    queue.pump(true);
    expect([rangesOf(queue.take()), queue.isEmpty]).toEqual([[[20, 30]], true]);
  });

  test("that end before their range does are followed by others of the rest of it", async () => {
    const { queue, one, other } = queueOf(2);
    queue.pump(true);
    await other.finish(15);
    await one.finish(4);
    queue.pump(true);
    expect([one.ranges, other.ranges]).toEqual([[[4, 10]], [[15, 20]]]);
    await one.finish();
    await other.finish();
    expect(rangesOf(queue.take())).toEqual([
      [0, 4],
      [4, 10],
      [10, 15],
      [15, 20],
    ]);
  });

  test("are told to be built while others are, by turns, and not very many", () => {
    const { queue, one, other } = queueOf(100);
    queue.pump(false);
    expect([one.ranges, other.ranges]).toEqual([
      [
        [0, 10],
        [20, 30],
        [40, 50],
      ],
      [
        [10, 20],
        [30, 40],
        [50, 60],
      ],
    ]);
  });

  test("are ordered further ahead at the end, when they are short", () => {
    const { queue, one, other } = queueOf(100);
    queue.pump(false);
    const before = [one.orders, other.orders];
    queue.pump(true);
    expect([before, one.orders, other.orders]).toEqual([[3, 3], 8, 8]);
    expect(one.ranges.at(-1)).toEqual([140, 150]);
  });

  test("are counted once no more are to be ordered", async () => {
    const { queue, one, other } = queueOf(3);
    expect(queue.left).toBe(Number.POSITIVE_INFINITY);
    queue.pump(true);
    expect(queue.left).toBe(3);
    await one.finish(4);
    expect(queue.left).toBe(Number.POSITIVE_INFINITY);
    queue.pump(true);
    await other.finish();
    expect(queue.left).toBe(2);
  });

  test("wait for memory until some is given back", async () => {
    const { queue, one, other } = queueOf(100);
    const taken: BuiltRun[] = [];
    while (taken.length < 36) {
      queue.pump(false);
      await one.finish();
      await other.finish();
      taken.push(...queue.take());
    }
    expect([queue.isFull, one.orders, other.orders]).toEqual([true, 0, 0]);
    for (const run of taken.slice(0, 1)) queue.giveBack(run);
    queue.pump(false);
    expect([one.ranges, other.ranges]).toEqual([[[360, 370]], []]);
  });

  test("are built by a thread that joins later, too", () => {
    const { queue, one, other } = queueOf(7);
    const third = new Builder();
    queue.pump(false);
    queue.join(third);
    queue.pump(false);
    expect([one.orders, other.orders, third.ranges]).toEqual([3, 3, [[60, 70]]]);
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

import { moduleAt } from "../../../file/module-beside.ts";
import { Thread } from "../../../thread.ts";
import type { BuiltRun, KeyRange } from "./entries-reader.ts";
import type { RunOrders, ToRunWorker } from "./run-worker.ts";

/** Memory for its objects, in MB: entries are short-lived, and one batch is all it ever holds. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

/**
 * A thread that builds runs. It decides nothing: a run it gives may be out of date, and is compared with the rows before it
 * is added. It is never terminated from outside, but told to close its databases and end.
 */
export class RunThread {
  readonly #thread: Thread<RunOrders, ToRunWorker, BuiltRun>;
  readonly #ended: Promise<void>;
  /** For those who wait for runs, in their order. */
  readonly #answers: ((run: BuiltRun | null) => void)[] = [];
  #isOver = false;

  constructor(orders: RunOrders) {
    this.#thread = new Thread({
      module: moduleAt("src/sync/full-text/segments/run-worker"),
      orders,
      limits: LIMITS,
      hear: (run) => this.#give(run),
      // Usually it ran out of memory. Then the thread that adds entries reads their texts itself, and reports the cause.
      fail: () => this.#end(),
    });
    this.#ended = this.#thread.ended.then(() => this.#end());
  }

  /** Runs that it was told to build and has not given yet. */
  get orders(): number {
    return this.#answers.length;
  }

  /** It has ended, and will build nothing more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A run of the first entries of a range; null when it has ended. What is asked for meanwhile is built after it. */
  build(range: KeyRange, room: SharedArrayBuffer): Promise<BuiltRun | null> {
    if (this.#isOver) return Promise.resolve(null);
    this.#thread.tell({ kind: "build", range, room });
    return new Promise((resolve) => {
      this.#answers.push(resolve);
    });
  }

  /** Resolves when the thread has ended, which it does with the runs that it was told to build. */
  async close(): Promise<void> {
    this.#thread.tell({ kind: "close" });
    await this.#ended;
  }

  #end(): void {
    this.#isOver = true;
    while (this.orders > 0) this.#give(null);
  }

  #give(run: BuiltRun | null): void {
    this.#answers.shift()?.(run);
  }
}

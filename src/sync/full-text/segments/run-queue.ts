import { type BuiltRun, type KeyRange, ROOM_BYTES } from "./entries-reader.ts";
import type { KeyRanges } from "./key-ranges.ts";
import type { RunThread } from "./run-thread.ts";

/** The number of rooms for runs that are being built or wait to be added. What a run does not fill is never touched. */
const ROOMS = 36;

/**
 * How many runs a thread is told to build before it has given the first of them. The thread that tells it may be busy
 * adding a segment, for as long as it takes to build some runs.
 */
const ORDERS = 3;
/** The same at the end, when runs are short: with three, two threads waited for a third of a second. */
const LAST_ORDERS = 8;

/** Where ranges come from, and who builds runs of them. */
type Ranges = Pick<KeyRanges, "next">;
type Builder = Pick<RunThread, "build" | "orders" | "isOver">;

/** Has threads build runs of ranges of entries, and gives them in the order of the entries. */
export class RunQueue {
  readonly #threads: Builder[] = [];
  readonly #ranges: Ranges;
  readonly #rooms = Array.from({ length: ROOMS }, () => new SharedArrayBuffer(ROOM_BYTES));
  /** What is left of ranges that came to more than one run. */
  readonly #begun: KeyRange[] = [];
  #building = 0;
  readonly #built: BuiltRun[] = [];
  /** The last key of what was given. */
  #given: number;
  #hasMore = true;
  #wake: (() => void) | null = null;

  constructor(ranges: Ranges, after: number) {
    this.#ranges = ranges;
    this.#given = after;
  }

  /** One more thread builds from now on. */
  join(thread: Builder): void {
    this.#threads.push(thread);
  }

  /** Whether a thread has ended by itself, so that the runs it was to build will not come. */
  get hasFailed(): boolean {
    return this.#threads.some(({ isOver }) => isOver);
  }

  /** How many runs are still to come, where no more entries do; infinite where that cannot be said yet. */
  get left(): number {
    return this.#hasMore || this.#begun.length > 0 ? Number.POSITIVE_INFINITY : this.#building;
  }

  /** Whether no run will come any more, unless further entries do. */
  get isEmpty(): boolean {
    return !this.#hasMore && this.#building === 0 && this.#built.length === 0;
  }

  /** Whether all rooms are in use, so that nothing more is built before one is given back. */
  get isFull(): boolean {
    return this.#rooms.length === 0;
  }

  /**
   * Gives work to the threads that have little.
   *
   * @param isLast no more entries will come
   */
  pump(isLast: boolean): void {
    // Those that have least first.
    for (let orders = 0; orders < (isLast ? LAST_ORDERS : ORDERS); orders++) {
      for (const thread of this.#threads) {
        const isDue = thread.orders === orders && !thread.isOver;
        if (isDue && !this.#giveWork(thread, isLast)) return;
      }
    }
  }

  /** False when there is none, or no room for it. */
  #giveWork(thread: Builder, isLast: boolean): boolean {
    const [room] = this.#rooms;
    if (room === undefined) return false;
    const range = this.#begun.shift() ?? this.#ranges.next(isLast);
    this.#hasMore = range !== null;
    if (range === null) return false;
    this.#rooms.shift();
    void this.#build(thread, range, room);
    return true;
  }

  /** Runs that are ready, in the order of their entries, each following on the one before it. */
  take(): BuiltRun[] {
    const taken: BuiltRun[] = [];
    for (let next = this.#ready(); next >= 0; next = this.#ready()) {
      for (const run of this.#built.splice(next, 1)) {
        taken.push(run);
        this.#given = run.range.upTo;
      }
    }
    return taken;
  }

  /** The memory of a run is not needed any more. The room that was used last is used next. */
  giveBack({ memory }: BuiltRun): void {
    this.#rooms.unshift(memory.byteLength === ROOM_BYTES ? memory : new SharedArrayBuffer(ROOM_BYTES));
  }

  /** Resolves when another run is ready, or the time is up. */
  change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #ready(): number {
    return this.#built.findIndex(({ range }) => range.after === this.#given);
  }

  async #build(thread: Builder, range: KeyRange, room: SharedArrayBuffer): Promise<void> {
    this.#building++;
    const run = await thread.build(range, room);
    this.#building--;
    if (run !== null) this.#note(run, range);
    this.#wake?.();
  }

  #note(run: BuiltRun, { upTo }: KeyRange): void {
    this.#built.push(run);
    if (run.range.upTo === upTo) return;
    this.#begun.push({ after: run.range.upTo, upTo });
    this.#begun.sort((one, other) => one.after - other.after);
  }
}

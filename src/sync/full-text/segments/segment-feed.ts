import { openShadow } from "../../../db/open-shadow.ts";
import { THREAD_BUSY_TIMEOUT_MS } from "../../../store/connection.ts";
import type { Database } from "../../../store/native.ts";
import type { Index } from "../../../store/open.ts";
import type { SyncProgress } from "../../progress.ts";
import { StopFlag } from "../../stop-flag.ts";
import { RowFlow } from "../row-flow.ts";
import type { SearchFeeder } from "../search-feed.ts";
import { Unfinished } from "./add-segment.ts";
import type { BuiltRun } from "./entries-reader.ts";
import { isFormatKnown } from "./format-probe.ts";
import { KeyRanges } from "./key-ranges.ts";
import { RunQueue } from "./run-queue.ts";
import { RunThread } from "./run-thread.ts";
import type { RunOrders } from "./run-worker.ts";
import { SegmentAdder } from "./segment-adder.ts";

/** Bytes of runs added as one segment: each segment costs every search some time, and fewer than five are never merged. */
const ENOUGH = 44 * 1024 * 1024;

/**
 * The same when no more than `LAST_RUNS` are still to come. Then one segment is added beside the threads that build those,
 * and a short one when they have ended, instead of a long one in which one core has nothing to do: 3 % of the time.
 */
const ENOUGH_AT_LAST = 24 * 1024 * 1024;
/** The runs that are built while that segment is added; those at the end are short. */
const LAST_RUNS = 12;

/**
 * More threads would wait for each other's access to memory. The second one begins when no more rows come: until then
 * writing rows and reading ahead keep two cores busy, and with all these threads at once memory would grow by 60 MB.
 */
const THREADS = 2;

/** How long to wait before the next look at what was told, and for rows. */
const IDLE_MS = 20;

/** Memory for pages of the connection that adds segments, which writes them in order. */
const CACHE_KIB = 4096;

const DEFINITION = "SELECT sql FROM sqlite_schema WHERE name = 'entry_text'";

/** What the thread that has texts built has been told meanwhile. */
export interface Told {
  /** No more rows will come. */
  rowsDone: boolean;
  stop: boolean;
}

/**
 * How it ended. `done`: all entries are added. `overtaken`: somebody else has added some, or they have changed.
 * `failed`: it does not work here.
 */
export type FeedEnd = "done" | "stopped" | "overtaken" | "failed";

export interface SegmentOrders {
  told: Readonly<Told>;
  /** Brings `told` up to date, in the middle of work. */
  hear: () => void;
  say: (progress: SyncProgress) => void;
}

/** Words that are added between two looks at what was told; it takes some 2 ms. */
const WORDS = 1000;

/**
 * Fills the full text where very much is behind: threads build segments of it outside of SQLite, several at once, where
 * FTS5 has one writer insert the texts; then they are added to its own tables. Whoever makes one has it run once.
 */
export class SegmentFeed {
  /** Entries that have become searchable. */
  added = 0;
  readonly #feeder: SearchFeeder;
  readonly #orders: SegmentOrders;
  readonly #stop = new StopFlag();
  readonly #threadOrders: RunOrders;
  readonly #threads: RunThread[] = [];
  readonly #queue: RunQueue;
  readonly #shadow: Database;
  readonly #adder: SegmentAdder;
  readonly #flow = new RowFlow();
  #waiting: BuiltRun[] = [];
  #words = 0;

  private constructor(index: Index, definition: string, feeder: SearchFeeder, orders: SegmentOrders) {
    this.#feeder = feeder;
    this.#orders = orders;
    const busyTimeoutMs = THREAD_BUSY_TIMEOUT_MS;
    this.#shadow = openShadow(index.location, { busyTimeoutMs, cacheKiB: CACHE_KIB });
    this.#adder = new SegmentAdder(index, this.#shadow);
    this.#threadOrders = { location: index.location, definition, stop: this.#stop.shared };
    const { watermark } = feeder.reach;
    this.#queue = new RunQueue(new KeyRanges(index.database, watermark), watermark);
  }

  /** Null where the SQLite in use writes a full text in another way than this program does. */
  static of(index: Index, feeder: SearchFeeder, orders: SegmentOrders): SegmentFeed | null {
    const definition = String(index.search.prepare(DEFINITION).pluck().get());
    if (!isFormatKnown(definition)) return null;
    feeder.forgetGone();
    return new SegmentFeed(index, definition, feeder, orders);
  }

  /** Goes on until no more rows come and all are added. @throws SQLite's errors */
  async run(): Promise<FeedEnd> {
    try {
      return await this.#feed();
    } catch (error) {
      if (error instanceof Unfinished) return "stopped";
      throw error;
    } finally {
      this.#stop.raise();
      await Promise.all(this.#threads.map((thread) => thread.close()));
      this.#shadow.close();
    }
  }

  async #feed(): Promise<FeedEnd> {
    const { told } = this.#orders;
    while (!told.stop) {
      // What has come should be found while nothing more does.
      const isLast = told.rowsDone || this.#flow.isQuiet(this.#feeder.reach.lastKey);
      while (this.#threads.length < (told.rowsDone ? THREADS : 1)) this.#startThread();
      this.#queue.pump(isLast);
      for (const run of this.#queue.take()) this.#take(run);
      if (this.#queue.hasFailed) return "failed";
      const isEnd = isLast && this.#queue.isEmpty;
      const enough = isLast && this.#queue.left <= LAST_RUNS ? ENOUGH_AT_LAST : ENOUGH;
      const isDue = isEnd || this.#queue.isFull || bytesOf(this.#waiting) >= enough;
      if (isDue && this.#waiting.length > 0 && !(await this.#add())) return "overtaken";
      if (isEnd) return "done";
      await this.#queue.change(isDue ? 0 : IDLE_MS);
    }
    return "stopped";
  }

  #startThread(): void {
    const thread = new RunThread(this.#threadOrders);
    this.#threads.push(thread);
    this.#queue.join(thread);
  }

  #take(run: BuiltRun): void {
    this.#waiting.push(run);
    const { lastKey } = this.#feeder.reach;
    this.#orders.say({ phase: "search", done: Math.min(run.range.upTo, lastKey), total: lastKey });
  }

  /** Adds what waits as one segment. False where it is not of exactly the entries that are next. */
  async #add(): Promise<boolean> {
    while (!this.#feeder.hasRoom()) await this.#queue.change(0);
    this.#feeder.forgetGone();
    const isAdded = this.#adder.add(this.#waiting, this.#mayGoOn);
    for (const run of this.#waiting.splice(0)) {
      if (isAdded) this.added += run.counts.keys.length;
      this.#queue.giveBack(run);
    }
    return isAdded;
  }

  readonly #mayGoOn = (): boolean => {
    if (++this.#words % WORDS === 0) this.#orders.hear();
    return !this.#orders.told.stop;
  };
}

function bytesOf(runs: readonly BuiltRun[]): number {
  return runs.reduce((sum, { end }) => sum + end, 0);
}

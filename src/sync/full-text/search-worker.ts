import { availableParallelism } from "node:os";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { codeOf, type ErrorCode, isSqliteBusy, SessionDbError } from "../../errors.ts";
import { THREAD_BUSY_TIMEOUT_MS } from "../../store/connection.ts";
import type { IndexLocation } from "../../store/location.ts";
import { type Index, openIndex } from "../../store/open.ts";
import { explain, isOutOfRoom } from "../../store/sqlite-errors.ts";
import type { SyncProgress } from "../progress.ts";
import { timeUp } from "../time-up.ts";
import { RowFlow } from "./row-flow.ts";
import { type FeedResult, SearchFeeder } from "./search-feed.ts";
import { EVERYTHING, LITTLE, mergeSegments, NOTHING } from "./search-merge.ts";
import { SegmentFeed, type SegmentOrders, type Told } from "./segments/segment-feed.ts";

/** What a `SearchFeed` came to. */
export interface SearchFeedResult extends FeedResult {
  /** The disk had no room for merging what was added. Everything is found all the same, and the next feed merges it. */
  outOfRoom: boolean;
}

/** What the worker says. */
export type FromWorker =
  | { kind: "progress"; progress: SyncProgress }
  | { kind: "finished"; result: SearchFeedResult }
  | { kind: "failed"; code: ErrorCode; message: string; hint: string | undefined };

/** What it begins with. */
export interface FeedOrders {
  location: IndexLocation;
  /** At the end everything is merged, also what others have left; else a little. */
  mergesAll: boolean;
}

/** What it is told. It is never terminated from outside: it closes its databases and ends. */
export type ToWorker = { kind: "rowsDone" } | { kind: "stop" };

/** How long it works, and how long it waits when there is nothing to do, between two looks at its messages. */
const SLICE_MS = 150;
const IDLE_MS = 20;

/**
 * Memory for pages of each database. Rows are read and text is written in order: eight times as much takes 80 MB and
 * saves no time.
 */
const CACHE_KIB = 4096;

/** This many entries behind are worth threads that build segments of them. */
const MANY_ENTRIES = 20_000;

/** How long it waits at most, while rows come, to see whether they become so many. */
const PATIENCE_MS = 10_000;

function isMuch({ reach }: SearchFeeder): boolean {
  return reach.lastKey - reach.watermark > MANY_ENTRIES;
}

/** Feeds what there is, again and again, until it is told that no more rows will come, or to stop. */
class Follower {
  readonly #port: MessagePort;
  readonly #location: IndexLocation;
  readonly #mergesAll: boolean;
  readonly #told: Told = { rowsDone: false, stop: false };
  /** Whether threads may build segments: only with several cores, and until that has failed once. */
  #mayBuild = availableParallelism() > 1;
  readonly #flow = new RowFlow();
  #waitsUntil: number | null = null;

  constructor(port: MessagePort, { location, mergesAll }: FeedOrders) {
    this.#port = port;
    this.#location = location;
    this.#mergesAll = mergesAll;
    port.on("message", (message: ToWorker) => {
      this.#told[message.kind] = true;
    });
  }

  async follow(): Promise<SearchFeedResult> {
    const index = openIndex(this.#location, { busyTimeoutMs: THREAD_BUSY_TIMEOUT_MS, cacheKiB: CACHE_KIB });
    try {
      const result = await this.#feed(index, new SearchFeeder(index));
      return { ...result, outOfRoom: this.#mergesAll && !(await this.#merge(index)) };
    } finally {
      index.close();
    }
  }

  async #feed(index: Index, feeder: SearchFeeder): Promise<FeedResult> {
    for (;;) {
      if (!this.#told.stop && this.#mayBuild && isMuch(feeder)) await this.#build(index, feeder);
      const { rowsDone: last } = this.#told;
      const result = feeder.run({
        deadlineMs: this.#told.stop || this.#waits(feeder) ? 0 : Date.now() + SLICE_MS,
        // While rows are being written there is enough to do, and what was missed may have to wait for just those rows.
        retryMissed: last,
        merge: this.#mergesAll ? NOTHING : LITTLE,
        onProgress: this.#say,
      });
      if (this.#told.stop || (last && result.complete)) return { ...result, added: feeder.added };
      await turn(result.complete || this.#waits(feeder) ? IDLE_MS : 0);
    }
  }

  /**
   * Waits while rows have begun to come, because they may become very many: texts inserted before that is known would be
   * segments of their own, for which all the others would have to be merged.
   */
  #waits({ reach }: SearchFeeder): boolean {
    if (!this.#mayBuild || this.#told.rowsDone || reach.lastKey === reach.watermark) return false;
    this.#waitsUntil ??= performance.now() + PATIENCE_MS;
    return !this.#flow.isQuiet(reach.lastKey) && performance.now() < this.#waitsUntil;
  }

  /**
   * In slices: for many gigabytes it takes minutes. Everything is found without it, so it gives up when another process is
   * writing. False when the disk has no room for it.
   */
  async #merge({ search }: Index): Promise<boolean> {
    const slice = () => timeUp({ deadlineMs: Date.now() + SLICE_MS });
    try {
      while (!this.#told.stop && !mergeSegments(search, EVERYTHING, slice())) await turn(0);
    } catch (error) {
      if (isOutOfRoom(codeOf(error))) return false;
      if (!isSqliteBusy(error)) throw error;
    }
    return true;
  }

  /** Has segments built of all that is behind, as far as that works. */
  async #build(index: Index, feeder: SearchFeeder): Promise<void> {
    const orders: SegmentOrders = { told: this.#told, hear: this.#hear, say: this.#say };
    const feed = SegmentFeed.of(index, feeder, orders);
    const end = await feed?.run();
    const added = feed?.added ?? 0;
    feeder.noteAdded(added);
    // Where another process adds the entries first, building them again would only take time.
    this.#mayBuild = end === "done" || (end === "overtaken" && added > 0);
  }

  /** What was said while this thread was at work. */
  readonly #hear = (): void => {
    for (let said = receiveMessageOnPort(this.#port); said; said = receiveMessageOnPort(this.#port)) {
      this.#told[(said.message as ToWorker).kind] = true;
    }
  };

  readonly #say = (progress: SyncProgress): void => {
    this.#port.postMessage({ kind: "progress", progress } satisfies FromWorker);
  };
}

/** Waits so that messages are heard. */
function turn(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The last word: an open port would keep the thread, and with it the process, alive. */
function end(port: MessagePort, word: FromWorker): void {
  port.postMessage(word);
  port.close();
}

function failureOf(error: unknown): FromWorker {
  if (!(error instanceof SessionDbError)) {
    return { kind: "failed", code: "io", message: String(error), hint: undefined };
  }
  return { kind: "failed", code: error.code, message: error.message, hint: error.hint };
}

export function serve(port: MessagePort, orders: FeedOrders): void {
  new Follower(port, orders).follow().then(
    (result) => end(port, { kind: "finished", result }),
    (error: unknown) => end(port, failureOf(explain(error, orders.location.searchPath))),
  );
}

import { type MessagePort, receiveMessageOnPort, threadId } from "node:worker_threads";
import { codeOf, type ErrorCode, isSqliteBusy, SessionDbError } from "../errors.ts";
import type { SyncProgress } from "../runtime/observer.ts";
import { THREAD_BUSY_TIMEOUT_MS } from "../store/connection.ts";
import type { IndexLocation } from "../store/location.ts";
import { type Index, openIndex } from "../store/open.ts";
import { isOutOfRoom, toStoreError } from "../store/sqlite-errors.ts";
import { type FeedResult, type HandedTexts, SearchFeeder } from "./feed/feeder.ts";
import type { HandedBatch } from "./feed/handover.ts";
import { LITTLE, mergeSegments, NO_MERGE } from "./feed/merge.ts";
import { type SharedBlocks, TextBlocks } from "./feed/text-blocks.ts";

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
  blocks: SharedBlocks;
  /** The thread that fills the blocks. */
  filledBy: number;
}

/**
 * What it is told. `handing`: the texts of entries after this key will be handed over. It is never terminated from outside:
 * it closes its databases and ends.
 */
export type ToWorker =
  | { kind: "rowsDone" | "stop" }
  | { kind: "handing"; after: number }
  | { kind: "texts"; batch: HandedBatch };

/** How long it works, and how long it waits when there is nothing to do, between two looks at its messages. */
const SLICE_MS = 150;
const IDLE_MS = 20;

/**
 * Memory for pages of each database. Rows are read and text is written in order: eight times as much takes 80 MB and
 * saves no time.
 */
const CACHE_KIB = 4096;

/** So many batches are waited for before the first is taken in, for a while: each transaction leaves a segment. */
const ENOUGH_BATCHES = 3;
const GATHERING_MS = 500;

/** Takes in what it is handed and feeds what else there is, until it is told that no more rows will come, or to stop. */
class Follower implements HandedTexts {
  readonly blocks: TextBlocks;
  readonly #port: MessagePort;
  readonly #location: IndexLocation;
  readonly #told = { rowsDone: false, stop: false };
  /** The last key that has to be read although later texts are handed over; null where none are. */
  #upTo: number | null = null;
  readonly #batches: HandedBatch[] = [];
  /** When the first of them came; steady ms. */
  #since = 0;

  constructor(port: MessagePort, { location, blocks, filledBy }: FeedOrders) {
    this.#port = port;
    this.#location = location;
    this.blocks = new TextBlocks(blocks);
    if (threadId !== filledBy) this.blocks.serve();
    port.on("message", (message: ToWorker) => this.#hear(message));
  }

  async follow(): Promise<SearchFeedResult> {
    const index = openIndex(this.#location, { busyTimeoutMs: THREAD_BUSY_TIMEOUT_MS, cacheKiB: CACHE_KIB });
    try {
      const result = await this.#feed(new SearchFeeder(index));
      return { ...result, outOfRoom: !this.#told.stop && !this.#merge(index) };
    } finally {
      index.close();
    }
  }

  async #feed(feeder: SearchFeeder): Promise<FeedResult> {
    for (;;) {
      this.#hearAll();
      const { rowsDone, stop } = this.#told;
      const upTo = rowsDone && this.#batches.length === 0 ? null : this.#upTo;
      const result = feeder.run({
        deadlineMs: stop ? 0 : Date.now() + SLICE_MS,
        // While rows are being written there is enough to do, and what was missed may have to wait for just those rows.
        retryMissed: rowsDone && upTo === null,
        merge: NO_MERGE,
        onProgress: this.#say,
        ...(upTo !== null && { upTo }),
      });
      if (stop || (rowsDone && upTo === null && result.complete)) return { ...result, added: feeder.added };
      if (upTo !== null && result.complete && this.#isGathered()) {
        const lacking = feeder.addHanded(this, this.#say);
        // Where reading has not brought what lacks, it is not waited for again.
        if (lacking !== null && lacking - 1 === upTo) this.#passOver();
        this.#upTo = Math.max(upTo, (lacking ?? 0) - 1);
      }
      await turn(result.complete && this.#batches.length < ENOUGH_BATCHES ? IDLE_MS : 0);
    }
  }

  next(): HandedBatch | undefined {
    this.#hearAll();
    return this.#told.stop ? undefined : this.#batches[0];
  }

  taken(): void {
    this.#batches.shift();
  }

  #passOver(): void {
    for (const block of this.#batches.shift()?.blocks ?? []) this.blocks.giveBack(block);
  }

  /** Also what was said while this thread was at work. */
  #hearAll(): void {
    for (let said = receiveMessageOnPort(this.#port); said; said = receiveMessageOnPort(this.#port)) {
      this.#hear(said.message as ToWorker);
    }
  }

  #hear(message: ToWorker): void {
    switch (message.kind) {
      case "rowsDone":
      case "stop":
        this.#told[message.kind] = true;
        break;
      case "handing":
        this.#upTo = message.after;
        break;
      case "texts":
        if (this.#batches.length === 0) this.#since = performance.now();
        this.#batches.push(message.batch);
        break;
      default:
        message satisfies never;
    }
  }

  #isGathered(): boolean {
    const count = this.#batches.length;
    if (count === 0 || this.#told.rowsDone || count >= ENOUGH_BATCHES) return count > 0;
    return performance.now() - this.#since > GATHERING_MS;
  }

  /**
   * Everything is found without it, so it gives up when another process is writing. False when the disk has no room for it.
   */
  #merge({ search }: Index): boolean {
    try {
      mergeSegments(search, LITTLE);
    } catch (error) {
      if (isOutOfRoom(codeOf(error))) return false;
      if (!isSqliteBusy(error)) throw error;
    }
    return true;
  }

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
    (error: unknown) => end(port, failureOf(toStoreError(error, orders.location.searchPath))),
  );
}

import { dirname } from "node:path";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { type ErrorCode, SessionDbError } from "../errors.ts";
import { StopFlag, type StopSignal } from "../runtime/cancellation.ts";
import type { SyncProgress } from "../runtime/observer.ts";
import { DAEMON_CACHE_KIB } from "../store/connection.ts";
import { CrashJournal, DEATHS, FEEDING } from "../store/crash-journal.ts";
import type { IndexLocation } from "../store/location.ts";
import { type Index, openIndex } from "../store/open.ts";
import { toStoreError } from "../store/sqlite-errors.ts";
import { type Fed, type FeedResult, feedSlice, SearchFeeder, SLICE_MS } from "./feed/feeder.ts";
import { HandedQueue, type HandoverOrders } from "./feed/handed-queue.ts";
import type { HandedBatch } from "./feed/handover.ts";
import { mergeLittle, NO_MERGE, tidySlice } from "./feed/merge.ts";
import { type PurgeState, purgeSlice } from "./purge.ts";

/** What a `SearchFeed` came to. */
export interface SearchFeedResult extends FeedResult {
  /** The disk had no room for merging what was added. Everything is found all the same, and the next feed merges it. */
  outOfRoom: boolean;
}

/** What the worker says: one answer to each question, and while it feeds to the end how far it is. */
export type FromWorker =
  | { kind: "progress"; progress: SyncProgress }
  | { kind: "finished"; result: SearchFeedResult }
  | { kind: "fed"; result: Fed }
  | { kind: "tidied"; result: boolean }
  | { kind: "purged"; result: PurgeState }
  | { kind: "failed"; code: ErrorCode; message: string; hint: string | undefined };

/** How the worker is to work: to the end, then it ends; or in the background, a slice each time it is asked. */
export type Policy =
  | { kind: "to the end"; handover: HandoverOrders }
  /** With a journal of what is read, so that no text ends the worker again and again. */
  | { kind: "in the background" };

export interface WorkerOrders {
  location: IndexLocation;
  /** Of a `StopFlag`: what is going on ends at its next step, which keeps what was done of it. */
  stop: Int32Array<SharedArrayBuffer>;
  policy: Policy;
  busyTimeoutMs: number;
}

export type Question = "feed" | "tidy" | "purge";

/**
 * What it is told. `handing`: the texts of entries after this key will be handed over; `rowsDone`: no more rows will come.
 * It is never terminated from outside: it closes its databases and ends.
 */
export type ToWorker =
  | { kind: Question | "rowsDone" | "close" }
  | { kind: "handing"; after: number }
  | { kind: "texts"; batch: HandedBatch };

/** How long it waits, when there is nothing to do, between two looks at its messages. */
const IDLE_MS = 20;

/**
 * A row takes a dozen pages of the write-ahead log. SQLite writes a full log back by itself, in the thread that writes
 * the rows, which stands still for the time it takes to flush 64 MB (some 60 ms, every six seconds at 200 lines a
 * second). What this thread has written back before need not be flushed then.
 */
const ENTRIES_A_CHECKPOINT = 250;

interface Opened {
  index: Index;
  feeder: SearchFeeder;
}

/** Does what its policy says, on an index that it opens when it is needed. */
class FullTextWorker {
  readonly #port: MessagePort;
  readonly #orders: WorkerOrders;
  readonly #stop: StopSignal;
  readonly #handed: HandedQueue | null = null;
  readonly #journal: CrashJournal | null = null;
  #opened: Opened | null = null;
  #rowsDone = false;
  /** Entries taken in since the last checkpoint of the rows. */
  #entries = 0;

  constructor(port: MessagePort, orders: WorkerOrders) {
    this.#port = port;
    this.#orders = orders;
    this.#stop = new StopFlag(orders.stop);
    if (orders.policy.kind === "in the background") {
      this.#journal = new CrashJournal(dirname(orders.location.indexPath), FEEDING);
    } else this.#handed = new HandedQueue(orders.policy.handover, () => this.#hearAll(), this.#stop);
    port.on("message", (message: ToWorker) => this.#hear(message));
    if (this.#handed !== null) void this.#feedToEnd(this.#handed);
  }

  #hear(message: ToWorker): void {
    switch (message.kind) {
      case "rowsDone":
        this.#rowsDone = true;
        break;
      case "handing":
        this.#handed?.begin(message.after);
        break;
      case "texts":
        this.#handed?.add(message.batch);
        break;
      case "close":
        this.#close();
        break;
      default:
        this.#port.postMessage(this.#answer(message.kind));
    }
  }

  /** Also what was said while this thread was at work. */
  #hearAll(): void {
    for (let said = receiveMessageOnPort(this.#port); said; said = receiveMessageOnPort(this.#port)) {
      this.#hear(said.message as ToWorker);
    }
  }

  #open(): Opened {
    if (this.#opened !== null) return this.#opened;
    const { location, busyTimeoutMs } = this.#orders;
    const index = openIndex(location, { busyTimeoutMs, cacheKiB: DAEMON_CACHE_KIB });
    const journal = this.#journal;
    const feeder = new SearchFeeder(index, journal === null ? {} : { journal, leaveOut: killerIn(journal) });
    this.#opened = { index, feeder };
    return this.#opened;
  }

  /** The last word comes when the databases are closed. */
  async #feedToEnd(handed: HandedQueue): Promise<void> {
    let word: FromWorker;
    try {
      word = { kind: "finished", result: await this.#untilEnd(handed) };
    } catch (error) {
      word = this.#failure(error);
    }
    this.#port.postMessage(word);
    this.#port.close();
  }

  /** Takes in what it is handed and feeds what else there is, until no more rows will come, or it is stopped. */
  async #untilEnd(handed: HandedQueue): Promise<SearchFeedResult> {
    const { index, feeder } = this.#open();
    try {
      return await this.#follow(handed, { index, feeder });
    } finally {
      index.close();
    }
  }

  async #follow(handed: HandedQueue, { index, feeder }: Opened): Promise<SearchFeedResult> {
    for (;;) {
      this.#hearAll();
      const rowsDone = this.#rowsDone;
      const upTo = handed.upTo(rowsDone);
      const result = feeder.run({
        deadlineMs: Date.now() + SLICE_MS,
        signal: this.#stop,
        // While rows are being written there is enough to do, and what was missed may have to wait for just those rows.
        retryMissed: rowsDone && upTo === null,
        merge: NO_MERGE,
        onProgress: this.#say,
        ...(upTo !== null && { upTo }),
      });
      const all = { ...result, added: feeder.added };
      if (this.#stop.aborted) return { ...all, outOfRoom: false };
      if (rowsDone && upTo === null && result.complete) return { ...all, outOfRoom: !mergeLittle(index) };
      if (upTo !== null && result.complete) handed.takeIn(feeder, { upTo, rowsDone, onProgress: this.#say });
      await turn(result.complete && !handed.isFull ? IDLE_MS : 0);
    }
  }

  readonly #say = (progress: SyncProgress): void => {
    this.#port.postMessage({ kind: "progress", progress } satisfies FromWorker);
  };

  #answer(question: Question): FromWorker {
    try {
      const { index, feeder } = this.#open();
      switch (question) {
        case "feed":
          return { kind: "fed", result: this.#feed(index, feeder) };
        case "tidy":
          return { kind: "tidied", result: tidySlice(index, this.#stop) };
        case "purge":
          return { kind: "purged", result: purgeSlice(index, this.#stop) };
        default:
          return question satisfies never;
      }
    } catch (error) {
      return this.#failure(error);
    }
  }

  #feed(index: Index, feeder: SearchFeeder): Fed {
    const fed = feedSlice(feeder, this.#stop);
    this.#checkpoint(index, fed);
    const leftOut = killerIn(this.#journal)?.realPath;
    return leftOut === undefined ? fed : { ...fed, leftOut };
  }

  /** Not in the first index: there the same pages are written again and again, and nobody waits for a single row. */
  #checkpoint({ database }: Index, { added, complete }: Fed): void {
    this.#entries += added;
    if (!complete || this.#entries < ENTRIES_A_CHECKPOINT) return;
    this.#entries = 0;
    database.pragma("wal_checkpoint(PASSIVE)");
  }

  #failure(thrown: unknown): FromWorker {
    const error = toStoreError(thrown, this.#orders.location.searchPath);
    if (!(error instanceof SessionDbError)) {
      return { kind: "failed", code: "io", message: String(error), hint: undefined };
    }
    return { kind: "failed", code: error.code, message: error.message, hint: error.hint };
  }

  /** An open port would keep the thread, and with it the process, alive. */
  #close(): void {
    this.#opened?.index.close();
    this.#journal?.close();
    this.#port.close();
  }
}

/** What has ended the worker so often that it is left out. */
function killerIn(journal: CrashJournal | null): CrashJournal["suspect"] {
  const suspect = journal?.suspect ?? null;
  return suspect !== null && suspect.deaths >= DEATHS ? suspect : null;
}

/** Waits so that messages are heard. */
function turn(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function serve(port: MessagePort, orders: WorkerOrders): void {
  new FullTextWorker(port, orders);
}

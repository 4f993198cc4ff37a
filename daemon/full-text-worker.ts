import { dirname } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { codeOf, messageOf } from "../src/errors.ts";
import { StopFlag, type StopSignal, timeUp } from "../src/runtime/cancellation.ts";
import { CACHE_KIB } from "../src/runtime/memory.ts";
import { type FeedResult, SearchFeeder } from "../src/search/feed/feeder.ts";
import { LITTLE, mergeSegments } from "../src/search/feed/merge.ts";
import { needsPurge, Purge, type PurgeState } from "../src/search/purge.ts";
import { CrashJournal, DEATHS, FEEDING } from "../src/store/crash-journal.ts";
import type { IndexLocation } from "../src/store/location.ts";
import { type Index, openIndex } from "../src/store/open.ts";

/** What the worker says, one answer to each question but `close`. */
export type FromFullText =
  | { kind: "fed"; result: Fed }
  | { kind: "tidied"; finished: boolean }
  | { kind: "purged"; state: PurgeState }
  | { kind: "failed"; code: string; message: string };

export type ToFullText = { kind: "feed" | "tidy" | "purge" | "close" };

export interface FullTextOrders {
  location: IndexLocation;
  /** Of a `StopFlag`: the slice that is going on ends at once. */
  stop: Int32Array<SharedArrayBuffer>;
}

export interface Fed extends FeedResult {
  /** Words of entries that are gone may still stand in a database. */
  needsPurge: boolean;
  /** A file with an entry that is left out, because reading it has ended the thread twice. */
  leftOut?: string;
}

const SLICE_MS = 150;
/** A purge may take minutes, and should leave part of each second to others. */
const PURGE_SLICE_MS = 500;
const BUSY_TIMEOUT_MS = 1000;
/** Merging delays no search, but it delays new entries: while those come, only a little is merged. */
const MUCH = { pages: 512, steps: 8 } as const;

/**
 * One slice of work, as the thread does it. Exported, like the two below, for tests: those have no thread, which cannot be
 * started from TypeScript. @throws SessionDbError, SQLite's errors
 */
export function feedSlice(index: Index, feeder: SearchFeeder, signal: StopSignal): Fed {
  const result = feeder.run({ deadlineMs: Date.now() + SLICE_MS, merge: LITTLE, signal });
  return { ...result, needsPurge: result.complete && needsPurge(index) };
}

export function purgeSlice(index: Index, signal: StopSignal): PurgeState {
  return new Purge(index).step({ deadlineMs: Date.now() + PURGE_SLICE_MS, signal });
}

export function tidySlice(index: Index, signal: StopSignal): boolean {
  return mergeSegments(index.search, MUCH, timeUp({ signal }));
}

/**
 * A row takes a dozen pages of the write-ahead log. SQLite writes a full log back by itself, in the thread that writes
 * the rows, which stands still for the time it takes to flush 64 MB (some 60 ms, every six seconds at 200 lines a
 * second). What this thread has written back before need not be flushed then.
 */
const ENTRIES_A_CHECKPOINT = 250;

class Answerer {
  readonly #port: MessagePort;
  readonly #location: IndexLocation;
  readonly #journal: CrashJournal;
  readonly #stop: StopSignal;
  #index: Index | null = null;
  #feeder: SearchFeeder | null = null;
  /** Entries taken in since the last checkpoint of the rows. */
  #entries = 0;

  constructor(port: MessagePort, { location, stop }: FullTextOrders) {
    this.#port = port;
    this.#location = location;
    this.#stop = new StopFlag(stop);
    this.#journal = new CrashJournal(dirname(location.indexPath), FEEDING);
  }

  hear(question: ToFullText): void {
    if (question.kind === "close") this.#close();
    else this.#port.postMessage(this.#answer(question.kind));
  }

  #answer(kind: "feed" | "tidy" | "purge"): FromFullText {
    try {
      this.#index ??= openIndex(this.#location, { busyTimeoutMs: BUSY_TIMEOUT_MS, cacheKiB: CACHE_KIB });
      switch (kind) {
        case "feed":
          return { kind: "fed", result: this.#feed(this.#index) };
        case "tidy":
          return { kind: "tidied", finished: tidySlice(this.#index, this.#stop) };
        case "purge":
          return { kind: "purged", state: purgeSlice(this.#index, this.#stop) };
        default:
          return kind satisfies never;
      }
    } catch (error) {
      return { kind: "failed", code: codeOf(error), message: messageOf(error) };
    }
  }

  #feed(index: Index): Fed {
    const journal = this.#journal;
    const leaveOut = (journal.suspect?.deaths ?? 0) >= DEATHS ? journal.suspect : null;
    this.#feeder ??= new SearchFeeder(index, { journal, leaveOut });
    const fed = feedSlice(index, this.#feeder, this.#stop);
    this.#checkpoint(index, fed);
    return leaveOut === null ? fed : { ...fed, leftOut: leaveOut.realPath };
  }

  /** Not in the first index: there the same pages are written again and again, and nobody waits for a single row. */
  #checkpoint({ database }: Index, { added, complete }: Fed): void {
    this.#entries += added;
    if (!complete || this.#entries < ENTRIES_A_CHECKPOINT) return;
    this.#entries = 0;
    database.pragma("wal_checkpoint(PASSIVE)");
  }

  /** An open port would keep the thread, and with it the process, alive. */
  #close(): void {
    this.#index?.close();
    this.#journal.close();
    this.#port.close();
  }
}

export function serve(port: MessagePort, orders: FullTextOrders): void {
  const answerer = new Answerer(port, orders);
  port.on("message", (question: ToFullText) => answerer.hear(question));
}

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type Index, type IndexLocation, openIndex } from "../src/db/open.ts";
import { codeOf } from "../src/errors.ts";
import { type FeedResult, SearchFeeder } from "../src/sync/search-feed.ts";
import { mergeSegments } from "../src/sync/search-merge.ts";

/** What the worker says, one answer to each question but `close`. */
export type FromFullText =
  | { kind: "fed"; result: FeedResult }
  | { kind: "tidied"; finished: boolean }
  | { kind: "failed"; code: string; message: string };

export type ToFullText = { kind: "feed" } | { kind: "tidy" } | { kind: "close" };

const SLICE_MS = 150;
const BUSY_TIMEOUT_MS = 1000;
/** Merging keeps searchers from nothing, but new entries from being found; while they come, only a little. */
const LITTLE = { pages: 64, steps: 8 } as const;
const MUCH = { pages: 512, steps: 8 } as const;

/** One slice of work, here or in a thread. @throws SessionDbError, SQLite's errors */
export function feedSlice(feeder: SearchFeeder): FeedResult {
  return feeder.run({ deadlineMs: Date.now() + SLICE_MS, merge: LITTLE });
}

export function tidySlice(index: Index): boolean {
  return mergeSegments(index.search, MUCH);
}

class Answerer {
  readonly #port: MessagePort;
  readonly #location: IndexLocation;
  #index: Index | null = null;
  #feeder: SearchFeeder | null = null;

  constructor(port: MessagePort, location: IndexLocation) {
    this.#port = port;
    this.#location = location;
  }

  hear(question: ToFullText): void {
    if (question.kind === "close") this.#close();
    else this.#port.postMessage(this.#answer(question.kind));
  }

  #answer(kind: "feed" | "tidy"): FromFullText {
    try {
      this.#index ??= openIndex(this.#location, { busyTimeoutMs: BUSY_TIMEOUT_MS });
      if (kind === "tidy") return { kind: "tidied", finished: tidySlice(this.#index) };
      this.#feeder ??= new SearchFeeder(this.#index);
      return { kind: "fed", result: feedSlice(this.#feeder) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "failed", code: codeOf(error), message };
    }
  }

  /** An open port would keep the thread, and with it the process, alive. */
  #close(): void {
    this.#index?.close();
    this.#port.close();
  }
}

if (parentPort) {
  const answerer = new Answerer(parentPort, workerData as IndexLocation);
  parentPort.on("message", (question: ToFullText) => answerer.hear(question));
}

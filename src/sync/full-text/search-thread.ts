import { Worker } from "node:worker_threads";
import type { IndexLocation } from "../../db/open.ts";
import { SessionDbError } from "../../errors.ts";
import { moduleBeside } from "../../file/module-beside.ts";
import type { SyncProgress } from "../progress.ts";
import type { FeedOrders, FromWorker, SearchFeedResult, ToWorker } from "./search-worker.ts";

/** Most of what it makes is short-lived: with the 48 MB that Node would let that take before it clears up, it is no faster. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

type Failure = Extract<FromWorker, { kind: "failed" }>;

/**
 * The full text, filled by a thread of its own while this one writes rows: it costs several times what the
 * rows cost. It follows the rows until it is told that no more will come, or to stop.
 */
export class SearchFeed {
  /** What it came to; rejects when the thread could not go on. */
  readonly finished: Promise<SearchFeedResult>;
  readonly #worker: Worker;
  readonly #listeners: ((progress: SyncProgress) => void)[] = [];

  constructor(location: IndexLocation, { mergesAll = true }: { mergesAll?: boolean } = {}) {
    const file = moduleBeside("./search-worker", import.meta.url);
    const orders: FeedOrders = { location, mergesAll };
    this.#worker = new Worker(file, { workerData: orders, resourceLimits: LIMITS });
    this.finished = new Promise((resolve, reject) => {
      this.#worker.on("message", (message: FromWorker) => this.#hear(message, resolve, reject));
      this.#worker.on("error", reject);
      this.#worker.on("exit", () => reject(new SessionDbError("io", "the full-text thread ended by itself")));
    });
  }

  /** No more rows will come: finish what is there, then end. */
  rowsDone(): void {
    this.#tell({ kind: "rowsDone" });
  }

  /** End at the next batch boundary. */
  stop(): void {
    this.#tell({ kind: "stop" });
  }

  onProgress(listener: (progress: SyncProgress) => void): void {
    this.#listeners.push(listener);
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #hear(
    message: FromWorker,
    resolve: (result: SearchFeedResult) => void,
    reject: (error: Error) => void,
  ): void {
    switch (message.kind) {
      case "progress":
        for (const listener of this.#listeners) listener(message.progress);
        break;
      case "finished":
        resolve(message.result);
        break;
      case "failed":
        reject(toError(message));
        break;
      default:
        message satisfies never;
    }
  }
}

function toError({ code, message, hint }: Failure): SessionDbError {
  const what = `the full text could not be brought up to date: ${message}`;
  return new SessionDbError(code, what, hint === undefined ? {} : { hint });
}

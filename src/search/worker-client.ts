import { threadId } from "node:worker_threads";
import { SessionDbError } from "../errors.ts";
import type { TextSink } from "../indexing/text-sink.ts";
import { moduleAt } from "../runtime/module-path.ts";
import type { SyncProgress } from "../runtime/observer.ts";
import { Thread } from "../runtime/thread.ts";
import type { IndexLocation } from "../store/location.ts";
import type { Index } from "../store/open.ts";
import { lastKeyOf } from "../store/tables/entry-rows.ts";
import { TextHandover } from "./feed/handover.ts";
import { TextBlocks } from "./feed/text-blocks.ts";
import type { FeedOrders, FromWorker, SearchFeedResult, ToWorker } from "./worker.ts";

/** Most of its objects are short-lived: with the 48 MB that Node would allow them before collecting, it is no faster. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

type Failure = Extract<FromWorker, { kind: "failed" }>;

/**
 * The full text, filled by a thread of its own while this one writes rows: it costs several times what the
 * rows cost. It follows the rows until it is told that no more will come, or to stop. Where no further thread can be
 * started, this one fills it between two turns of its event loop, for up to 150 ms at once.
 */
export class SearchFeed {
  /** What it came to; rejects when the thread could not go on, or with what a listener threw, once the thread has ended. */
  readonly finished: Promise<SearchFeedResult>;
  readonly #thread: Thread<FeedOrders, ToWorker, FromWorker>;
  #resolve: (result: SearchFeedResult) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  readonly #blocks = new TextBlocks();
  readonly #listeners: ((progress: SyncProgress) => void)[] = [];
  /** What a listener threw: nothing more is reported then. */
  #thrown: { error: unknown } | null = null;

  constructor(location: IndexLocation) {
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may fail long before anybody waits for it, which would end the process. Who does still gets the error.
    this.finished.catch(() => undefined);
    this.#thread = new Thread({
      module: moduleAt("src/search/worker"),
      orders: { location, blocks: this.#blocks.shared, filledBy: threadId },
      limits: LIMITS,
      hear: (message) => this.#hear(message),
      fail: (error) => this.#reject(error),
      here: () => import("./worker.ts"),
    });
    const byItself = new SessionDbError("io", "the full-text thread ended unexpectedly");
    void this.#thread.ended.then(() => this.#reject(byItself));
  }

  /**
   * Takes the texts of rows as they are written, on the connection that writes them, so that they are not read again.
   *
   * @internal
   */
  texts({ database }: Index): TextSink {
    this.#thread.tell({ kind: "handing", after: lastKeyOf(database) });
    return new TextHandover(database, this.#blocks, (batch) => this.#thread.tell({ kind: "texts", batch }));
  }

  /** No more rows will come: finish what is there, then end. */
  rowsDone(): void {
    this.#thread.tell({ kind: "rowsDone" });
  }

  /** End at the next batch boundary. */
  stop(): void {
    this.#thread.tell({ kind: "stop" });
  }

  /** Where a listener throws, the feed stops. */
  onProgress(listener: (progress: SyncProgress) => void): void {
    this.#listeners.push(listener);
  }

  #hear(message: FromWorker): void {
    switch (message.kind) {
      case "progress":
        this.#report(message.progress);
        break;
      case "finished":
        if (this.#thrown === null) this.#resolve(message.result);
        else this.#reject(this.#thrown.error);
        break;
      case "failed":
        this.#reject(toError(message));
        break;
      default:
        message satisfies never;
    }
  }

  #report(progress: SyncProgress): void {
    if (this.#thrown !== null) return;
    try {
      for (const listener of this.#listeners) listener(progress);
    } catch (error) {
      this.#thrown = { error };
      this.stop();
    }
  }
}

function toError({ code, message, hint }: Failure): SessionDbError {
  const what = `the full text could not be brought up to date: ${message}`;
  return new SessionDbError(code, what, hint === undefined ? {} : { hint });
}

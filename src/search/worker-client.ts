import { threadId } from "node:worker_threads";
import { SessionDbError } from "../errors.ts";
import type { TextSink } from "../indexing/text-sink.ts";
import { StopFlag } from "../runtime/cancellation.ts";
import { moduleAt } from "../runtime/module-path.ts";
import type { SyncProgress } from "../runtime/observer.ts";
import { Thread, type ThreadOptions } from "../runtime/thread.ts";
import { THREAD_BUSY_TIMEOUT_MS } from "../store/connection.ts";
import type { IndexLocation } from "../store/location.ts";
import type { Index } from "../store/open.ts";
import { lastKeyOf } from "../store/tables/entry-rows.ts";
import type { Fed } from "./feed/feeder.ts";
import { TextHandover } from "./feed/handover.ts";
import { TextBlocks } from "./feed/text-blocks.ts";
import type { PurgeState } from "./purge.ts";
import type { FromWorker, Question, SearchFeedResult, ToWorker, WorkerOrders } from "./worker.ts";

type Answer = Exclude<FromWorker, { kind: "progress" }>;
type AnswerOf<Kind> = Extract<Answer, { kind: Kind }>;

function isOf<Kind extends Answer["kind"]>(answer: Answer, kind: Kind): answer is AnswerOf<Kind> {
  return answer.kind === kind;
}

type ClientOptions = Omit<WorkerOrders, "stop"> & Pick<ThreadOptions<WorkerOrders, FromWorker>, "limits">;

/**
 * The thread of the full text. It is never terminated: it closes its databases and ends. Where no further thread can be
 * started, this one does its work, for up to 150 ms at once.
 */
class WorkerClient {
  readonly #thread: Thread<WorkerOrders, ToWorker, FromWorker>;
  readonly #stop = new StopFlag();
  readonly #ended: Promise<void>;
  /** Why it answers no more. */
  #over: { why: unknown } | null = null;
  #settle: { resolve(answer: Answer): void; reject(why: unknown): void } | null = null;

  constructor({ limits, ...orders }: ClientOptions, onProgress: (progress: SyncProgress) => void) {
    this.#thread = new Thread({
      module: moduleAt("src/search/worker"),
      orders: { ...orders, stop: this.#stop.shared },
      ...(limits && { limits }),
      hear: (said) => {
        if (said.kind === "progress") onProgress(said.progress);
        else this.#settle?.resolve(said);
      },
      fail: (error) => this.#end(error),
      here: () => import("./worker.ts"),
    });
    const byItself = new SessionDbError("io", "the full-text thread ended unexpectedly");
    this.#ended = this.#thread.ended.then(() => this.#end(byItself));
  }

  /**
   * The next answer, which has to be of this kind. Only one is waited for at a time.
   *
   * @param failed put before what the worker says of its failure
   * @throws SessionDbError what the worker failed of, or that it has ended; what has ended it
   */
  async answer<Kind extends Answer["kind"]>(kind: Kind, failed = ""): Promise<AnswerOf<Kind>> {
    if (this.#over !== null) throw this.#over.why;
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    if (isOf(answer, kind)) return answer;
    if (answer.kind !== "failed") throw new Error(`${answer.kind} was answered in the place of ${kind}`);
    const { code, message, hint } = answer;
    throw new SessionDbError(code, `${failed}${message}`, hint === undefined ? {} : { hint });
  }

  tell(message: ToWorker): void {
    this.#thread.tell(message);
  }

  /** Ends what is going on at its next step. */
  stop(): void {
    this.#stop.raise();
  }

  /** Ends what is going on, and the thread. */
  async close(): Promise<void> {
    this.stop();
    this.tell({ kind: "close" });
    await this.#ended;
  }

  #end(why: unknown): void {
    this.#over ??= { why };
    this.#settle?.reject(this.#over.why);
  }
}

/** Most of its objects are short-lived: with the 48 MB that Node would allow them before collecting, it is no faster. */
const LIMITS_TO_THE_END = { maxYoungGenerationSizeMb: 8 };

/**
 * The full text, filled to the end by a thread of its own while this one writes rows: it costs several times what the
 * rows cost. It follows the rows until it is told that no more will come, or to stop.
 */
export class SearchFeed {
  /** What it came to; rejects when the thread could not go on, or with what a listener threw, once the thread has ended. */
  readonly finished: Promise<SearchFeedResult>;
  readonly #worker: WorkerClient;
  readonly #blocks = new TextBlocks();
  readonly #listeners: ((progress: SyncProgress) => void)[] = [];
  /** What a listener threw: nothing more is reported then. */
  #thrown: { error: unknown } | null = null;

  constructor(location: IndexLocation) {
    const handover = { blocks: this.#blocks.shared, filledBy: threadId };
    this.#worker = new WorkerClient(
      {
        location,
        policy: { kind: "to the end", handover },
        busyTimeoutMs: THREAD_BUSY_TIMEOUT_MS,
        limits: LIMITS_TO_THE_END,
      },
      (progress) => this.#report(progress),
    );
    this.finished = this.#result();
    // It may fail long before anybody waits for it, which would end the process. Who does still gets the error.
    this.finished.catch(() => undefined);
  }

  /**
   * Takes the texts of rows as they are written, on the connection that writes them, so that they are not read again.
   *
   * @internal
   */
  texts({ database }: Index): TextSink {
    this.#worker.tell({ kind: "handing", after: lastKeyOf(database) });
    return new TextHandover(database, this.#blocks, (batch) => this.#worker.tell({ kind: "texts", batch }));
  }

  /** No more rows will come: finish what is there, then end. */
  rowsDone(): void {
    this.#worker.tell({ kind: "rowsDone" });
  }

  /** End at the next step. */
  stop(): void {
    this.#worker.stop();
  }

  /** Where a listener throws, the feed stops. */
  onProgress(listener: (progress: SyncProgress) => void): void {
    this.#listeners.push(listener);
  }

  async #result(): Promise<SearchFeedResult> {
    const { result } = await this.#worker.answer(
      "finished",
      "the full text could not be brought up to date: ",
    );
    if (this.#thrown !== null) throw this.#thrown.error;
    return result;
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

/** The full text, brought up to date a slice at a time; one call at a time. */
export interface FullText {
  /** Works for about 150 ms. @throws SessionDbError */
  feed(): Promise<Fed>;
  /** Merges for about half a second; true when nothing is left to merge. @throws SessionDbError */
  tidy(): Promise<boolean>;
  /** Removes the words of deleted entries for about half a second. @throws SessionDbError */
  purge(): Promise<PurgeState>;
  /** Ends the slice that is going on at its next step, which keeps what was done of it, and then itself. */
  close(): Promise<void>;
}

/** How long others may keep a slice waiting: the next one tries again. */
const SLICE_PATIENCE_MS = 1000;
/** A text that takes more memory ends only the thread, which is started again, and not the process. */
const LIMITS_IN_BACKGROUND = { maxOldGenerationSizeMb: 256 };

/** Fills the full text in a thread of its own, so that neither it nor its merging keeps a row waiting. */
export class FullTextThread implements FullText {
  readonly #worker: WorkerClient;

  constructor(location: IndexLocation) {
    this.#worker = new WorkerClient(
      {
        location,
        policy: { kind: "in the background" },
        busyTimeoutMs: SLICE_PATIENCE_MS,
        limits: LIMITS_IN_BACKGROUND,
      },
      () => undefined,
    );
  }

  async feed(): Promise<Fed> {
    return (await this.#ask("feed", "fed")).result;
  }

  async tidy(): Promise<boolean> {
    return (await this.#ask("tidy", "tidied")).result;
  }

  async purge(): Promise<PurgeState> {
    return (await this.#ask("purge", "purged")).result;
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  async #ask<Kind extends Answer["kind"]>(question: Question, kind: Kind): Promise<AnswerOf<Kind>> {
    const answer = this.#worker.answer(kind);
    this.#worker.tell({ kind: question });
    try {
      return await answer;
    } catch (error) {
      if (error instanceof SessionDbError) throw error;
      throw new SessionDbError("io", `the full-text thread failed: ${String(error)}`, { cause: error });
    }
  }
}

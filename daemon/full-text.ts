import { type ErrorCode, SessionDbError } from "../src/errors.ts";
import { StopFlag } from "../src/runtime/cancellation.ts";
import { moduleAt } from "../src/runtime/module-path.ts";
import { Thread } from "../src/runtime/thread.ts";
import type { PurgeState } from "../src/search/purge.ts";
import type { IndexLocation } from "../src/store/location.ts";
import { isDamage } from "../src/store/sqlite-errors.ts";
import type { Fed, FromFullText, FullTextOrders, ToFullText } from "./full-text-worker.ts";

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

/** A text that takes more memory ends only the thread, which is started again, and not the daemon. */
const LIMITS = { maxOldGenerationSizeMb: 256 };

/**
 * Fills the full text in a thread of its own, so that neither it nor its merging keeps a row waiting. The
 * thread is never terminated: it closes its database and ends. One that ends by itself fails the slice. Where no further
 * one can be started, the slices are done here.
 */
export class FullTextThread implements FullText {
  readonly #thread: Thread<FullTextOrders, ToFullText, FromFullText>;
  readonly #ended: Promise<void>;
  readonly #stop = new StopFlag();
  /** Why it answers no more. */
  #over: SessionDbError | null = null;
  #settle: { resolve(answer: FromFullText): void; reject(error: Error): void } | null = null;

  constructor(location: IndexLocation) {
    this.#thread = new Thread({
      module: moduleAt("daemon/full-text-worker"),
      orders: { location, stop: this.#stop.shared },
      limits: LIMITS,
      hear: (answer) => this.#settle?.resolve(answer),
      fail: (error) => this.#end(`the full-text thread failed: ${String(error)}`),
      here: () => import("./full-text-worker.ts"),
    });
    this.#ended = this.#thread.ended.then(() => this.#end("the full-text thread ended unexpectedly"));
  }

  async feed(): Promise<Fed> {
    const answer = await this.#ask({ kind: "feed" });
    if (answer.kind === "fed") return answer.result;
    throw failure(answer);
  }

  async tidy(): Promise<boolean> {
    const answer = await this.#ask({ kind: "tidy" });
    if (answer.kind === "tidied") return answer.finished;
    throw failure(answer);
  }

  async purge(): Promise<PurgeState> {
    const answer = await this.#ask({ kind: "purge" });
    if (answer.kind === "purged") return answer.state;
    throw failure(answer);
  }

  async close(): Promise<void> {
    this.#stop.raise();
    this.#thread.tell({ kind: "close" });
    await this.#ended;
  }

  #end(why: string): void {
    this.#over ??= new SessionDbError("io", why);
    this.#settle?.reject(this.#over);
  }

  #ask(question: ToFullText): Promise<FromFullText> {
    if (this.#over !== null) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#thread.tell(question);
    });
  }
}

function failure(answer: FromFullText): SessionDbError {
  if (answer.kind !== "failed")
    return new SessionDbError("io", `the full-text thread answered with ${answer.kind}`);
  return new SessionDbError(kindOf(answer.code), `${answer.code} ${answer.message}`.trim());
}

function kindOf(code: string): ErrorCode {
  if (code === "busy" || code.startsWith("SQLITE_BUSY")) return "busy";
  return isDamage(code) ? "index_corrupt" : "io";
}

import { SessionDbError } from "../../src/errors.ts";
import type { FullText } from "../../src/search/worker-client.ts";
import type { Component, DaemonContext, DaemonEvent } from "./component.ts";

type Context = Pick<DaemonContext, "clock" | "log" | "intervals" | "emit"> & {
  scheduler: Pick<DaemonContext["scheduler"], "wake">;
};

const NEVER = Number.POSITIVE_INFINITY;
const BUSY_MS = 1000;
const LAST_RETRY_MS = 60_000;

/** Between two slices of a purge. */
const PURGE_PAUSE_MS = 500;

/**
 * Decides when the full text is fed, tidied and purged; at most one slice is going on, in a thread of its own. New rows
 * (`rowsChanged`, `indexOpened`) are fed a moment later. Emits `fullTextDamaged`.
 */
export class FullTextFeed implements Component {
  /** The last thing that went wrong, null when the last slice went well. */
  trouble: string | null = null;
  /** Entries that are not searchable yet, as far as the last slice knew. */
  behind = 0;
  readonly #context: Context;
  readonly #open: () => FullText;
  #fullText: FullText | null = null;
  #feedAt = NEVER;
  #tidyAt = NEVER;
  #purgeAt = NEVER;
  #retryMs = BUSY_MS;
  /** How long a purge waits while somebody reads: longer each time, because that may be a program that was left open. */
  #inUseMs = BUSY_MS;
  #slice: Promise<void> | null = null;
  /** The file of which a text is left out, once the log says so. */
  #leftOut: string | undefined;

  constructor(context: Context, open: () => FullText) {
    this.#context = context;
    this.#open = open;
  }

  handle(event: DaemonEvent): void {
    if (event.kind !== "rowsChanged" && event.kind !== "indexOpened") return;
    const { clock, intervals } = this.#context;
    this.#feedAt = Math.min(this.#feedAt, clock.steady() + intervals.feedMs);
  }

  /** Whether nothing is going on and no thread takes up memory. */
  get isQuiet(): boolean {
    return this.#fullText === null && this.#slice === null;
  }

  /** When `work` has something to do: steady ms, `Infinity` for nothing. */
  nextAt(): number {
    return this.#slice === null ? Math.min(this.#feedAt, this.#tidyAt, this.#purgeAt) : NEVER;
  }

  /** Begins what is due; never waits for it. */
  work(): void {
    const now = this.#context.clock.steady();
    if (this.nextAt() > now) return;
    this.#fullText ??= this.#open();
    const fullText = this.#fullText;
    this.#slice = this.#mostUrgent(fullText, now)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#slice = null;
        this.#context.scheduler.wake();
      });
  }

  /** Ends the slice that is going on and the thread; `work` opens another one. */
  async stop(): Promise<void> {
    const fullText = this.#fullText;
    this.#fullText = null;
    await fullText?.close();
    await this.#slice;
  }

  #mostUrgent(fullText: FullText, now: number): Promise<void> {
    if (this.#feedAt <= now) return this.#feed(fullText);
    return this.#tidyAt <= now ? this.#tidy(fullText) : this.#purge(fullText);
  }

  async #feed(fullText: FullText): Promise<void> {
    this.#feedAt = NEVER;
    const { complete, behind, needsPurge, leftOut } = await fullText.feed();
    const { clock, log, intervals } = this.#context;
    const { tidyMs, purgeMs } = intervals;
    if (leftOut !== undefined && leftOut !== this.#leftOut) log.write("textLeftOut", { path: leftOut });
    this.#leftOut = leftOut;
    const now = clock.steady();
    this.behind = behind;
    this.#feedAt = Math.min(this.#feedAt, complete ? NEVER : now);
    this.#tidyAt = now + tidyMs;
    if (needsPurge) this.#purgeAt = Math.min(this.#purgeAt, now + purgeMs);
    this.trouble = null;
    this.#retryMs = BUSY_MS;
  }

  async #tidy(fullText: FullText): Promise<void> {
    this.#tidyAt = NEVER;
    if (!(await fullText.tidy())) {
      this.#tidyAt = this.#context.clock.steady();
      return;
    }
    await this.#rest(fullText);
  }

  async #purge(fullText: FullText): Promise<void> {
    this.#purgeAt = NEVER;
    const { clock, log, intervals } = this.#context;
    const state = await fullText.purge();
    if (state === "underway") {
      this.#purgeAt = clock.steady() + PURGE_PAUSE_MS;
      return;
    }
    if (state === "in_use") {
      this.#purgeAt = clock.steady() + this.#inUseMs;
      this.#inUseMs = Math.min(intervals.purgeMs, this.#inUseMs * 2);
    } else {
      log.write("purged");
      this.#inUseMs = BUSY_MS;
    }
    await this.#rest(fullText);
  }

  /** It will be quiet for a while: the thread's memory is given back. */
  async #rest(fullText: FullText): Promise<void> {
    this.#fullText = null;
    await fullText.close();
  }

  async #failed(error: unknown): Promise<void> {
    if (!(error instanceof SessionDbError)) throw error;
    const { clock, log, emit } = this.#context;
    this.#feedAt = clock.steady() + this.#retryMs;
    if (error.code === "busy") return;
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
    this.trouble = `the full text cannot be brought up to date: ${error.message}`;
    log.write("fullTextFailed", { code: error.code, message: error.message });
    if (this.#fullText !== null) await this.#rest(this.#fullText);
    if (error.code === "index_corrupt") emit({ kind: "fullTextDamaged" });
  }
}

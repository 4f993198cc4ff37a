import { SessionDbError } from "../src/errors.ts";
import type { Clock } from "./clock.ts";
import type { FullText } from "./full-text.ts";
import type { Log } from "./log.ts";

export interface FeedLoopOptions {
  open: () => FullText;
  clock: Clock;
  log: Log;
  /** New rows wait so long for others to be made searchable together with them. */
  feedMs: number;
  /** So long after the last new text the segments are merged. */
  tidyMs: number;
  /** Called when a slice has ended. */
  wake: () => void;
}

const NEVER = Number.POSITIVE_INFINITY;
const BUSY_MS = 1000;
const LAST_RETRY_MS = 60_000;

/** Decides when the full text is fed and tidied; at most one slice is going on. */
export class FeedLoop {
  /** The last thing that went wrong, null when the last slice went well. */
  trouble: string | null = null;
  readonly #options: FeedLoopOptions;
  #fullText: FullText | null = null;
  #feedAt = NEVER;
  #tidyAt = NEVER;
  #retryMs = BUSY_MS;
  #slice: Promise<void> | null = null;

  constructor(options: FeedLoopOptions) {
    this.#options = options;
  }

  /** There are rows that are not searchable yet, or some that are gone. */
  rowsChanged(): void {
    const due = this.#options.clock.steady() + this.#options.feedMs;
    this.#feedAt = Math.min(this.#feedAt, due);
  }

  /** When `start` has something to do: steady ms, `Infinity` for nothing. */
  nextAt(): number {
    return this.#slice === null ? Math.min(this.#feedAt, this.#tidyAt) : NEVER;
  }

  /** Begins what is due; never waits for it. */
  start(): void {
    const now = this.#options.clock.steady();
    if (this.nextAt() > now) return;
    this.#fullText ??= this.#options.open();
    const fullText = this.#fullText;
    this.#slice = (this.#feedAt <= now ? this.#feed(fullText) : this.#tidy(fullText))
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#slice = null;
        this.#options.wake();
      });
  }

  /** Ends the slice that is going on and the thread; `start` opens another one. */
  async close(): Promise<void> {
    const fullText = this.#fullText;
    this.#fullText = null;
    await fullText?.close();
    await this.#slice;
  }

  async #feed(fullText: FullText): Promise<void> {
    this.#feedAt = NEVER;
    const { complete, added } = await fullText.feed();
    const now = this.#options.clock.steady();
    if (!complete) this.#feedAt = now;
    if (added > 0) this.#tidyAt = now + this.#options.tidyMs;
    this.trouble = null;
    this.#retryMs = BUSY_MS;
  }

  async #tidy(fullText: FullText): Promise<void> {
    this.#tidyAt = NEVER;
    if (!(await fullText.tidy())) {
      this.#tidyAt = this.#options.clock.steady();
      return;
    }
    // It will be quiet for a while: the thread's memory is given back.
    this.#fullText = null;
    await fullText.close();
  }

  async #failed(error: unknown): Promise<void> {
    if (!(error instanceof SessionDbError)) throw error;
    const { clock, log } = this.#options;
    this.#feedAt = clock.steady() + this.#retryMs;
    if (error.code === "busy") return;
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
    this.trouble = `the full text cannot be brought up to date: ${error.message}`;
    log.write("fullTextFailed", { code: error.code, message: error.message });
    const fullText = this.#fullText;
    this.#fullText = null;
    await fullText?.close();
  }
}

import { type ErrorCode, messageOf } from "../../src/errors.ts";
import type { Rebuilt } from "../../src/store/quarantine.ts";
import { isDamage } from "../../src/store/sqlite-errors.ts";
import type { Log } from "../control/log.ts";
import type { Clock } from "./scheduler.ts";

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
const HOUR = 60 * 60_000;
const REBUILDS_A_DAY = 3;

/** Which errors of the database are mended, and how often: when to try again, and whether it may be rebuilt. */
export class IndexRecovery {
  /** For people; null when nothing is wrong. */
  reason: string | null = null;
  /** Steady ms. */
  retryAt = 0;
  readonly #clock: Clock;
  readonly #log: Log;
  #delay = FIRST_RETRY_MS;
  readonly #rebuiltAt: Record<Rebuilt, number[]> = { index: [], fullText: [] };

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Whether waiting, or rebuilding the index, may help. */
  static passes(code: ErrorCode): boolean {
    return code === "io" || code === "index_corrupt" || code === "busy";
  }

  /** Notes an error of the database. `rebuild`: the index is damaged, and may be rebuilt. */
  note(code: string, error: unknown): "retry" | "rebuild" {
    const message = messageOf(error);
    this.reason = `the index cannot be written: ${message}`;
    this.#log.write("indexFailed", { code, message });
    if (isDamage(code) && this.mayRebuild("index")) return "rebuild";
    this.retryAt = this.#clock.steady() + this.#delay;
    this.#delay = Math.min(LAST_RETRY_MS, this.#delay * 2);
    return "retry";
  }

  /** The index can be opened, or written, again. */
  over(): void {
    this.reason = null;
    this.#delay = FIRST_RETRY_MS;
  }

  /** Whether what is damaged may be rebuilt: at most once an hour and three times a day, each by itself. */
  mayRebuild(which: Rebuilt): boolean {
    const now = this.#clock.steady();
    const today = this.#rebuiltAt[which].filter((time) => now - time < 24 * HOUR);
    return today.length < REBUILDS_A_DAY && today.every((time) => now - time >= HOUR);
  }

  rebuilt(which: Rebuilt): void {
    this.#rebuiltAt[which].push(this.#clock.steady());
  }
}

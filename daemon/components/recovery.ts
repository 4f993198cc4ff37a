import { type ErrorCode, messageOf } from "../../src/errors.ts";
import { isDamage } from "../../src/store/sqlite-errors.ts";
import type { Log } from "../control/log.ts";
import type { Clock } from "./scheduler.ts";

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
const HOUR = 60 * 60_000;
const DISK_FULL = "the disk that holds the index is almost full";
const REMAKES_A_DAY = 3;

/** What can be made anew by itself. */
export type Remade = "index" | "fullText";

/** What is wrong with the database, when to try again, and whether it may be made anew. */
export class Trouble {
  /** For people; null when nothing is wrong. */
  reason: string | null = null;
  /** Steady ms. */
  retryAt = 0;
  readonly #clock: Clock;
  readonly #log: Log;
  #delay = FIRST_RETRY_MS;
  readonly #remadeAt: Record<Remade, number[]> = { index: [], fullText: [] };

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Whether waiting, or making the index again, may help. */
  static passes(code: ErrorCode): boolean {
    return code === "io" || code === "index_corrupt" || code === "busy";
  }

  /** Others need what room is left. */
  get isDiskFull(): boolean {
    return this.reason === DISK_FULL;
  }

  /** Notes an error of the database. `remake`: the index is damaged, and may be made anew. */
  note(code: string, error: unknown): "retry" | "remake" {
    const message = messageOf(error);
    this.reason = `the index cannot be written: ${message}`;
    this.#log.write("indexFailed", { code, message });
    if (isDamage(code) && this.mayRemake("index")) return "remake";
    this.retryAt = this.#clock.steady() + this.#delay;
    this.#delay = Math.min(LAST_RETRY_MS, this.#delay * 2);
    return "retry";
  }

  /** Nothing is written while others need what room is left. */
  disk(isFull: boolean): void {
    if (isFull !== this.isDiskFull) this.#log.write("disk", { isFull });
    if (!isFull) {
      if (this.isDiskFull) this.over();
      return;
    }
    this.reason = DISK_FULL;
    this.retryAt = this.#clock.steady() + 2 * FIRST_RETRY_MS;
  }

  /** The index can be opened, or written, again. */
  over(): void {
    this.reason = null;
    this.#delay = FIRST_RETRY_MS;
  }

  /** Whether what is damaged may be made anew: at most once an hour and three times a day, each by itself. */
  mayRemake(which: Remade): boolean {
    const now = this.#clock.steady();
    const today = this.#remadeAt[which].filter((time) => now - time < 24 * HOUR);
    return today.length < REMAKES_A_DAY && today.every((time) => now - time >= HOUR);
  }

  remade(which: Remade): void {
    this.#remadeAt[which].push(this.#clock.steady());
  }
}

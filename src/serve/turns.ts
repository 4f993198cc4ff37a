import { SessionDbError } from "../errors.ts";

/** More wait in a page that is used by one person only if something is wrong. */
const MOST_WAITING = 32;

interface Waiting {
  signal: AbortSignal;
  begin: () => void;
  giveUp: () => void;
}

/** Lets so many go on at once; others wait for their turn, in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Resolves when it is one's turn, with what ends it; calling that again does nothing.
   *
   * @throws SessionDbError `busy` where too many wait; the signal's reason
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#next();
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) {
      const hint = "Try again in a moment.";
      throw new SessionDbError("busy", "too much is being asked at once", { hint });
    }
    return new Promise((begin, reject) => {
      const waiting: Waiting = {
        signal,
        begin,
        giveUp: () => {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
          reject(signal.reason);
        },
      };
      signal.addEventListener("abort", waiting.giveUp, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    next?.signal.removeEventListener("abort", next.giveUp);
    next?.begin();
  }
}

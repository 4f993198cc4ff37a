import { setImmediate } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** Waits for a time or for something to happen, and notices when a clock has jumped. */
export class Waiter {
  readonly #clock: Clock;
  #woken = false;
  #resolve: (() => void) | null = null;
  /** The wall clock less the steady one, at the end of the last wait. */
  #apart: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#apart = clock.wall() - clock.steady();
  }

  /** Ends the wait, or the next one when none is going on. */
  wake(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  /**
   * Waits until a time (steady ms) or until woken. `jumped`: the wall clock is more than `tolerance` ms from where it
   * should be, as after the machine or the process was asleep, in this wait or since the last one.
   */
  async wait(until: number, tolerance: number): Promise<{ jumped: boolean }> {
    const began = this.#clock.wall();
    const asked = Math.max(0, until - this.#clock.steady());
    // Even when the time is over, other work of the event loop gets its turn.
    if (this.#woken || asked === 0) await setImmediate();
    else await this.#sleep(asked);
    this.#woken = false;
    const passed = this.#clock.wall() - began;
    const apart = this.#clock.wall() - this.#clock.steady();
    const hasMoved = Math.abs(apart - this.#apart) > tolerance;
    this.#apart = apart;
    return { jumped: hasMoved || passed > asked + tolerance };
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.ceil(ms));
      this.#resolve = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

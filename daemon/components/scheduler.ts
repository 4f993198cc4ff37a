import { setImmediate } from "node:timers/promises";

/** Two clocks, because only one of them can be set. */
export interface Clock {
  /** Unix ms; may jump. */
  wall(): number;
  /** Milliseconds since some moment; only ever goes on, but may stand still while the machine sleeps. */
  steady(): number;
}

export const CLOCK: Clock = { wall: Date.now, steady: () => performance.now() };

/**
 * How often things are done, and how long others wait, in ms. Sweeps are spread by a tenth, so that many daemons do not
 * move in step.
 */
export interface Intervals {
  /** Everything is looked at. */
  sweepMs: number;
  /** Files written within the last day are looked at. */
  hotMs: number;
  /**
   * Once nothing has happened for so long, ticks come together with these looks, and both as long after the last ones as
   * nothing has happened, up to `longestQuietMs`.
   */
  quietAfterMs: number;
  longestQuietMs: number;
  /** Everything, while the watcher cannot tell. */
  pollMs: number;
  /** Roots, database files and clock. */
  tickMs: number;
  /** From something vanishing to the sweep that takes it out of the index. */
  removalMs: number;
  feedMs: number;
  tidyMs: number;
  /** From something being taken out of the index until no word of it is left in the files. */
  purgeMs: number;
  /** Who asks waits for the files that are just being read: to look at every file takes about as long. */
  readingMs: number;
}

export const INTERVALS: Intervals = {
  sweepMs: 5 * 60_000,
  hotMs: 30_000,
  quietAfterMs: 60_000,
  longestQuietMs: 5 * 60_000,
  pollMs: 2000,
  tickMs: 2000,
  removalMs: 2000,
  feedMs: 500,
  tidyMs: 30_000,
  purgeMs: 5 * 60_000,
  readingMs: 50,
};

/** Sweeps may take this share of the time, whatever asks for them. */
const SHARE = 1 / 20;
/** And this share when nothing asks for them, so that an idle daemon stays idle: it may take 0.1 % of a core in all. */
const IDLE_SHARE = 1 / 6000;
/** But the time between two sweeps grows to no more than so many times `sweepMs`. */
const LONGEST = 3;

export interface SchedulerOptions {
  clock: Clock;
  intervals: Intervals;
  /** From 0 to 1. */
  random: () => number;
}

/** Knows when sweeps, ticks and looks at the newest files are due, and waits until then. Times are steady ms. */
export class Scheduler {
  sweepAt: number;
  hotAt: number;
  tickAt: number;
  readonly #clock: Clock;
  readonly #intervals: Intervals;
  readonly #random: () => number;
  /** No sweep begins before this time: it would take too large a share. */
  #restUntil = 0;
  #activeAt: number;
  #isQuiet = false;
  #tickedAt = Number.NEGATIVE_INFINITY;
  #woken = false;
  #resolve: (() => void) | null = null;
  /** The wall clock less the steady one, at the end of the last wait. */
  #apart: number;

  constructor({ clock, intervals, random }: SchedulerOptions) {
    const now = clock.steady();
    this.#clock = clock;
    this.#intervals = intervals;
    this.#random = random;
    this.#apart = clock.wall() - now;
    this.#activeAt = now;
    this.sweepAt = now;
    this.hotAt = now + this.#spread(intervals.hotMs);
    this.tickAt = now + intervals.tickMs;
  }

  /** Something only a sweep can find out has to be found out by `time`. */
  sweepBy(time: number): void {
    this.sweepAt = Math.min(this.sweepAt, Math.max(time, this.#restUntil));
  }

  /** A sweep that took `tookMs` has ended. What was asked for while it was going on may have come too late for it. */
  swept(now: number, options: { tookMs: number; polling: boolean; again: boolean }): void {
    this.#restUntil = now + options.tookMs / SHARE;
    const { pollMs, sweepMs } = this.#intervals;
    const rest = Math.min(sweepMs * LONGEST, Math.max(sweepMs, options.tookMs / IDLE_SHARE));
    this.sweepAt = now + this.#spread(rest);
    if (options.polling) this.sweepBy(now + this.#spread(pollMs));
    if (options.again) this.sweepBy(now);
  }

  polledHotFiles(now: number): void {
    const { hotMs, longestQuietMs } = this.#intervals;
    const quietMs = this.#isQuiet ? Math.min(now - this.#activeAt, longestQuietMs) : 0;
    this.hotAt = now + this.#spread(Math.max(hotMs, quietMs));
    // Only if a tick came with it: sweeps look at these files, too, and would put off ticks again and again.
    if (this.#isQuiet && this.#tickedAt === now) this.tickAt = Math.max(this.tickAt, this.hotAt);
  }

  /** Something happened: the next ticks and looks come soon. */
  noteActivity(now: number): void {
    const { tickMs, hotMs } = this.#intervals;
    this.#activeAt = now;
    this.#isQuiet = false;
    this.tickAt = Math.min(this.tickAt, now + tickMs);
    this.hotAt = Math.min(this.hotAt, now + hotMs);
  }

  /**
   * `waits`: for something that only ticks notice, as that a folder is there. Otherwise, while nothing happens, the
   * process wakes but once for a tick and a look at the newest files: a wake takes 1 ms of a processor, and some 40 where
   * the system has taken away memory that was not used for seconds.
   */
  ticked(now: number, { waits }: { waits: boolean }): void {
    const { tickMs, quietAfterMs } = this.#intervals;
    this.#tickedAt = now;
    this.#isQuiet = !waits && now - this.#activeAt >= quietAfterMs;
    this.tickAt = this.#isQuiet ? Math.max(now + tickMs, this.hotAt) : now + tickMs;
  }

  nextAt(): number {
    return Math.min(this.sweepAt, this.hotAt, this.tickAt);
  }

  /** Ends the wait, or the next one when none is going on. */
  wake(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  /**
   * Waits until a time or until woken. `jumped`: the wall clock is two ticks or more from where it should be, as after the
   * machine or the process was asleep, in this wait or since the last one; then a tick and a sweep are due.
   */
  async wait(until: number): Promise<{ jumped: boolean }> {
    const tolerance = this.#intervals.tickMs * 2;
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
    const jumped = hasMoved || passed > asked + tolerance;
    if (jumped) this.#catchUp();
    return { jumped };
  }

  #catchUp(): void {
    const now = this.#clock.steady();
    this.sweepBy(now);
    this.tickAt = Math.min(this.tickAt, now);
  }

  #spread(ms: number): number {
    return ms * (0.9 + 0.2 * this.#random());
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

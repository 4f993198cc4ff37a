import { setImmediate } from "node:timers/promises";
import type { IndexLocation } from "../src/db/open.ts";
import type { IsExcluded } from "../src/file/exclude.ts";
import type { SweepProgress } from "../src/sync/sync-all.ts";
import { CLOCK, type Clock } from "./clock.ts";
import { FeedLoop } from "./feed-loop.ts";
import type { WatchListeners } from "./folder-watches.ts";
import { type FullText, FullTextThread } from "./full-text.ts";
import type { HeldIndex } from "./held-index.ts";
import { HintLoop } from "./hint-loop.ts";
import { HotFiles } from "./hot-files.ts";
import { canBeMended, IndexKeeper } from "./index-keeper.ts";
import type { ReadingJournal } from "./journal.ts";
import { type Log, SILENT } from "./log.ts";
import { collectGarbage } from "./memory.ts";
import { Roots } from "./roots.ts";
import { INTERVALS, type Intervals, Schedule } from "./schedule.ts";
import type { DaemonState } from "./status-file.ts";
import { Sweep } from "./sweep.ts";
import { Waiter } from "./waiter.ts";
import { Watcher } from "./watcher.ts";

/** What the daemon needs of a watcher. */
export type Watching = Pick<Watcher, "degraded" | "watches" | "checkRoots" | "refresh" | "close">;

export interface DaemonOptions {
  roots: readonly string[] | Roots;
  location: IndexLocation;
  /** What is never indexed, as it stands at that moment. */
  isExcluded?: IsExcluded;
  log?: Log;
  clock?: Clock;
  random?: () => number;
  intervals?: Partial<Intervals>;
  watch?: (listeners: WatchListeners) => Watching;
  openFullText?: () => FullText;
  isDiskFull?: (location: IndexLocation) => boolean;
  journal?: ReadingJournal;
  /** Called at every turn of the loop: something may have changed. */
  onTurn?: (report: DaemonReport) => void;
}

/** How it stands, as far as the daemon itself knows. */
export interface DaemonReport {
  state: DaemonState;
  degraded: string | null;
  watches: number;
  queue: number;
  /** What a look at everything has read so far; null when none is going on. */
  progress: SweepProgress | null;
  /** Entries that are not searchable yet. */
  searchQueue: number;
  /** Unix ms; null before everything has been looked at once. */
  lastSyncAt: number | null;
  /** How often everything was looked at. */
  sweeps: number;
}

/**
 * Keeps the index up to date until it is told to stop: sweeps once, then looks at what the watcher hints at,
 * and sweeps again regularly, because hints may be missed. Whatever it finds broken it does again; there is
 * no state but the index.
 */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #intervals: Intervals;
  readonly #hints: HintLoop;
  readonly #hot = new HotFiles();
  readonly #schedule: Schedule;
  readonly #feed: FeedLoop;
  readonly #index: IndexKeeper;
  readonly #waiter: Waiter;
  readonly #watcher: Watching;
  readonly #roots: Roots;
  #sweep: Sweep | null = null;
  #lastSyncAt: number | null = null;
  #sweeps = 0;
  #stopping = false;
  /** Memory was used since it was last given back. */
  #hasWorked = false;

  constructor(options: DaemonOptions) {
    this.#options = options;
    const clock = options.clock ?? CLOCK;
    this.#clock = clock;
    this.#log = options.log ?? SILENT;
    this.#intervals = { ...INTERVALS, ...options.intervals };
    this.#schedule = new Schedule(this.#intervals, options.random ?? Math.random, clock.steady());
    this.#waiter = new Waiter(clock);
    const { location, journal = null, isDiskFull, isExcluded } = options;
    this.#index = new IndexKeeper({ location, clock, log: this.#log, journal, isDiskFull, isExcluded });
    this.#roots = options.roots instanceof Roots ? options.roots : new Roots(options.roots);
    const { feedMs, tidyMs, purgeMs, removalMs } = this.#intervals;
    const open = options.openFullText ?? (() => new FullTextThread(options.location));
    this.#feed = new FeedLoop({
      open,
      clock,
      log: this.#log,
      feedMs,
      tidyMs,
      purgeMs,
      wake: () => this.#waiter.wake(),
      onDamage: () => this.#index.remakeFullText(),
    });
    const rowsChanged = (): void => this.#feed.rowsChanged();
    this.#hints = new HintLoop({ clock, schedule: this.#schedule, removalMs, rowsChanged });
    const listeners = { onHint: (path: string) => this.#hint(path), onUnclear: () => this.#sweepSoon() };
    const mayWatch = (root: string): boolean => this.#roots.tells(root);
    const watched = { roots: this.#roots.all, mayWatch, isExcluded: options.isExcluded };
    this.#watcher = options.watch?.(listeners) ?? new Watcher(watched, listeners);
  }

  report(): DaemonReport {
    const degraded =
      this.#index.reason ?? this.#roots.trouble ?? this.#watcher.degraded ?? this.#feed.trouble;
    const working = this.#lastSyncAt === null ? "indexing" : "watching";
    return {
      state: this.#stopping ? "stopping" : degraded !== null ? "degraded" : working,
      degraded,
      watches: this.#watcher.watches,
      queue: this.#hints.size,
      progress: this.#sweep?.progress() ?? null,
      searchQueue: this.#feed.behind,
      lastSyncAt: this.#lastSyncAt,
      sweeps: this.#sweeps,
    };
  }

  /** Runs until the signal comes; ends at the next step boundary. @throws SessionDbError that waiting cannot mend */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#waiter.wake());
    try {
      await this.#roots.check();
      // First the watches, then the sweep: what changes in between is hinted at.
      this.#watcher.checkRoots();
      while (!signal.aborted) {
        await this.#turn();
        this.#options.onTurn?.(this.report());
      }
    } finally {
      this.#stopping = true;
      this.#options.onTurn?.(this.report());
      await this.#watcher.close();
      await this.#feed.close();
      this.#index.close();
    }
  }

  async #turn(): Promise<void> {
    try {
      const worked = await this.#work();
      if (this.#index.held !== null) this.#feed.start();
      if (worked) await setImmediate();
      else await this.#rest();
    } catch (error) {
      await this.#mend(error);
      await setImmediate();
    }
  }

  /** One short piece of the most urgent work; false when there is none. */
  async #work(): Promise<boolean> {
    const now = this.#clock.steady();
    if (now >= this.#schedule.tickAt) await this.#tick(now);
    if (now < this.#index.blockedUntil) return false;
    const held = this.#index.held ?? this.#openIndex();
    if (this.#lookAtHints(held)) return true;
    if (this.#sweep !== null) return this.#sweepOn(this.#sweep, held);
    if (now >= this.#schedule.sweepAt) return this.#beginSweep(held);
    if (now >= this.#schedule.hotAt) this.#lookAtHot(now);
    return this.#hints.nextAt() <= now;
  }

  async #rest(): Promise<void> {
    if (this.#hasWorked && this.#sweep === null && this.#feed.isQuiet) this.#giveBackMemory();
    const work = Math.min(this.#hints.nextAt(), this.#sweep === null ? this.#schedule.nextAt() : 0);
    const fed = this.#index.held === null ? Number.POSITIVE_INFINITY : this.#feed.nextAt();
    const until = Math.min(Math.max(work, this.#index.blockedUntil), this.#schedule.tickAt, fed);
    const { jumped } = await this.#waiter.wait(until, this.#intervals.tickMs * 2);
    if (!jumped) return;
    this.#log.write("clockJumped");
    this.#schedule.sweepBy(this.#clock.steady());
    this.#schedule.tickAt = Math.min(this.#schedule.tickAt, this.#clock.steady());
  }

  #giveBackMemory(): void {
    this.#hasWorked = false;
    this.#index.held?.shrink();
    collectGarbage();
  }

  async #tick(now: number): Promise<void> {
    this.#schedule.ticked(now);
    if (await this.#roots.check()) this.#sweepSoon();
    this.#watcher.checkRoots();
    if (this.#index.isReplaced()) await this.#letGo();
  }

  #openIndex(): HeldIndex {
    const held = this.#index.open();
    this.#schedule.sweepBy(this.#clock.steady());
    this.#feed.rowsChanged();
    return held;
  }

  /** The next turn opens the index anew and sweeps. */
  async #letGo(): Promise<void> {
    this.#sweep = null;
    await this.#feed.close();
    this.#index.close();
  }

  #hint(path: string): void {
    this.#hot.add(path);
    if (!this.#hints.add(path)) this.#sweepSoon();
    this.#waiter.wake();
  }

  #sweepSoon(): void {
    this.#schedule.sweepBy(this.#clock.steady());
    this.#sweep?.missed();
    this.#waiter.wake();
  }

  /** Whether it did anything. */
  #lookAtHints({ looker }: HeldIndex): boolean {
    const worked = this.#hints.work(looker);
    if (worked && this.#lastSyncAt !== null) this.#lastSyncAt = this.#clock.wall();
    return worked;
  }

  #lookAtHot(now: number): void {
    this.#schedule.lookedAtHot(now);
    for (const path of this.#hot.changed((path) => this.#roots.mayLookAt(path))) this.#hints.add(path);
  }

  #beginSweep(held: HeldIndex): boolean {
    this.#watcher.refresh();
    // Everything is looked at now, and what is hinted at from here on.
    this.#hints.clear();
    const roots = this.#roots.answering;
    const { isExcluded } = this.#options;
    this.#sweep = new Sweep(held, { roots, isExcluded, clock: this.#clock, hot: this.#hot });
    return true;
  }

  #sweepOn(sweep: Sweep, held: HeldIndex): boolean {
    const more = sweep.step();
    if (sweep.hasRead) this.#feed.rowsChanged();
    if (more) return true;
    this.#sweep = null;
    held.looker.swept();
    this.#sweeps++;
    this.#hasWorked = true;
    const { tookMs, removed } = sweep.finish(this.#log);
    const now = this.#clock.steady();
    const polling = this.#roots.polls || this.#watcher.degraded !== null;
    this.#schedule.swept(now, { tookMs, polling, again: sweep.mustComeAgain });
    this.#schedule.lookedAtHot(now);
    this.#lastSyncAt = this.#clock.wall();
    if (removed > 0) this.#feed.rowsChanged();
    return true;
  }

  async #mend(error: unknown): Promise<void> {
    if (this.#index.isBusy(error)) return;
    if (!canBeMended(error)) throw error;
    await this.#letGo();
    this.#index.mend(error);
  }
}

import { setImmediate } from "node:timers/promises";
import { NOTHING_EXCLUDED } from "../src/file/exclude.ts";
import { damageBehind } from "../src/store/diagnose.ts";
import type { FreshnessQuestion } from "../src/sync/freshness.ts";
import { HintLoop } from "./components/change-queue.ts";
import { Assurance } from "./components/freshness.ts";
import { Certainty } from "./components/freshness-state.ts";
import { HotFiles } from "./components/hot-files.ts";
import type { HeldIndex } from "./components/index-handle.ts";
import { canBeMended, IndexKeeper } from "./components/index-supervisor.ts";
import type { Roots } from "./components/roots.ts";
import { CLOCK, type Clock, INTERVALS, type Intervals, Schedule, Waiter } from "./components/scheduler.ts";
import { Sweeps } from "./components/sweeper.ts";
import { Watcher } from "./components/watcher.ts";
import { type Log, SILENT } from "./control/log.ts";
import type { DaemonReport } from "./control/status-file.ts";
import type { DaemonOptions, Watching } from "./daemon-options.ts";
import { FeedLoop } from "./feed-loop.ts";
import { FullTextThread } from "./full-text.ts";
import { MemoryReturn } from "./memory.ts";

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
  readonly #certainty = new Certainty();
  readonly #sweeps: Sweeps;
  readonly #assurance: Assurance;
  readonly #memory = new MemoryReturn();
  #lastSyncAt: number | null = null;
  #stopping = false;

  constructor(options: DaemonOptions) {
    const { roots, location, clock = CLOCK, log = SILENT, journal = null, isDiskFull } = options;
    const { isExcluded = NOTHING_EXCLUDED, exclude = () => [] } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#intervals = { ...INTERVALS, ...options.intervals };
    const schedule = new Schedule(this.#intervals, options.random ?? Math.random, clock.steady());
    this.#schedule = schedule;
    this.#waiter = new Waiter(clock);
    this.#index = new IndexKeeper({ location, clock, log, journal, isDiskFull, isExcluded });
    this.#roots = roots;
    this.#feed = this.#fullTextOf(options);
    const rowsChanged = (): void => this.#rowsChanged();
    const [hot, certainty] = [this.#hot, this.#certainty];
    const { removalMs, readingMs } = this.#intervals;
    this.#sweeps = new Sweeps({ log, hot, schedule, certainty, clock, isExcluded, exclude });
    this.#hints = new HintLoop({ clock, sweeps: this.#sweeps, roots, removalMs, rowsChanged });
    const listeners = { onHint: (path: string) => this.#hint(path), onUnclear: () => this.#sweepSoon() };
    const mayWatch = (root: string): boolean => roots.tells(root);
    const watched = { roots: roots.all, mayWatch, isExcluded };
    this.#watcher = options.watch?.(listeners) ?? new Watcher(watched, listeners);
    this.#assurance = new Assurance({
      index: this.#index,
      roots,
      watcher: this.#watcher,
      certainty,
      sweeps: this.#sweeps,
      hints: this.#hints,
      clock,
      waiter: this.#waiter,
      indexPath: location.indexPath,
      readingMs,
      exclude,
    });
  }

  #fullTextOf({ openFullText, location }: DaemonOptions): FeedLoop {
    const { feedMs, tidyMs, purgeMs } = this.#intervals;
    return new FeedLoop({
      open: openFullText ?? (() => new FullTextThread(location)),
      clock: this.#clock,
      log: this.#log,
      feedMs,
      tidyMs,
      purgeMs,
      wake: () => this.#waiter.wake(),
      onDamage: () => this.#index.remakeFullText(),
    });
  }

  report(): DaemonReport {
    const degraded =
      this.#index.reason ??
      this.#roots.trouble ??
      this.#sweeps.trouble ??
      this.#watcher.degraded ??
      this.#feed.trouble;
    const working = this.#lastSyncAt === null ? "indexing" : "watching";
    return {
      state: this.#stopping ? "stopping" : degraded !== null ? "degraded" : working,
      degraded,
      watches: this.#watcher.watches,
      queue: this.#hints.size,
      progress: this.#sweeps.progress(),
      searchQueue: this.#feed.behind,
      lastSyncAt: this.#lastSyncAt,
      sweeps: this.#sweeps.count,
    };
  }

  /** Whether the index has everything that was written before this is asked. False also when it is not sure. */
  isUpToDate(question: FreshnessQuestion): Promise<boolean> {
    return this.#assurance.isUpToDate(question);
  }

  /** Runs until the signal comes; ends at the next step boundary. @throws SessionDbError that waiting cannot mend */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#waiter.wake());
    try {
      await this.#roots.check();
      // First the watches, then the sweep, so that changes between the two are hinted at.
      this.#watcher.checkRoots();
      while (!signal.aborted) {
        await this.#turn();
        this.#options.onTurn?.(this.report());
      }
      this.#stopping = true;
      this.#options.onTurn?.(this.report());
    } finally {
      await this.#watcher.close();
      await this.#feed.close();
      this.#index.close();
    }
  }

  async #turn(): Promise<void> {
    // By now all events that had come have been heard.
    if (this.#certainty.wasFlooded()) this.#sweepSoon();
    try {
      const worked = await this.#work();
      if (this.#index.mayFeed) this.#feed.start();
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
    if (this.#sweeps.isGoingOn) return this.#sweepOn(held);
    if (now >= this.#schedule.sweepAt) return this.#beginSweep(held);
    if (now >= this.#schedule.hotAt) this.#lookAtHot(now);
    return this.#hints.nextAt() <= now;
  }

  async #rest(): Promise<void> {
    if (!this.#sweeps.isGoingOn && this.#feed.isQuiet) this.#memory.giveBack(this.#index.held);
    const work = Math.min(this.#hints.nextAt(), this.#sweeps.isGoingOn ? 0 : this.#schedule.nextAt());
    const fed = this.#index.mayFeed ? this.#feed.nextAt() : Number.POSITIVE_INFINITY;
    const until = Math.min(Math.max(work, this.#index.blockedUntil), this.#schedule.tickAt, fed);
    const { jumped } = await this.#waiter.wait(until, this.#intervals.tickMs * 2);
    if (!jumped) return;
    this.#log.write("clockJumped");
    this.#schedule.sweepBy(this.#clock.steady());
    this.#schedule.tickAt = Math.min(this.#schedule.tickAt, this.#clock.steady());
  }

  async #tick(now: number): Promise<void> {
    this.#schedule.ticked(now, { waits: this.report().degraded !== null });
    if (await this.#roots.check()) this.#sweepSoon();
    this.#watcher.checkRoots();
    this.#index.lookAtRoom();
    if (this.#index.noticeReplaced()) await this.#letGo();
  }

  #openIndex(): HeldIndex {
    const held = this.#index.open();
    const now = this.#clock.steady();
    this.#schedule.stirred(now);
    this.#schedule.sweepBy(now);
    this.#rowsChanged();
    return held;
  }

  #rowsChanged(): void {
    this.#feed.rowsChanged();
    this.#memory.noteReading();
  }

  /** The next turn opens the index anew and sweeps. */
  async #letGo(): Promise<void> {
    this.#sweeps.drop();
    this.#certainty.doubt();
    await this.#feed.close();
    this.#index.close();
  }

  #hint(path: string): void {
    this.#certainty.heard();
    this.#hot.add(path);
    this.#hints.add(path);
    this.#stir();
  }

  #sweepSoon(): void {
    this.#sweeps.askFor(this.#clock.steady());
    this.#stir();
  }

  #stir(): void {
    this.#schedule.stirred(this.#clock.steady());
    this.#waiter.wake();
  }

  /** Whether it did anything. */
  #lookAtHints({ looker }: HeldIndex): boolean {
    const worked = this.#hints.work(looker);
    const isAll = worked && this.#hints.size === 0 && !this.#sweeps.isGoingOn;
    if (isAll && this.#lastSyncAt !== null) this.#lastSyncAt = this.#clock.wall();
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
    this.#sweeps.begin(held, { roots: this.#roots.answering, hearsAll: this.#watcher.hearsAll });
    return true;
  }

  #sweepOn(held: HeldIndex): boolean {
    const { more, rowsChanged, restless } = this.#sweeps.step(
      held,
      () => this.#roots.polls || this.#watcher.degraded !== null,
    );
    if (rowsChanged) this.#rowsChanged();
    if (rowsChanged || !more) this.#index.worked();
    if (more) return true;
    for (const path of restless) this.#hints.add(path);
    this.#memory.noteSweep();
    this.#lastSyncAt = this.#clock.wall();
    return true;
  }

  async #mend(thrown: unknown): Promise<void> {
    if (this.#index.waitIfBusy(thrown)) return;
    const { held } = this.#index;
    const error = (held && damageBehind(thrown, held.index)) ?? thrown;
    if (!canBeMended(error)) throw error;
    await this.#letGo();
    this.#index.mend(error);
  }
}

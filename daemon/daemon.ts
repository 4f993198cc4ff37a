import { setImmediate } from "node:timers/promises";
import { type IsExcluded, NOTHING_EXCLUDED } from "../src/files/session-path.ts";
import type { FreshnessQuestion } from "../src/indexing/freshness-client.ts";
import { type FullText, FullTextThread } from "../src/search/worker-client.ts";
import type { CrashJournal } from "../src/store/crash-journal.ts";
import { damageBehind } from "../src/store/diagnose.ts";
import type { IndexLocation } from "../src/store/location.ts";
import { ChangeQueue } from "./components/change-queue.ts";
import type { Component, DaemonContext, DaemonEvent } from "./components/component.ts";
import type { WatchListeners } from "./components/folder-watches.ts";
import { FreshnessComponent } from "./components/freshness.ts";
import { FullTextFeed } from "./components/full-text-feed.ts";
import { canBeMended, IndexSupervisor } from "./components/index-supervisor.ts";
import { RootWatch, type Watching } from "./components/root-watch.ts";
import type { Roots } from "./components/roots.ts";
import { CLOCK, type Clock, INTERVALS, type Intervals, Scheduler } from "./components/scheduler.ts";
import { Sweeper } from "./components/sweeper.ts";
import { type Log, SILENT } from "./control/log.ts";
import type { DaemonReport } from "./control/status-file.ts";

export interface DaemonOptions {
  roots: Roots;
  location: IndexLocation;
  /** What is never indexed, as it stands at that moment. */
  isExcluded?: IsExcluded;
  /** What that leaves out, as it stands at that moment. */
  exclude?: () => readonly string[];
  log?: Log;
  clock?: Clock;
  random?: () => number;
  intervals?: Partial<Intervals>;
  watch?: (listeners: WatchListeners) => Watching;
  openFullText?: () => FullText;
  isDiskFull?: (folder: string) => boolean;
  journal?: CrashJournal;
  /** Told of each file whose rows were written or removed; of no file in particular after a look at everything. */
  onChange?: (path: string | undefined) => void;
  /** Called at every turn of the loop: something may have changed. */
  onTurn?: (report: DaemonReport) => void;
}

/** What the components share, with the defaults of what is not given. */
function contextOf(options: DaemonOptions, emit: (event: DaemonEvent) => void): DaemonContext {
  const { roots, location, clock = CLOCK, log = SILENT, random = Math.random } = options;
  const { isExcluded = NOTHING_EXCLUDED, exclude = () => [] } = options;
  const intervals = { ...INTERVALS, ...options.intervals };
  const scheduler = new Scheduler({ clock, intervals, random });
  return { roots, location, clock, log, isExcluded, exclude, intervals, scheduler, emit };
}

/**
 * Keeps the index up to date until it is told to stop, for whoever holds the lease. The watch tells what may have changed,
 * the queue indexes it, the sweeper finds what nobody told of; the full text follows the rows; freshness answers those who
 * ask whether anything is missing. Whatever is found broken is done again: there is no state but the index.
 */
export class Daemon {
  readonly #options: DaemonOptions;
  readonly #context: DaemonContext;
  readonly #index: IndexSupervisor;
  readonly #watch: RootWatch;
  readonly #queue: ChangeQueue;
  readonly #sweeper: Sweeper;
  readonly #fullText: FullTextFeed;
  readonly #freshness: FreshnessComponent;
  readonly #components: readonly Component[];
  /** Unix ms; null before the first sweep has ended. */
  #lastSyncAt: number | null = null;
  #stopping = false;

  constructor(options: DaemonOptions) {
    const context = contextOf(options, (event) => this.#dispatch(event));
    const { location } = context;
    this.#options = options;
    this.#context = context;
    this.#index = new IndexSupervisor(context, options);
    this.#watch = new RootWatch(context, options.watch);
    this.#queue = new ChangeQueue(context, this.#index);
    this.#sweeper = new Sweeper(context, this.#index, this.#watch);
    this.#fullText = new FullTextFeed(context, options.openFullText ?? (() => new FullTextThread(location)));
    const sources = { index: this.#index, watch: this.#watch, queue: this.#queue };
    this.#freshness = new FreshnessComponent(context, sources);
    this.#components = [
      this.#index,
      this.#watch,
      this.#queue,
      this.#sweeper,
      this.#fullText,
      this.#freshness,
    ];
  }

  report(): DaemonReport {
    const degraded =
      this.#index.trouble ??
      this.#context.roots.trouble ??
      this.#sweeper.trouble ??
      this.#watch.trouble ??
      this.#fullText.trouble;
    const working = this.#lastSyncAt === null ? "indexing" : "watching";
    return {
      state: this.#stopping ? "stopping" : degraded !== null ? "degraded" : working,
      degraded,
      watches: this.#watch.watches,
      queue: this.#queue.size,
      progress: this.#sweeper.progress(),
      searchQueue: this.#fullText.behind,
      lastSyncAt: this.#lastSyncAt,
      sweeps: this.#sweeper.count,
    };
  }

  /** Whether the index has everything that was written before this is asked. False also when it is not sure. */
  isUpToDate(question: FreshnessQuestion): Promise<boolean> {
    return this.#freshness.isUpToDate(question);
  }

  /** Runs until the signal comes; ends at the next step boundary. @throws SessionDbError that waiting cannot mend */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#context.scheduler.wake());
    try {
      // First the watches, then the sweep, so that changes between the two are told of.
      for (const component of this.#components) await component.start?.();
      while (!signal.aborted) {
        await this.#turn();
        this.#options.onTurn?.(this.report());
      }
      this.#stopping = true;
      this.#options.onTurn?.(this.report());
    } finally {
      // Last of all the index, which the others use.
      for (const component of this.#components.toReversed()) await component.stop?.();
    }
  }

  #dispatch(event: DaemonEvent): void {
    for (const component of this.#components) component.handle?.(event);
    const { scheduler, clock } = this.#context;
    switch (event.kind) {
      case "pathChanged":
      case "unclear":
        scheduler.noteActivity(clock.steady());
        scheduler.wake();
        break;
      case "indexOpened":
        scheduler.noteActivity(clock.steady());
        break;
      case "rowsChanged":
        this.#options.onChange?.(event.path);
        break;
      case "sweepEnded":
        this.#lastSyncAt = clock.wall();
        break;
    }
  }

  async #turn(): Promise<void> {
    // By now all events that had come have been heard.
    this.#watch.noticeFlood();
    try {
      const worked = await this.#work();
      if (this.#index.mayFeed) this.#fullText.work();
      if (worked) await setImmediate();
      else await this.#rest();
    } catch (error) {
      await this.#mend(error);
      await setImmediate();
    }
  }

  /** One short piece of the most urgent work; false when there is none. */
  async #work(): Promise<boolean> {
    const now = this.#context.clock.steady();
    if (now >= this.#context.scheduler.tickAt) await this.#tick(now);
    if (now < this.#index.blockedUntil) return false;
    if (this.#index.current === null) this.#index.open();
    return this.#workOffQueue() || this.#sweeper.work(now);
  }

  #workOffQueue(): boolean {
    const worked = this.#queue.work();
    const isAll = worked && this.#queue.size === 0 && !this.#sweeper.isGoingOn;
    if (isAll && this.#lastSyncAt !== null) this.#lastSyncAt = this.#context.clock.wall();
    return worked;
  }

  async #rest(): Promise<void> {
    const { scheduler, log } = this.#context;
    if (!this.#sweeper.isGoingOn && this.#fullText.isQuiet) this.#index.giveBackMemory();
    const work = Math.max(Math.min(this.#queue.nextAt(), this.#sweeper.nextAt()), this.#index.blockedUntil);
    const fed = this.#index.mayFeed ? this.#fullText.nextAt() : Number.POSITIVE_INFINITY;
    const { jumped } = await scheduler.wait(Math.min(work, scheduler.tickAt, fed));
    if (jumped) log.write("clockJumped");
  }

  async #tick(now: number): Promise<void> {
    this.#context.scheduler.ticked(now, { waits: this.report().degraded !== null });
    await this.#watch.check();
    this.#index.checkRoom();
    if (this.#index.noticeReplaced()) await this.#closeIndex();
  }

  /** The next turn opens it anew and sweeps. */
  async #closeIndex(): Promise<void> {
    this.#dispatch({ kind: "indexClosing" });
    await this.#fullText.stop();
    this.#index.close();
  }

  async #mend(thrown: unknown): Promise<void> {
    if (this.#index.waitIfBusy(thrown)) return;
    const { current } = this.#index;
    const error = (current && damageBehind(thrown, current.index)) ?? thrown;
    if (!canBeMended(error)) throw error;
    await this.#closeIndex();
    this.#index.mend(error);
  }
}

import { setImmediate } from "node:timers/promises";
import type { IndexLocation } from "../src/db/open.ts";
import { codeOf, SessionDbError } from "../src/errors.ts";
import type { IsExcluded } from "../src/file/exclude.ts";
import { SyncRun } from "../src/sync/sync-all.ts";
import { CLOCK, type Clock } from "./clock.ts";
import { FeedLoop } from "./feed-loop.ts";
import type { WatchListeners } from "./folder-watches.ts";
import { type FullText, FullTextThread } from "./full-text.ts";
import { HeldIndex, isDiskFull, putAside } from "./held-index.ts";
import { BURST, Hints } from "./hints.ts";
import { type Log, SILENT } from "./log.ts";
import { INTERVALS, type Intervals, Schedule } from "./schedule.ts";
import type { DaemonState } from "./status-file.ts";
import { Trouble } from "./trouble.ts";
import { Waiter } from "./waiter.ts";
import { Watcher } from "./watcher.ts";

/** What the daemon needs of a watcher. */
export type Watching = Pick<Watcher, "degraded" | "watches" | "checkRoots" | "refresh" | "close">;

export interface DaemonOptions {
  roots: readonly string[];
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
  /** Called at every turn of the loop: something may have changed. */
  onTurn?: (report: DaemonReport) => void;
}

/** How it stands, as far as the daemon itself knows. */
export interface DaemonReport {
  state: DaemonState;
  degraded: string | null;
  watches: number;
  queue: number;
  /** Unix ms; null before everything has been looked at once. */
  lastSyncAt: number | null;
  /** How often everything was looked at. */
  sweeps: number;
}

interface Sweep {
  run: SyncRun;
  /** Steady ms. */
  startedAt: number;
  steps: number;
  /** Something came up that it may have missed. */
  again: boolean;
}

/** Looking at hints for so long, then timers and signals have their turn. */
const TURN_MS = 10;
const BUSY_MS = 250;
const HOT_MS = 24 * 60 * 60_000;

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
  readonly #hints = new Hints();
  readonly #schedule: Schedule;
  readonly #feed: FeedLoop;
  readonly #waiter: Waiter;
  readonly #trouble: Trouble;
  readonly #watcher: Watching;
  #held: HeldIndex | null = null;
  #sweep: Sweep | null = null;
  #busyUntil = 0;
  #lastSyncAt: number | null = null;
  #sweeps = 0;
  #stopping = false;

  constructor(options: DaemonOptions) {
    this.#options = options;
    const clock = options.clock ?? CLOCK;
    this.#clock = clock;
    this.#log = options.log ?? SILENT;
    this.#intervals = { ...INTERVALS, ...options.intervals };
    this.#schedule = new Schedule(this.#intervals, options.random ?? Math.random, clock.steady());
    this.#waiter = new Waiter(clock);
    this.#trouble = new Trouble(clock, this.#log);
    const { feedMs, tidyMs } = this.#intervals;
    const open = options.openFullText ?? (() => new FullTextThread(options.location));
    this.#feed = new FeedLoop({
      open,
      clock,
      log: this.#log,
      feedMs,
      tidyMs,
      wake: () => this.#waiter.wake(),
    });
    const listeners = { onHint: (path: string) => this.#hint(path), onUnclear: () => this.#sweepSoon() };
    this.#watcher = options.watch?.(listeners) ?? new Watcher(options, listeners);
  }

  report(): DaemonReport {
    const degraded = this.#trouble.reason ?? this.#watcher.degraded ?? this.#feed.trouble;
    const working = this.#lastSyncAt === null ? "indexing" : "watching";
    return {
      state: this.#stopping ? "stopping" : degraded !== null ? "degraded" : working,
      degraded,
      watches: this.#watcher.watches,
      queue: this.#hints.size,
      lastSyncAt: this.#lastSyncAt,
      sweeps: this.#sweeps,
    };
  }

  /** Runs until the signal comes; ends at the next step boundary. @throws SessionDbError that waiting cannot mend */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#waiter.wake());
    try {
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
      this.#held?.close();
    }
  }

  async #turn(): Promise<void> {
    try {
      const worked = await this.#work();
      if (this.#held !== null) this.#feed.start();
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
    if (now < Math.max(this.#busyUntil, this.#trouble.retryAt)) return false;
    this.#held ??= this.#openIndex();
    if (this.#lookAtHints(this.#held)) return true;
    if (this.#sweep !== null) return this.#sweepOn(this.#sweep, this.#held);
    if (now >= this.#schedule.sweepAt) return this.#beginSweep(this.#held);
    if (now >= this.#schedule.hotAt) this.#lookAtHot(this.#held, now);
    return this.#hints.nextAt() <= now;
  }

  async #rest(): Promise<void> {
    const work = Math.min(this.#hints.nextAt(), this.#sweep === null ? this.#schedule.nextAt() : 0);
    const blocked = Math.max(this.#busyUntil, this.#trouble.retryAt);
    const fed = this.#held === null ? Number.POSITIVE_INFINITY : this.#feed.nextAt();
    const until = Math.min(Math.max(work, blocked), this.#schedule.tickAt, fed);
    const { jumped } = await this.#waiter.wait(until, this.#intervals.tickMs * 2);
    if (!jumped) return;
    this.#log.write("clockJumped");
    this.#schedule.sweepBy(this.#clock.steady());
    this.#schedule.tickAt = Math.min(this.#schedule.tickAt, this.#clock.steady());
  }

  async #tick(now: number): Promise<void> {
    this.#schedule.ticked(now);
    this.#watcher.checkRoots();
    const isFull = this.#options.isDiskFull ?? isDiskFull;
    if (this.#held !== null) this.#trouble.disk(isFull(this.#options.location));
    if (this.#held?.isReplaced() !== true) return;
    this.#log.write("indexReplaced");
    await this.#letGo();
  }

  #openIndex(): HeldIndex {
    const held = new HeldIndex(this.#options.location, this.#clock, this.#options.isExcluded);
    this.#trouble.over();
    this.#schedule.sweepBy(this.#clock.steady());
    this.#feed.rowsChanged();
    return held;
  }

  /** The next turn opens the index anew and sweeps. */
  async #letGo(): Promise<void> {
    this.#sweep = null;
    await this.#feed.close();
    this.#held?.close();
    this.#held = null;
  }

  #hint(path: string): void {
    if (this.#hints.size >= BURST) {
      this.#hints.clear();
      this.#sweepSoon();
    } else this.#hints.add(path);
    this.#waiter.wake();
  }

  #sweepSoon(): void {
    this.#schedule.sweepBy(this.#clock.steady());
    if (this.#sweep !== null) this.#sweep.again = true;
    this.#waiter.wake();
  }

  /** Whether it did anything. */
  #lookAtHints({ looker }: HeldIndex): boolean {
    const began = this.#clock.steady();
    let worked = false;
    for (let path = this.#hints.take(began); path !== null; path = this.#hints.take(began)) {
      worked = true;
      this.#lookAt(looker, path);
      if (this.#clock.steady() - began >= TURN_MS) return true;
    }
    if (worked && this.#lastSyncAt !== null) this.#lastSyncAt = this.#clock.wall();
    return worked;
  }

  #lookAt(looker: HeldIndex["looker"], path: string): void {
    // Whatever goes wrong, it has to be looked at again.
    this.#hints.add(path);
    const look = looker.look(path);
    const now = this.#clock.steady();
    switch (look.kind) {
      case "more":
        this.#feed.rowsChanged();
        this.#hints.defer(path, now);
        return;
      case "later":
        this.#hints.defer(path, look.at);
        return;
      case "done":
        if (look.changed) this.#feed.rowsChanged();
        break;
      case "sweep":
        this.#schedule.sweepBy(look.urgent ? now : now + this.#intervals.removalMs);
        break;
      default:
        look satisfies never;
    }
    this.#hints.remove(path);
  }

  #lookAtHot(held: HeldIndex, now: number): void {
    this.#schedule.lookedAtHot(now);
    for (const path of held.writtenSince(this.#clock.wall() - HOT_MS)) this.#hints.add(path);
  }

  #beginSweep({ index }: HeldIndex): boolean {
    this.#watcher.refresh();
    const startedAt = this.#clock.steady();
    // Everything is looked at now, and what is hinted at from here on.
    this.#hints.clear();
    const run = new SyncRun(index, [...this.#options.roots], {
      now: this.#clock.wall,
      ...(this.#options.isExcluded && { isExcluded: this.#options.isExcluded }),
    });
    this.#sweep = { run, startedAt, steps: 0, again: false };
    return true;
  }

  #sweepOn(sweep: Sweep, held: HeldIndex): boolean {
    const more = sweep.run.step();
    sweep.steps++;
    // The first step only looks around.
    if (sweep.steps > 1) this.#feed.rowsChanged();
    if (more) return true;
    this.#sweep = null;
    held.looker.swept();
    held.shrink();
    this.#sweeps++;
    const now = this.#clock.steady();
    const { files, bytesRead } = sweep.run.result();
    const tookMs = Math.round(now - sweep.startedAt);
    const polling = this.#watcher.degraded !== null;
    this.#schedule.swept(now, { tookMs, polling, again: sweep.again });
    this.#schedule.lookedAtHot(now);
    this.#lastSyncAt = this.#clock.wall();
    if (files.removed > 0) this.#feed.rowsChanged();
    if (files.indexed + files.removed > 0) {
      this.#log.write("swept", { indexed: files.indexed, removed: files.removed, bytesRead, tookMs });
    }
    return true;
  }

  /** What others are doing passes; what is wrong with the database may pass, or the index is made again. */
  async #mend(error: unknown): Promise<void> {
    const code = codeOf(error);
    if (code === "busy" || code.startsWith("SQLITE_BUSY")) {
      this.#busyUntil = this.#clock.steady() + BUSY_MS;
      return;
    }
    const isBroken = error instanceof SessionDbError ? Trouble.passes(error.code) : code !== "";
    if (!isBroken) throw error;
    await this.#letGo();
    if (this.#trouble.note(code, error) === "remake") putAside(this.#options.location);
  }
}

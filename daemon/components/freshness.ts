import { setImmediate } from "node:timers/promises";
import { isSqliteError, isSystemError } from "../../src/errors.ts";
import type { FreshnessQuestion } from "../../src/indexing/freshness-client.ts";
import type { ChangeQueue } from "./change-queue.ts";
import type { Component, DaemonContext, DaemonEvent } from "./component.ts";
import type { IndexSupervisor } from "./index-supervisor.ts";
import type { RootWatch } from "./root-watch.ts";

/** The components that know something about whether the index has everything. */
export interface FreshnessSources {
  index: Pick<IndexSupervisor, "current">;
  watch: Pick<RootWatch, "hearsAll" | "checkRoots">;
  queue: Pick<ChangeQueue, "size" | "nextAt">;
}

/**
 * Answers whether the index has everything that was written before this is asked. That begins with a sweep that saw
 * everything (`sweepStarting`, `sweepEnded`) and ends with what only a sweep can tell (`unclear`, `sweepNeeded`,
 * `indexClosing`). Emits `sweepNeeded` when others have written to the index.
 */
export class FreshnessComponent implements Component {
  readonly #context: DaemonContext;
  readonly #sources: FreshnessSources;
  readonly #state = new FreshnessState();

  constructor(context: DaemonContext, sources: FreshnessSources) {
    this.#context = context;
    this.#sources = sources;
  }

  handle(event: DaemonEvent): void {
    switch (event.kind) {
      case "unclear":
      case "sweepNeeded":
      case "indexClosing":
        this.#state.invalidate();
        break;
      case "sweepStarting":
        this.#state.begin(this.#preconditions());
        break;
      case "sweepEnded":
        this.#state.end(event.sawAll);
        break;
    }
  }

  /** False also when it is not sure. */
  async isUpToDate(asked: FreshnessQuestion): Promise<boolean> {
    try {
      return await this.#isSure(asked);
    } catch (error) {
      // The index is damaged, locked or out of reach: the daemon's loop finds that out by itself, and mends it.
      if (isSqliteError(error) || isSystemError(error)) return false;
      throw error;
    }
  }

  async #isSure(asked: FreshnessQuestion): Promise<boolean> {
    const { clock, scheduler, intervals } = this.#context;
    const { queue } = this.#sources;
    for (const giveUpAt = clock.steady() + intervals.readingMs; clock.steady() < giveUpAt; ) {
      // The system tells of a write before the writer goes on: by the next turn of the event loop all writes were heard of.
      await setImmediate();
      if (!this.#isCertain(asked)) return false;
      if (queue.size === 0) return true;
      if (queue.nextAt() > clock.steady()) return false;
      scheduler.wake();
    }
    return false;
  }

  #isCertain(asked: FreshnessQuestion): boolean {
    const { location, roots, clock, emit } = this.#context;
    const { index, watch } = this.#sources;
    if (asked.indexPath !== location.indexPath) return false;
    if (!asked.roots.every((root) => roots.all.includes(root))) return false;
    watch.checkRoots();
    const { current } = index;
    if (current === null || current.isReplaced() || current.fileSync.hasMetLinks) return false;
    if (roots.trouble !== null || !watch.hearsAll) return false;
    const preconditions = this.#preconditions();
    // So that the next asker need not look at every file.
    if (this.#state.isOutdated(preconditions)) emit({ kind: "sweepNeeded", by: clock.steady() });
    return this.#state.holds() && isSameList(asked.exclude, preconditions.exclude);
  }

  #preconditions(): Preconditions {
    const commits = this.#sources.index.current?.commits() ?? 0;
    return { commits, exclude: this.#context.exclude() };
  }
}

/** What must not have changed for the index to be certain to have everything, besides what events tell. */
export interface Preconditions {
  /** How often others have written to the index, as SQLite counts it. */
  commits: number;
  /** What is left out. */
  exclude: readonly string[];
}

/**
 * Whether the index certainly has everything there is: everything was looked at once, and since then nothing has happened
 * that the file system's events leave unclear.
 */
export class FreshnessState {
  /** The preconditions of the sweep that is going on. */
  #begun: Preconditions | null = null;
  /** The preconditions of the last sweep, if that saw everything. */
  #proved: Preconditions | null = null;
  #isInvalid = true;

  /** Everything is about to be looked at. */
  begin(preconditions: Preconditions): void {
    this.#begun = preconditions;
    this.#proved = null;
    this.#isInvalid = false;
  }

  /** Everything was looked at; `sawAll`: nothing lies where events would not tell of a change. */
  end(sawAll: boolean): void {
    this.#proved = sawAll ? this.#begun : null;
  }

  /** Something has happened that only a look at everything can make sense of. */
  invalidate(): void {
    this.#isInvalid = true;
  }

  holds(): boolean {
    return !this.#isInvalid && this.#proved !== null;
  }

  /** Whether what the last sweep rested on has changed since. */
  isOutdated(now: Preconditions): boolean {
    if (this.#proved === null) return false;
    return this.#proved.commits !== now.commits || !isSameList(this.#proved.exclude, now.exclude);
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place]);
}

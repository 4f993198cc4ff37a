import { setImmediate } from "node:timers/promises";
import { isSqliteError, isSystemError } from "../../src/errors.ts";
import type { FreshnessQuestion } from "../../src/sync/freshness.ts";
import type { HintLoop } from "./change-queue.ts";
import { type Certainty, isSameList } from "./freshness-state.ts";
import type { IndexKeeper } from "./index-supervisor.ts";
import type { Roots } from "./roots.ts";
import type { Clock, Waiter } from "./scheduler.ts";
import type { Sweeps } from "./sweeper.ts";
import type { Watcher } from "./watcher.ts";

/** The parts of a daemon that know something about whether the index has everything. */
export interface AssuranceOptions {
  index: IndexKeeper;
  roots: Roots;
  watcher: Pick<Watcher, "hearsAll" | "checkRoots">;
  certainty: Certainty;
  sweeps: Sweeps;
  hints: HintLoop;
  clock: Clock;
  waiter: Waiter;
  indexPath: string;
  /** How long an asker waits for the files that are just being read. */
  readingMs: number;
  exclude: () => readonly string[];
}

/** Answers whether the index has everything that was written before this is asked. */
export class Assurance {
  readonly #options: AssuranceOptions;

  constructor(options: AssuranceOptions) {
    this.#options = options;
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
    const { clock, hints, waiter, readingMs } = this.#options;
    for (const giveUpAt = clock.steady() + readingMs; clock.steady() < giveUpAt; ) {
      // The system tells of a write before the writer goes on: by the next turn of the event loop all writes were heard of.
      await setImmediate();
      if (!this.#isCertain(asked)) return false;
      if (hints.size === 0) return true;
      if (hints.nextAt() > clock.steady()) return false;
      waiter.wake();
    }
    return false;
  }

  #isCertain(asked: FreshnessQuestion): boolean {
    const { indexPath, roots, exclude, watcher, certainty, sweeps, index, clock } = this.#options;
    if (asked.indexPath !== indexPath || !asked.roots.every((root) => roots.all.includes(root))) return false;
    watcher.checkRoots();
    const { held } = index;
    if (held === null || held.isReplaced() || held.looker.hasMetLinks) return false;
    if (roots.trouble !== null || !watcher.hearsAll) return false;
    const ground = { commits: held.commits(), exclude: exclude() };
    // So that the next asker need not look at every file.
    if (certainty.isOutdated(ground)) sweeps.askFor(clock.steady());
    return certainty.holds() && isSameList(asked.exclude, ground.exclude);
  }
}

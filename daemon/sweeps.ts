import type { SweepProgress } from "../src/sync/progress.ts";
import type { Certainty } from "./certainty.ts";
import type { HeldIndex } from "./held-index.ts";
import type { Log } from "./log.ts";
import type { Schedule } from "./schedule.ts";
import { Sweep, type SweepOptions } from "./sweep.ts";

export interface SweepsOptions extends Omit<SweepOptions, "roots"> {
  log: Log;
  schedule: Schedule;
  certainty: Certainty;
  /** What is left out, as it stands at that moment. */
  exclude: () => readonly string[];
}

export interface SweepStep {
  more: boolean;
  rowsChanged: boolean;
  /** At its end: files it has not read, because they are just being rewritten. */
  restless: readonly string[];
}

/** The looks at everything, one after the other, a step at a time. */
export class Sweeps {
  /** How often everything was looked at. */
  count = 0;
  readonly #options: SweepsOptions;
  #current: Sweep | null = null;

  constructor(options: SweepsOptions) {
    this.#options = options;
  }

  get isGoingOn(): boolean {
    return this.#current !== null;
  }

  progress(): SweepProgress | null {
    return this.#current?.progress() ?? null;
  }

  begin(held: HeldIndex, roots: readonly string[]): void {
    const { isExcluded, clock, hot, certainty, exclude } = this.#options;
    certainty.begin({ commits: held.commits(), exclude: exclude() });
    held.looker.sweepBegins();
    this.#current = new Sweep(held, { roots, isExcluded, clock, hot });
  }

  /** Something came up that only a look at everything can tell, by `time` (steady ms). */
  askFor(time: number): void {
    const { certainty, schedule } = this.#options;
    certainty.doubt();
    schedule.sweepBy(time);
    this.#current?.missed();
  }

  /** Forgets the one that is going on. */
  drop(): void {
    this.#current = null;
  }

  /** Does one step. `polling`: until the next one nothing will tell of changes. @throws SQLite's errors */
  step(held: HeldIndex, polling: () => boolean): SweepStep {
    const sweep = this.#current;
    if (sweep === null) return { more: false, rowsChanged: false, restless: [] };
    const more = sweep.step();
    if (more) return { more, rowsChanged: sweep.hasRead, restless: [] };
    this.#current = null;
    this.count++;
    const { clock, log, schedule, certainty } = this.#options;
    held.looker.sweepEnds();
    const { tookMs, removed } = sweep.finish(log);
    certainty.end(sweep.sawAll);
    const now = clock.steady();
    schedule.swept(now, { tookMs, polling: polling(), again: sweep.mustComeAgain });
    schedule.lookedAtHot(now);
    return { more, rowsChanged: sweep.hasRead || removed > 0, restless: sweep.restless };
  }
}

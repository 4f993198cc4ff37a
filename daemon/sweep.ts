import type { IsExcluded } from "../src/file/exclude.ts";
import type { SweepProgress } from "../src/sync/progress.ts";
import { SyncRun } from "../src/sync/sync-run.ts";
import type { Clock } from "./clock.ts";
import type { HeldIndex } from "./held-index.ts";
import type { HotFiles } from "./hot-files.ts";
import type { Log } from "./log.ts";

export interface SweepOptions {
  roots: readonly string[];
  isExcluded: IsExcluded | undefined;
  clock: Clock;
  /** Told what there is. */
  hot: HotFiles;
}

/** One look at everything below the roots, a step at a time. */
export class Sweep {
  readonly #run: SyncRun;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #steps = 0;
  #again = false;

  constructor({ index, ingest }: HeldIndex, { roots, isExcluded, clock, hot }: SweepOptions) {
    const now = clock.wall;
    this.#run = new SyncRun(index, [...roots], {
      now,
      ingest,
      ...(isExcluded && { isExcluded }),
      onLocated: (files) => hot.choose(files, now()),
    });
    this.#clock = clock;
    this.#startedAt = clock.steady();
  }

  /** Something came up that it may have missed. */
  missed(): void {
    this.#again = true;
  }

  get mustComeAgain(): boolean {
    return this.#again;
  }

  /** Does one step. Returns whether there are more. @throws SQLite's errors */
  step(): boolean {
    this.#steps++;
    return this.#run.step();
  }

  /** Whether rows may have come: the first step only looks around. */
  get hasRead(): boolean {
    return this.#steps > 1;
  }

  /** Files that were not read, because they are just being rewritten. */
  get restless(): readonly string[] {
    return this.#run.restless;
  }

  progress(): SweepProgress | null {
    return this.#run.progress();
  }

  /** Whether it saw everything there is, and nothing that has other names elsewhere. */
  get sawAll(): boolean {
    return this.#run.sawAll;
  }

  /** To be called at its end. */
  finish(log: Log): { tookMs: number; removed: number } {
    const { files, bytesRead } = this.#run.result();
    const tookMs = Math.round(this.#clock.steady() - this.#startedAt);
    const { indexed, removed } = files;
    if (indexed + removed > 0) log.write("swept", { indexed, removed, bytesRead, tookMs });
    return { tookMs, removed };
  }
}

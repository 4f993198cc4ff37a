import type { IsExcluded } from "../../src/file/exclude.ts";
import { FolderListings } from "../../src/file/folder-listings.ts";
import { fileColumnsOf } from "../../src/store/tables/file-columns.ts";
import type { SweepProgress } from "../../src/sync/progress.ts";
import { SyncRun } from "../../src/sync/sync-run.ts";
import type { Log } from "../control/log.ts";
import type { Certainty } from "./freshness-state.ts";
import type { HotFiles } from "./hot-files.ts";
import type { HeldIndex } from "./index-handle.ts";
import type { Clock, Schedule } from "./scheduler.ts";

export interface SweepsOptions {
  isExcluded: IsExcluded;
  /** What that leaves out, as it stands at that moment. */
  exclude: () => readonly string[];
  clock: Clock;
  log: Log;
  schedule: Schedule;
  certainty: Certainty;
  /** Told what there is. */
  hot: HotFiles;
}

export interface SweepStep {
  more: boolean;
  rowsChanged: boolean;
  /** At its end: files it has not read, because they are just being rewritten. */
  restless: readonly string[];
}

/** A look at everything that is going on. */
interface Sweep {
  run: SyncRun;
  /** Steady ms. */
  startedAt: number;
  steps: number;
  /** Something came up during the sweep that it may have missed. */
  again: boolean;
}

/** The looks at everything below the roots, one after the other, a step at a time. */
export class Sweeps {
  /** How often everything was looked at. */
  count = 0;
  /** How many files were gone at the last sweep, when they were so many that their rows stay. */
  #vanished = 0;
  readonly #options: SweepsOptions;
  #current: Sweep | null = null;
  /** Of the last sweep, for the next one, if nothing comes up that only listing every folder can tell. */
  #listings: FolderListings | null = null;

  constructor(options: SweepsOptions) {
    this.#options = options;
  }

  get isGoingOn(): boolean {
    return this.#current !== null;
  }

  /** Why less is in order than it seems, for people; null when all is. */
  get trouble(): string | null {
    if (this.#vanished === 0) return null;
    return `${this.#vanished} session files are gone, most of the folder at once; they stay in the index until they are back. If they were deleted, sessiondb sync --rebuild removes them from the index`;
  }

  progress(): SweepProgress | null {
    return this.#current?.run.progress() ?? null;
  }

  /** `hearsAll`: nothing that is written below the roots can escape being told. */
  begin(held: HeldIndex, { roots, hearsAll }: { roots: readonly string[]; hearsAll: boolean }): void {
    const { isExcluded, clock, hot, certainty, exclude } = this.#options;
    const before = certainty.holds() ? this.#listings : null;
    this.#listings = hearsAll ? new FolderListings(before, clock.wall) : null;
    certainty.begin({ commits: held.commits(), exclude: exclude() });
    held.looker.sweepBegins();
    const run = new SyncRun(held.index, [...roots], {
      now: clock.wall,
      ingest: held.ingest,
      isExcluded,
      listings: this.#listings,
      recent: hot.recent(clock.wall()),
    });
    this.#current = { run, startedAt: clock.steady(), steps: 0, again: false };
  }

  /** Something came up that only a look at everything can tell, by `time` (steady ms). */
  askFor(time: number): void {
    const { certainty, schedule } = this.#options;
    certainty.doubt();
    schedule.sweepBy(time);
    if (this.#current !== null) this.#current.again = true;
  }

  /** Forgets the one that is going on. */
  drop(): void {
    this.#current = null;
  }

  /** Does one step. `polling`: until the next one nothing will tell of changes. @throws SQLite's errors */
  step(held: HeldIndex, polling: () => boolean): SweepStep {
    const sweep = this.#current;
    if (sweep === null) return { more: false, rowsChanged: false, restless: [] };
    const more = sweep.run.step();
    sweep.steps++;
    // The first step only looks around.
    const hasRead = sweep.steps > 1;
    if (more) return { more, rowsChanged: hasRead, restless: [] };
    this.#current = null;
    this.count++;
    held.looker.sweepEnds();
    const removed = this.#conclude(sweep, polling());
    held.columns = hasRead || removed > 0 ? null : fileColumnsOf(held.index.database);
    return { more, rowsChanged: hasRead || removed > 0, restless: sweep.run.restless };
  }

  /** Returns how many files were taken out of the index. */
  #conclude({ run, startedAt, again }: Sweep, polling: boolean): number {
    const { clock, log, schedule, certainty } = this.#options;
    certainty.end(run.sawAll);
    const { files, bytesRead, troubles } = run.result();
    this.#vanished = troubles.filter(({ kind }) => kind === "vanished").length;
    const { indexed, removed } = files;
    const now = clock.steady();
    const tookMs = Math.round(now - startedAt);
    if (indexed + removed > 0) log.write("swept", { indexed, removed, bytesRead, tookMs });
    // If many files have vanished, no event will tell that their disk is back, or that somebody had them forgotten.
    schedule.swept(now, { tookMs, polling: polling || this.#vanished > 0, again });
    schedule.lookedAtHot(now);
    return removed;
  }
}

import { statSync } from "node:fs";
import { codeOf } from "../../src/errors.ts";
import { DirectoryCache } from "../../src/files/directory-cache.ts";
import type { LocatedFile } from "../../src/files/locate.ts";
import type { Recent } from "../../src/indexing/scan.ts";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import type { SweepProgress } from "../../src/runtime/observer.ts";
import { fileColumnsOf } from "../../src/store/tables/file-columns.ts";
import type { Component, DaemonContext, DaemonEvent } from "./component.ts";
import type { IndexHandle } from "./index-handle.ts";
import type { IndexSupervisor } from "./index-supervisor.ts";
import type { RootWatch } from "./root-watch.ts";

/** A look at everything that is going on. */
interface Sweep {
  run: SyncRun;
  /** Steady ms. */
  startedAt: number;
  steps: number;
  /** Something came up during the sweep that it may have missed. */
  again: boolean;
}

/**
 * Looks at everything below the roots, a step at a time, and in between at the files that were written last: whatever
 * nobody told of is found here. Takes `unclear` and `sweepNeeded`, which ask for a sweep; emits `sweepStarting`,
 * `sweepEnded`, `rowsChanged`, and `pathPending` for what has changed among the newest files.
 */
export class Sweeper implements Component {
  /** How often everything was looked at. */
  count = 0;
  /** How many files were gone at the last sweep, when they were so many that their rows stay. */
  #vanished = 0;
  readonly #context: DaemonContext;
  readonly #index: IndexSupervisor;
  readonly #watch: RootWatch;
  readonly #hot = new HotFiles();
  #current: Sweep | null = null;
  /** Of the last sweep, for the next one, if nothing comes up that only listing every folder can tell. */
  #directories: DirectoryCache | null = null;

  constructor(context: DaemonContext, index: IndexSupervisor, watch: RootWatch) {
    this.#context = context;
    this.#index = index;
    this.#watch = watch;
  }

  get isGoingOn(): boolean {
    return this.#current !== null;
  }

  /** Why less is in order than it seems, for people; null when all is. */
  get trouble(): string | null {
    if (this.#vanished === 0) return null;
    return `${this.#vanished} session files are gone, most of the folder at once; they stay in the index until they are back. If they were deleted, sessiondb sync --rebuild removes them from the index`;
  }

  /** What a sweep has read so far; null when none is going on. */
  progress(): SweepProgress | null {
    return this.#current?.run.progress() ?? null;
  }

  handle(event: DaemonEvent): void {
    const { clock, scheduler } = this.#context;
    switch (event.kind) {
      case "pathChanged":
        this.#hot.add(event.path);
        break;
      case "unclear":
        this.#askFor(clock.steady());
        break;
      case "sweepNeeded":
        this.#askFor(event.by);
        break;
      case "indexOpened":
        scheduler.sweepBy(clock.steady());
        break;
      case "indexClosing":
        this.#current = null;
        this.#directories = null;
        break;
    }
  }

  /** Does one step of what is due, if anything is. Whether it did. @throws SQLite's errors */
  work(now: number): boolean {
    const { scheduler } = this.#context;
    const { current } = this.#index;
    if (current === null) return false;
    if (this.#current !== null) this.#step(current, this.#current);
    else if (now >= scheduler.sweepAt) this.#begin(current);
    else return now >= scheduler.hotAt && this.#pollHotFiles(now);
    return true;
  }

  /** When there will be something to do: steady ms. */
  nextAt(): number {
    return this.isGoingOn ? 0 : this.#context.scheduler.nextAt();
  }

  #askFor(time: number): void {
    this.#directories = null;
    this.#context.scheduler.sweepBy(time);
    if (this.#current !== null) this.#current.again = true;
  }

  #pollHotFiles(now: number): boolean {
    const { scheduler, roots, emit } = this.#context;
    scheduler.polledHotFiles(now);
    const changed = this.#hot.changed((path) => roots.mayLookAt(path));
    for (const path of changed) emit({ kind: "pathPending", path });
    return changed.length > 0;
  }

  #begin({ index, indexer, fileSync }: IndexHandle): void {
    const { isExcluded, clock, roots, emit } = this.#context;
    emit({ kind: "sweepStarting" });
    this.#directories = this.#watch.hearsAll ? new DirectoryCache(this.#directories, clock.wall) : null;
    fileSync.sweepBegins();
    const run = new SyncRun(index, roots.answering, {
      now: clock.wall,
      indexer,
      isExcluded,
      directories: this.#directories,
      recent: this.#hot.recent(clock.wall()),
    });
    this.#current = { run, startedAt: clock.steady(), steps: 0, again: false };
  }

  #step(handle: IndexHandle, sweep: Sweep): void {
    const { emit } = this.#context;
    const more = sweep.run.step();
    sweep.steps++;
    // The first step only looks around.
    const hasRead = sweep.steps > 1;
    if (more) {
      if (hasRead) this.#rowsChanged();
      return;
    }
    this.#current = null;
    this.count++;
    handle.fileSync.sweepEnds();
    const removed = this.#conclude(sweep);
    const rowsChanged = hasRead || removed > 0;
    handle.columns = rowsChanged ? null : fileColumnsOf(handle.index.database);
    if (rowsChanged) this.#rowsChanged();
    else this.#index.worked();
    emit({ kind: "sweepEnded", sawAll: sweep.run.sawAll, inFlux: sweep.run.restless });
  }

  #rowsChanged(): void {
    this.#context.emit({ kind: "rowsChanged" });
    this.#index.worked();
  }

  /** Returns how many files were taken out of the index. */
  #conclude({ run, startedAt, again }: Sweep): number {
    const { clock, log, scheduler } = this.#context;
    if (!run.sawAll) this.#directories = null;
    const { files, bytesRead, troubles } = run.result();
    this.#vanished = troubles.filter(({ kind }) => kind === "vanished").length;
    const { indexed, removed } = files;
    const now = clock.steady();
    const tookMs = Math.round(now - startedAt);
    if (indexed + removed > 0) log.write("swept", { indexed, removed, bytesRead, tookMs });
    // If many files have vanished, no event will tell that their disk is back, or that somebody had them forgotten.
    const polling = this.#watch.polls || this.#vanished > 0;
    scheduler.swept(now, { tookMs, polling, again });
    scheduler.polledHotFiles(now);
    return removed;
  }
}

const HOT_MS = 24 * 60 * 60_000;
/** The most hot files: in a store that was just copied all files are new, and an idle daemon must stay idle. */
const MOST = 300;

/**
 * The newest files, which are looked at more often than the others. A look is one stat for each: only what
 * differs from the last look is handed out.
 */
export class HotFiles {
  /** By path, what the last look saw; the empty string before it. */
  readonly #seen = new Map<string, string>();

  /** For a look at everything, which finds out anew what is hot: what was written within a day. `now` in Unix ms. */
  recent(now: number): Recent {
    return { since: now - HOT_MS, onLocated: (files) => this.#choose(files) };
  }

  #choose(files: readonly LocatedFile[]): void {
    const hot = [...files].sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs).slice(0, MOST);
    const chosen = new Map(hot.map(({ path }) => [path, this.#seen.get(path) ?? ""]));
    this.#seen.clear();
    for (const [path, seen] of chosen) this.#seen.set(path, seen);
  }

  /** A file is being written: it is hot until the next choice. */
  add(path: string): void {
    if (!this.#seen.has(path) && this.#seen.size < 2 * MOST) this.#seen.set(path, "");
  }

  /** Those that are not what they were at the last look. */
  changed(mayLookAt: (path: string) => boolean): string[] {
    const paths: string[] = [];
    for (const [path, seen] of this.#seen) {
      if (!mayLookAt(path)) continue;
      const now = stateOf(path);
      if (now === seen) continue;
      this.#seen.set(path, now);
      paths.push(path);
    }
    return paths;
  }
}

function stateOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return "none";
    return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return codeOf(error);
  }
}

import type { Component, DaemonContext, DaemonEvent } from "./component.ts";
import type { FileSync } from "./file-sync.ts";

/** More paths than this at once are a burst: a sweep is cheaper then, and some events may have been lost. */
const BURST = 1000;
/** How long paths are indexed before timers and signals have their turn. */
const TURN_MS = 10;

/** What the queue needs of the index: null while it has to be opened. */
export interface Indexing {
  readonly current: { fileSync: Pick<FileSync, "sync"> } | null;
}

export type QueueContext = Pick<DaemonContext, "clock" | "intervals" | "emit"> & {
  roots: Pick<DaemonContext["roots"], "mayLookAt">;
};

/**
 * Indexes the paths that may have changed, as long as there are few; many are a matter for a sweep. Takes `pathChanged`,
 * `pathPending` and what a sweep has left alone (`sweepEnded`); forgets all when a sweep starts. Emits `rowsChanged` and
 * `sweepNeeded`.
 */
export class ChangeQueue implements Component {
  readonly #context: QueueContext;
  readonly #index: Indexing;
  readonly #paths = new PendingPaths();

  constructor(context: QueueContext, index: Indexing) {
    this.#context = context;
    this.#index = index;
  }

  get size(): number {
    return this.#paths.size;
  }

  /** When there will be something to do: steady ms, `Infinity` for nothing. */
  nextAt(): number {
    return this.#paths.nextAt();
  }

  handle(event: DaemonEvent): void {
    switch (event.kind) {
      case "pathChanged":
      case "pathPending":
        this.#add(event.path);
        break;
      case "sweepStarting":
        this.#paths.clear();
        break;
      case "sweepEnded":
        for (const path of event.inFlux) this.#add(path);
        break;
    }
  }

  /** Indexes what is due, for a short while. Whether there was anything. @throws SQLite's errors */
  work(): boolean {
    const { clock } = this.#context;
    const { current } = this.#index;
    if (current === null) return false;
    const began = clock.steady();
    let worked = false;
    for (let path = this.#paths.take(began); path !== null; path = this.#paths.take(began)) {
      worked = true;
      this.#sync(current.fileSync, path);
      if (clock.steady() - began >= TURN_MS) break;
    }
    return worked;
  }

  /** When there are too many paths, all are forgotten and a sweep is asked for instead. */
  #add(path: string): void {
    if (this.#paths.size < BURST) {
      this.#paths.add(path);
      return;
    }
    this.#paths.clear();
    this.#context.emit({ kind: "sweepNeeded", by: this.#context.clock.steady() });
  }

  #sync(fileSync: Pick<FileSync, "sync">, path: string): void {
    const { clock, intervals, roots, emit } = this.#context;
    // Nothing is lost: when its file system answers again, a sweep looks at everything.
    if (!roots.mayLookAt(path)) return;
    // Whatever goes wrong, it has to be looked at again.
    this.#paths.add(path);
    const outcome = fileSync.sync(path);
    const now = clock.steady();
    switch (outcome.kind) {
      case "more":
        emit({ kind: "rowsChanged", path });
        this.#paths.defer(path, now);
        return;
      case "later":
        this.#paths.defer(path, outcome.at);
        return;
      case "done":
        if (outcome.changed) emit({ kind: "rowsChanged", path });
        break;
      case "sweep":
        emit({ kind: "sweepNeeded", by: outcome.urgent ? now : now + intervals.removalMs });
        break;
      default:
        outcome satisfies never;
    }
    this.#paths.remove(path);
  }
}

/** Paths that may have changed, each once, in the order in which they came; some not to be looked at before a time. */
class PendingPaths {
  readonly #notBefore = new Map<string, number>();

  get size(): number {
    return this.#notBefore.size;
  }

  /** A path that waits for its time goes on waiting. */
  add(path: string): void {
    if (!this.#notBefore.has(path)) this.#notBefore.set(path, 0);
  }

  /** To be looked at again at `time` (steady ms), or later. */
  defer(path: string, time: number): void {
    this.#notBefore.delete(path);
    this.#notBefore.set(path, time);
  }

  /** Takes the first one whose time has come. */
  take(now: number): string | null {
    for (const [path, time] of this.#notBefore) {
      if (time > now) continue;
      this.#notBefore.delete(path);
      return path;
    }
    return null;
  }

  nextAt(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const time of this.#notBefore.values()) earliest = Math.min(earliest, time);
    return earliest;
  }

  remove(path: string): void {
    this.#notBefore.delete(path);
  }

  clear(): void {
    this.#notBefore.clear();
  }
}

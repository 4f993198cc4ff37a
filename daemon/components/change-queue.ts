import type { Looker } from "./file-sync.ts";
import type { Roots } from "./roots.ts";
import type { Clock } from "./scheduler.ts";
import type { Sweeps } from "./sweeper.ts";

export interface HintLoopOptions {
  clock: Clock;
  sweeps: Pick<Sweeps, "askFor">;
  roots: Pick<Roots, "mayLookAt">;
  /** From something vanishing to the sweep that takes it out of the index. */
  removalMs: number;
  /** Called when rows have come, or may have. */
  rowsChanged: () => void;
}

/** More hints than this at once are a burst: a sweep is cheaper then, and some hints may have been lost. */
const BURST = 1000;
/** How long hints are looked at before timers and signals have their turn. */
const TURN_MS = 10;

/** Looks at the files that were hinted at, as long as there are few; many are a matter for a sweep. */
export class HintLoop {
  readonly #options: HintLoopOptions;
  readonly #hints = new Hints();

  constructor(options: HintLoopOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#hints.size;
  }

  nextAt(): number {
    return this.#hints.nextAt();
  }

  /** When there are too many hints, all are forgotten and a sweep is asked for instead. */
  add(path: string): void {
    if (this.#hints.size < BURST) {
      this.#hints.add(path);
      return;
    }
    this.#hints.clear();
    this.#options.sweeps.askFor(this.#options.clock.steady());
  }

  clear(): void {
    this.#hints.clear();
  }

  /** Looks at what is due, for a short while. Whether there was anything. @throws SQLite's errors */
  work(looker: Pick<Looker, "look">): boolean {
    const { clock } = this.#options;
    const began = clock.steady();
    let worked = false;
    for (let path = this.#hints.take(began); path !== null; path = this.#hints.take(began)) {
      worked = true;
      this.#lookAt(looker, path);
      if (clock.steady() - began >= TURN_MS) break;
    }
    return worked;
  }

  #lookAt(looker: Pick<Looker, "look">, path: string): void {
    const { clock, sweeps, roots, removalMs, rowsChanged } = this.#options;
    // Nothing is lost: when its file system answers again, a sweep looks at everything.
    if (!roots.mayLookAt(path)) return;
    // Whatever goes wrong, it has to be looked at again.
    this.#hints.add(path);
    const look = looker.look(path);
    const now = clock.steady();
    switch (look.kind) {
      case "more":
        rowsChanged();
        this.#hints.defer(path, now);
        return;
      case "later":
        this.#hints.defer(path, look.at);
        return;
      case "done":
        if (look.changed) rowsChanged();
        break;
      case "sweep":
        sweeps.askFor(look.urgent ? now : now + removalMs);
        break;
      default:
        look satisfies never;
    }
    this.#hints.remove(path);
  }
}

/** Paths that may have changed, each once, in the order in which they came; some not to be looked at before a time. */
export class Hints {
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

  /** When there will be something to take: steady ms, `Infinity` for nothing. */
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

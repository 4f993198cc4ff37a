/** What the certainty that the index has everything rests on, besides events. */
export interface Ground {
  /** How often others have written to the index, as SQLite counts it. */
  commits: number;
  /** What is left out. */
  exclude: readonly string[];
}

/** More events than this at once may have been too many for the system's queue. */
const FLOOD = 4096;

/**
 * Whether the index surely has everything there is: all of it was looked at once, and nothing has happened since
 * that the events which tell of changes leave unclear.
 */
export class Certainty {
  /** Of the sweep that is going on. */
  #begun: Ground | null = null;
  /** Of the last sweep, when it saw everything. */
  #proved: Ground | null = null;
  #isInDoubt = true;
  #events = 0;

  /** Everything is about to be looked at. */
  begin(ground: Ground): void {
    this.#begun = ground;
    this.#proved = null;
    this.#isInDoubt = false;
  }

  /** Everything was looked at; `sawAll`: nothing lies where events would not tell of a change. */
  end(sawAll: boolean): void {
    this.#proved = sawAll ? this.#begun : null;
  }

  /** Something has happened that only a look at everything can make sense of. */
  doubt(): void {
    this.#isInDoubt = true;
  }

  holds(): boolean {
    return !this.#isInDoubt && this.#proved !== null;
  }

  /** Whether what the last sweep rested on has changed since. */
  isOutdated(now: Ground): boolean {
    if (this.#proved === null) return false;
    return this.#proved.commits !== now.commits || !isSameList(this.#proved.exclude, now.exclude);
  }

  /** One event more since `wasFlooded` was asked. */
  heard(): void {
    this.#events++;
  }

  /** To be asked when all events that had come have been heard: whether they may have been too many. */
  wasFlooded(): boolean {
    const events = this.#events;
    this.#events = 0;
    return events > FLOOD;
  }
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place]);
}

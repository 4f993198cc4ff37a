/** What must not have changed for the index to be certain to have everything, besides what events tell. */
export interface Ground {
  /** How often others have written to the index, as SQLite counts it. */
  commits: number;
  /** What is left out. */
  exclude: readonly string[];
}

/** If more events than this come at once, the system's queue may have lost some. */
const FLOOD = 4096;

/**
 * Whether the index certainly has everything there is: everything was looked at once, and since then nothing has happened
 * that the file system's events leave unclear.
 */
export class Certainty {
  /** The ground of the sweep that is going on. */
  #begun: Ground | null = null;
  /** The ground of the last sweep, if that saw everything. */
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

  /** Whether too many events may have come at once. To be asked when all that had come were heard. */
  wasFlooded(): boolean {
    const events = this.#events;
    this.#events = 0;
    return events > FLOOD;
  }
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place]);
}

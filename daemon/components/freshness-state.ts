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

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place]);
}

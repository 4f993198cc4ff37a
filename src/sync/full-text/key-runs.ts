/** Keys in a row; both ends included. */
export type KeyRun = [first: number, last: number];

/** Collects keys that come in their order. */
export class KeyRuns {
  #runs: KeyRun[] = [];

  add(key: number): void {
    const last = this.#runs.at(-1);
    if (last?.[1] === key - 1) last[1] = key;
    else this.#runs.push([key, key]);
  }

  /** Returns all runs and forgets them. */
  take(): KeyRun[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}

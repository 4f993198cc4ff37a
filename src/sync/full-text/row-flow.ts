/** When no new row has come for this long, rows have stopped coming. */
const QUIET_MS = 1000;

/** Whether rows are coming, told by looking at the last key again and again. */
export class RowFlow {
  #lastKey = -1;
  #changedAt = 0;

  /** Whether no new row has come for a while. @param lastKey the last key there is now */
  isQuiet(lastKey: number): boolean {
    const now = performance.now();
    if (lastKey !== this.#lastKey) this.#changedAt = now;
    this.#lastKey = lastKey;
    return now - this.#changedAt >= QUIET_MS;
  }
}

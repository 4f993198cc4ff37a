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

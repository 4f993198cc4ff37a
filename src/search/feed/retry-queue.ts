import type { Database, Statement } from "../../store/native.ts";

/** Keys in a row; both ends included. */
export type KeyRun = [first: number, last: number];

/**
 * Entries whose text could not be read when it was their turn: their file was gone, unreadable or had changed
 * since the rows were written. Kept as runs of keys and tried again at every feed, so that what comes back
 * under the same keys (a moved file, a file put back) is not lost to search.
 */
export class MissedKeys {
  readonly #any: Statement;
  readonly #count: Statement;
  readonly #takeFirst: Statement;
  readonly #extend: Statement;
  readonly #insert: Statement;

  constructor(search: Database) {
    this.#any = search.prepare("SELECT 1 FROM missed_keys WHERE first_key >= ? LIMIT 1");
    this.#count = search
      .prepare("SELECT coalesce(sum(last_key - first_key + 1), 0) FROM missed_keys")
      .pluck();
    this.#takeFirst = search
      .prepare(`DELETE FROM missed_keys
        WHERE first_key = (SELECT min(first_key) FROM missed_keys WHERE first_key >= ?)
        RETURNING first_key, last_key`)
      .raw();
    this.#extend = search.prepare("UPDATE missed_keys SET last_key = ? WHERE last_key = ?");
    this.#insert = search.prepare("INSERT INTO missed_keys (first_key, last_key) VALUES (?, ?)");
  }

  /** Whether a run begins at this key or after it. */
  any(from: number): boolean {
    return this.#any.get(from) !== undefined;
  }

  /** How many keys there are; those of entries that are gone since are included. */
  count(): number {
    return Number(this.#count.get());
  }

  add(key: number): void {
    if (this.#extend.run(key, key - 1).changes === 0) this.#insert.run(key, key);
  }

  /**
   * Hands out at most so many keys, of the runs that begin at `from` or after it, and forgets them: whoever takes them adds
   * those that are missed again, and puts back those it has not tried.
   */
  take(from: number, atMost: number): KeyRun[] {
    const taken: KeyRun[] = [];
    for (let left = atMost; left > 0; ) {
      const run = this.#takeFirst.get(from) as KeyRun | undefined;
      if (run === undefined) break;
      const [first, last] = run;
      const end = Math.min(last, first + left - 1);
      taken.push([first, end]);
      left -= end - first + 1;
      if (end < last) this.#insert.run(end + 1, last);
    }
    return taken;
  }

  /** Puts back the keys that were taken, from `from` on. */
  putBack(taken: KeyRun[], from: number): void {
    for (const [first, last] of taken) if (last >= from) this.#insert.run(Math.max(first, from), last);
  }
}

import type { Database, Statement } from "../../db/native.ts";

/**
 * Entries whose text could not be read when it was their turn: their file was gone, unreadable or had changed
 * since the rows were written. Kept as runs of keys and tried again at every feed, so that what comes back
 * under the same keys (a moved file, a file put back) is not lost to search.
 */
export class MissedKeys {
  readonly #any: Statement;
  readonly #count: Statement;
  readonly #all: Statement;
  readonly #clear: Statement;
  readonly #extend: Statement;
  readonly #insert: Statement;

  constructor(search: Database) {
    this.#any = search.prepare("SELECT 1 FROM missed_keys LIMIT 1");
    this.#count = search
      .prepare("SELECT coalesce(sum(last_key - first_key + 1), 0) FROM missed_keys")
      .pluck();
    this.#all = search.prepare("SELECT first_key, last_key FROM missed_keys ORDER BY first_key").raw();
    this.#clear = search.prepare("DELETE FROM missed_keys");
    this.#extend = search.prepare("UPDATE missed_keys SET last_key = ? WHERE last_key = ?");
    this.#insert = search.prepare("INSERT INTO missed_keys (first_key, last_key) VALUES (?, ?)");
  }

  any(): boolean {
    return this.#any.get() !== undefined;
  }

  /** How many there are, entries that have gone since included. */
  count(): number {
    return Number(this.#count.get());
  }

  add(key: number): void {
    if (this.#extend.run(key, key - 1).changes === 0) this.#insert.run(key, key);
  }

  /** A run that was taken and not tried. */
  putBack(first: number, last: number): void {
    this.#insert.run(first, last);
  }

  /** Hands the runs out and forgets them: whoever takes them adds what is missed again. */
  takeAll(): [first: number, last: number][] {
    const runs = this.#all.all() as [number, number][];
    this.#clear.run();
    return runs;
  }
}

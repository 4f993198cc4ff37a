import type { Database, Statement } from "../../db/native.ts";

/**
 * Hands out keys of entries, none of them twice. An index that is put back to an earlier state hands out some a second
 * time: so whatever one transaction hands out is a lot with a random token, by which the full text tells whether a key is
 * still the one that it took in.
 */
export class EntryKeys {
  readonly #next: Statement;
  readonly #saveNext: Statement;
  readonly #insertLot: Statement;
  /** Whether this transaction has a lot already: the keys that it hands out follow on each other. */
  #hasLot = false;

  constructor(database: Database) {
    this.#next = database.prepare("SELECT value FROM meta WHERE name = 'next_entry_key'").pluck();
    this.#saveNext = database.prepare(
      "INSERT OR REPLACE INTO meta (name, value) VALUES ('next_entry_key', ?)",
    );
    this.#insertLot = database.prepare(
      "INSERT OR REPLACE INTO key_lots (first_key, token) VALUES (?, random())",
    );
  }

  /** The first key that was never handed out. */
  next(): number {
    return Number(this.#next.get() ?? 1);
  }

  /** Notes that keys were handed out from `first` on, up to the one before `next`. */
  handedOut(first: number, next: number): void {
    if (next === first) return;
    if (!this.#hasLot) this.#insertLot.run(first);
    this.#hasLot = true;
    this.#saveNext.run(String(next));
  }

  /** To be called when a transaction begins, or a part of one was undone. */
  forget(): void {
    this.#hasLot = false;
  }
}

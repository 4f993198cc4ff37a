import type { Database, Statement } from "../../store/native.ts";
import { KEYS_PER_BLOCK, NO_TIME } from "../fts/key-blocks.ts";

const WRITE = `INSERT INTO key_blocks (block, oldest, newest) VALUES (?, ?, ?)
  ON CONFLICT (block) DO UPDATE SET oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)`;

/** Keeps, for each block of entry keys, when the oldest and the newest of its entries were written. Unix ms. */
export class KeyBlocks {
  readonly #write: Statement;
  readonly #noted = new Map<number, { oldest: number; newest: number }>();

  constructor(search: Database) {
    this.#write = search.prepare(WRITE);
  }

  /** To be called at the beginning of each transaction: what was noted in one that was undone is forgotten. */
  begin(): void {
    this.#noted.clear();
  }

  /** `timestamp` in Unix ms. */
  note(key: number, timestamp: number | null): void {
    const time = timestamp ?? NO_TIME;
    const block = Math.floor(key / KEYS_PER_BLOCK);
    const { oldest, newest } = this.#noted.get(block) ?? { oldest: time, newest: time };
    this.#noted.set(block, { oldest: Math.min(oldest, time), newest: Math.max(newest, time) });
  }

  /** To be called at the end of each transaction. */
  write(): void {
    for (const [block, { oldest, newest }] of this.#noted) this.#write.run(block, oldest, newest);
  }
}

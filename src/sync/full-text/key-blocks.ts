import { KEYS_PER_BLOCK, NO_TIME } from "../../db/key-blocks.ts";
import type { Database, Statement } from "../../store/native.ts";

const WRITE = `INSERT INTO key_blocks (block, oldest, newest) VALUES (?, ?, ?)
  ON CONFLICT (block) DO UPDATE SET oldest = min(oldest, excluded.oldest), newest = max(newest, excluded.newest)`;

/** When the oldest and the newest of the entries of a block of keys were written. Unix ms. */
export type BlockTimes = [block: number, oldest: number, newest: number];

/** When the entries of each block of keys were written. */
export class NotedTimes {
  readonly #noted = new Map<number, BlockTimes>();

  /** `timestamp` in Unix ms. */
  note(key: number, timestamp: number | null): void {
    const time = timestamp ?? NO_TIME;
    this.add([Math.floor(key / KEYS_PER_BLOCK), time, time]);
  }

  add([block, oldest, newest]: BlockTimes): void {
    const before = this.#noted.get(block) ?? [block, oldest, newest];
    this.#noted.set(block, [block, Math.min(before[1], oldest), Math.max(before[2], newest)]);
  }

  /** Returns what was noted and forgets it. */
  take(): BlockTimes[] {
    const all = [...this.#noted.values()];
    this.#noted.clear();
    return all;
  }
}

/** Keeps, for each block of entry keys, when the oldest and the newest of its entries were written. */
export class KeyBlocks {
  readonly #write: Statement;
  readonly noted = new NotedTimes();

  constructor(search: Database) {
    this.#write = search.prepare(WRITE);
  }

  /** To be called at the beginning of each transaction: what was noted in one that was undone is forgotten. */
  begin(): void {
    this.noted.take();
  }

  /** To be called at the end of each transaction. */
  write(): void {
    for (const times of this.noted.take()) this.#write.run(times);
  }
}

import type { Database, Statement } from "../db/native.ts";
import type { Sums } from "../query/results.ts";
import { addTo, quarterOf, type Spent, zeroSums } from "./sums.ts";

/** What a row of `usage_quarters` is about. */
export interface QuarterSlot {
  timestamp: number;
  provider: string | null;
  model: string | null;
  source: string;
  counted: boolean;
}

type SlotKey = [quarter: number, provider: string, model: string, source: string, counted: number];

const LOAD = `SELECT input, output, cache_read AS cacheRead, cache_write AS cacheWrite, total_tokens AS totalTokens,
  cost, requests FROM usage_quarters
  WHERE file_id = ? AND quarter = ? AND provider = ? AND model = ? AND source = ? AND counted = ?`;

const SAVE = `INSERT OR REPLACE INTO usage_quarters (file_id, quarter, provider, model, source, counted,
  input, output, cache_read, cache_write, total_tokens, cost, requests)
  VALUES (?, ?, ?, ?, ?, ?, @input, @output, @cacheRead, @cacheWrite, @totalTokens, @cost, @requests)`;

/** Writes the roll-up of a file's usage by quarter of an hour. */
export class QuarterStore {
  readonly #load: Statement;
  readonly #save: Statement;
  readonly #clear: Statement;

  constructor(database: Database) {
    this.#load = database.prepare(LOAD);
    this.#save = database.prepare(SAVE);
    this.#clear = database.prepare("DELETE FROM usage_quarters WHERE file_id = ?");
  }

  /** The roll-up of one file, to be added to and saved. */
  open(fileId: number): Quarters {
    return new Quarters(
      (key) => this.#load.get(fileId, ...key) as Sums | undefined,
      (key, sums) => this.#save.run(fileId, ...key, sums),
    );
  }

  /** The same, begun again from nothing. */
  restart(fileId: number): Quarters {
    this.#clear.run(fileId);
    return new Quarters(
      () => undefined,
      (key, sums) => this.#save.run(fileId, ...key, sums),
    );
  }
}

export class Quarters {
  readonly #slots = new Map<string, { key: SlotKey; sums: Sums }>();
  readonly #load: (key: SlotKey) => Sums | undefined;
  readonly #save: (key: SlotKey, sums: Sums) => void;

  constructor(load: (key: SlotKey) => Sums | undefined, save: (key: SlotKey, sums: Sums) => void) {
    this.#load = load;
    this.#save = save;
  }

  add(slot: QuarterSlot, spent: Spent): void {
    const counted = slot.counted ? 1 : 0;
    const key: SlotKey = [
      quarterOf(slot.timestamp),
      slot.provider ?? "",
      slot.model ?? "",
      slot.source,
      counted,
    ];
    const name = key.join("\0");
    let known = this.#slots.get(name);
    if (known === undefined) {
      known = { key, sums: this.#load(key) ?? zeroSums() };
      this.#slots.set(name, known);
    }
    addTo(known.sums, spent);
  }

  save(): void {
    for (const { key, sums } of this.#slots.values()) this.#save(key, sums);
  }
}

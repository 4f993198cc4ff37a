import type { PricedSums, Sums, UsageNumbers } from "../../format/usage.ts";
import type { Database, Statement } from "../native.ts";

/** What a row of `usage_quarters` stands for: a quarter of an hour, which every zone's day is made of. */
export const QUARTER_MS = 15 * 60 * 1000;

/** The quarter of an hour since 1970 that a time lies in. */
export function quarterOf(timestampMs: number): number {
  return Math.floor(timestampMs / QUARTER_MS);
}

/** The numbers of one place that holds usage that are added up. */
export type Spent = Pick<
  UsageNumbers,
  "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens" | "cost"
>;

export function zeroSums(): Sums {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0, requests: 0 };
}

/**
 * Adds one place that holds usage. Always in file order, one by one: floating-point sums then come out bit
 * for bit the same whether a file was indexed in one go or in a thousand.
 */
export function addTo(sums: Sums, spent: Spent): void {
  sums.input += spent.input;
  sums.output += spent.output;
  sums.cacheRead += spent.cacheRead;
  sums.cacheWrite += spent.cacheWrite;
  sums.totalTokens += spent.totalTokens;
  sums.cost += spent.cost;
  sums.requests += 1;
}

/**
 * When usage was spent, Unix ms: that of an entry without a time when its session was created. `usage-source.ts` says the
 * same in SQL.
 */
export function spentAt(timestamp: number | null, createdAt: number | null): number {
  return timestamp ?? createdAt ?? 0;
}

/** What a row of `usage_quarters` is about. */
export interface QuarterSlot {
  timestamp: number;
  provider: string | null;
  model: string | null;
  source: string;
  counted: boolean;
}

/** What is added up. The parts of the cost give the prices, and from those follows what the prompt cache saved. */
export type PricedSpent = Spent &
  Pick<UsageNumbers, "costInput" | "costOutput" | "costCacheRead" | "costCacheWrite">;

type SlotKey = [quarter: number, provider: string, model: string, source: string, counted: number];

const LOAD = `SELECT input, output, cache_read AS cacheRead, cache_write AS cacheWrite, total_tokens AS totalTokens,
  cost, requests, unpriced, priced_input AS pricedInput, priced_cache AS pricedCache, cost_input AS costInput, cost_cache_read AS costCacheRead,
  cost_cache_write AS costCacheWrite FROM usage_quarters
  WHERE file_id = ? AND quarter = ? AND provider = ? AND model = ? AND source = ? AND counted = ?`;

const SAVE = `INSERT OR REPLACE INTO usage_quarters (file_id, quarter, provider, model, source, counted,
  input, output, cache_read, cache_write, total_tokens, cost, requests, unpriced, priced_input, priced_cache,
  cost_input, cost_cache_read, cost_cache_write)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

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

  /** The roll-up of one file, to be added to and saved. Where the file has no rows yet nothing is loaded. */
  open(fileId: number, hasRows: boolean): Quarters {
    return new Quarters(
      (key) => (hasRows ? (this.#load.get(fileId, ...key) as PricedSums | undefined) : undefined),
      (key, sums) => this.#write(fileId, key, sums),
    );
  }

  /** The same, begun again from nothing. */
  restart(fileId: number): Quarters {
    this.#clear.run(fileId);
    return this.open(fileId, false);
  }

  #write(fileId: number, key: SlotKey, sums: PricedSums): void {
    this.#save.run(
      fileId,
      ...key,
      sums.input,
      sums.output,
      sums.cacheRead,
      sums.cacheWrite,
      sums.totalTokens,
      sums.cost,
      sums.requests,
      sums.unpriced,
      sums.pricedInput,
      sums.pricedCache,
      sums.costInput,
      sums.costCacheRead,
      sums.costCacheWrite,
    );
  }
}

interface Slot {
  key: SlotKey;
  sums: PricedSums;
}

export class Quarters {
  readonly #slots = new Map<string, Slot>();
  /** The slot used last: mostly the next row belongs there too. */
  #last: Slot | null = null;
  readonly #load: (key: SlotKey) => PricedSums | undefined;
  readonly #save: (key: SlotKey, sums: PricedSums) => void;

  constructor(
    load: (key: SlotKey) => PricedSums | undefined,
    save: (key: SlotKey, sums: PricedSums) => void,
  ) {
    this.#load = load;
    this.#save = save;
  }

  add(slot: QuarterSlot, spent: PricedSpent): void {
    const { sums } = this.#slotOf(slot);
    addTo(sums, spent);
    addPrices(sums, spent);
  }

  save(): void {
    for (const { key, sums } of this.#slots.values()) this.#save(key, sums);
  }

  #slotOf({ timestamp, provider, model, source, counted }: QuarterSlot): Slot {
    const key: SlotKey = [quarterOf(timestamp), provider ?? "", model ?? "", source, counted ? 1 : 0];
    if (this.#last === null || !isSameKey(this.#last.key, key)) this.#last = this.#find(key);
    return this.#last;
  }

  #find(key: SlotKey): Slot {
    const [, provider, model] = key;
    // With the lengths, because names may hold any character.
    const name = `${provider.length} ${model.length} ${key.join(" ")}`;
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot = { key, sums: this.#load(key) ?? noSums() };
    this.#slots.set(name, slot);
    return slot;
  }
}

function isSameKey(a: SlotKey, b: SlotKey): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3] && a[4] === b[4];
}

/** Each field is named: with `zeroSums` spread into it this would take 11 us, instead of a sixth of one. */
function noSums(): PricedSums {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: 0,
    requests: 0,
    unpriced: 0,
    pricedInput: 0,
    pricedCache: 0,
    costInput: 0,
    costCacheRead: 0,
    costCacheWrite: 0,
  };
}

function addPrices(sums: PricedSums, spent: PricedSpent): void {
  if (spent.cost === 0 && spent.totalTokens > 0) sums.unpriced++;
  if (spent.costInput > 0) sums.pricedInput += spent.input;
  const parts = spent.costInput + spent.costOutput + spent.costCacheRead + spent.costCacheWrite;
  if (parts > 0) sums.pricedCache += spent.cacheRead + spent.cacheWrite;
  sums.costInput += spent.costInput;
  sums.costCacheRead += spent.costCacheRead;
  sums.costCacheWrite += spent.costCacheWrite;
}

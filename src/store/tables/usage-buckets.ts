import type { PricedSpent, PricedSums, Spent, SpentOn, Sums } from "../../format/usage.ts";
import type { Database, Statement } from "../native.ts";
import type { Rows } from "./columns.ts";
import { columnOf, propertiesOf, RowInsert, selectList, valuesOf } from "./row-sql.ts";

/** What a row of `usage_quarters` stands for: a quarter of an hour, which every zone's day is made of. */
export const QUARTER_MS = 15 * 60 * 1000;

/** The quarter of an hour since 1970 that a time lies in. */
export function quarterOf(timestampMs: number): number {
  return Math.floor(timestampMs / QUARTER_MS);
}

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
 * When usage was spent, Unix ms: that of an entry without a time when its session was created.
 * `src/reports/usage/source.ts` says the same in SQL.
 */
export function spentAt(timestamp: number | null, createdAt: number | null): number {
  return timestamp ?? createdAt ?? 0;
}

type Bucket = Rows["usage_quarters"];

/** What tells the rows of a file apart. */
const KEY = ["quarter", "provider", "model", "source", "counted"] as const;

type BucketKey = Pick<Bucket, (typeof KEY)[number]>;

const WHOLE = selectList("usage_quarters", propertiesOf("usage_quarters"));
const HAS_KEY = KEY.map((name) => `${columnOf("usage_quarters", name)} = ?`).join(" AND ");
const LOAD = `SELECT ${WHOLE} FROM usage_quarters WHERE file_id = ? AND ${HAS_KEY}`;

/** Writes the roll-up of a file's usage by quarter of an hour. */
export class BucketTable {
  readonly #load: Statement;
  readonly #save: RowInsert<"usage_quarters">;
  readonly #clear: Statement;

  constructor(database: Database) {
    this.#load = database.prepare(LOAD);
    this.#save = new RowInsert(database, "usage_quarters", { replaces: true });
    this.#clear = database.prepare("DELETE FROM usage_quarters WHERE file_id = ?");
  }

  /** The roll-up of one file, to be added to and saved. Where the file has no rows yet nothing is loaded. */
  open(fileId: number, hasRows: boolean): Buckets {
    const load = (key: BucketKey) => this.#load.get(fileId, ...valuesOf(key, KEY)) as Bucket | undefined;
    return new Buckets(
      (key) => (hasRows ? load(key) : undefined) ?? newBucket(fileId, key),
      (bucket) => this.#save.run(bucket),
    );
  }

  /** That of a file, begun again from nothing. */
  restart(fileId: number): Buckets {
    this.#clear.run(fileId);
    return this.open(fileId, false);
  }
}

export class Buckets {
  readonly #buckets = new Map<string, Bucket>();
  /** The bucket used last: mostly the next row belongs there too. */
  #last: Bucket | null = null;
  readonly #open: (key: BucketKey) => Bucket;
  readonly #save: (bucket: Bucket) => unknown;

  constructor(open: (key: BucketKey) => Bucket, save: (bucket: Bucket) => unknown) {
    this.#open = open;
    this.#save = save;
  }

  add(slot: SpentOn, spent: PricedSpent): void {
    const bucket = this.#bucketOf(slot);
    addTo(bucket, spent);
    addPrices(bucket, spent);
  }

  save(): void {
    for (const bucket of this.#buckets.values()) this.#save(bucket);
  }

  #bucketOf({ timestamp, provider, model, source, counted }: SpentOn): Bucket {
    const key: BucketKey = {
      quarter: quarterOf(timestamp),
      provider: provider ?? "",
      model: model ?? "",
      source,
      counted: counted ? 1 : 0,
    };
    if (this.#last === null || !isOfKey(this.#last, key)) this.#last = this.#find(key);
    return this.#last;
  }

  #find(key: BucketKey): Bucket {
    // With the lengths, because names may hold any character.
    const name = `${key.provider.length} ${key.model.length} ${valuesOf(key, KEY).join(" ")}`;
    const known = this.#buckets.get(name);
    if (known !== undefined) return known;
    const bucket = this.#open(key);
    this.#buckets.set(name, bucket);
    return bucket;
  }
}

function isOfKey(bucket: Bucket, key: BucketKey): boolean {
  return KEY.every((name) => bucket[name] === key[name]);
}

function newBucket(fileId: number, { quarter, provider, model, source, counted }: BucketKey): Bucket {
  return {
    fileId,
    quarter,
    provider,
    model,
    source,
    counted,
    ...zeroSums(),
    unpriced: 0,
    pricedInput: 0,
    pricedCache: 0,
    costInput: 0,
    costCacheRead: 0,
    costCacheWrite: 0,
    costFromProvider: 0,
    timedRequests: 0,
    timedOutput: 0,
    durationMs: 0,
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
  sums.costFromProvider += spent.costFromProvider ?? 0;
  if (spent.durationMs === null) return;
  sums.timedRequests++;
  sums.timedOutput += spent.output;
  sums.durationMs += spent.durationMs;
}

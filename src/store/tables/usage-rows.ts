import type { EntryUsage, PricedSpent, SpentOn } from "../../format/usage.ts";
import type { Database, Statement } from "../native.ts";
import type { Index } from "../open.ts";
import { Dictionary } from "./dictionary.ts";
import type { EntryPlace } from "./entry-rows.ts";
import { RowInsert } from "./row-sql.ts";
import type { SessionRef } from "./session-ref.ts";
import { spentAt } from "./usage-buckets.ts";

/** Whether two rows of `usage`, `t` and `u`, are copies of one bill. */
export const SAME_BILL = "t.bill = u.bill AND t.stated_tokens = u.stated_tokens";

/** Whether two rows of `usage_rows` are. */
export const SAME_BILL_STATED = "t.bill = u.bill AND t.total_tokens = u.total_tokens";

/** What identifies the bill of a row `u` of `usage`. */
export const BILL = "u.bill, u.stated_tokens";

/** Stands for the time of a session that has none: it comes after all others. Unix ms. */
export const LAST = Number.MAX_SAFE_INTEGER;

/**
 * The order of copies, as SQL: the original is in the session that was created first, then in the file with the smaller
 * path, then stands further up. `session` and `file` are what the query calls those tables, `key` is the entry's.
 */
export function rankIn(session: string, file: string, key: string): string {
  return `coalesce(${session}.created_at, ${LAST}), ${file}.path, ${key}`;
}

/** What the order of copies depends on. */
export interface Rank {
  /** Of the session, Unix ms. */
  createdAt: number | null;
  path: string;
  /** Keys of one file rise in file order. */
  entryKey: number;
}

/** The order of `Rank`s: negative where `a` goes before `b`. */
export function compareRanks(a: Rank, b: Rank): number {
  const created = (a.createdAt ?? LAST) - (b.createdAt ?? LAST);
  if (created !== 0) return created;
  // As SQLite compares them, which is not by UTF-16 units.
  if (a.path !== b.path) return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
  return a.entryKey - b.entryKey;
}

/** The usage `u` of a file, with what counts of it, is found by way of its entries `e`. */
const USAGE_OF_FILE = "entry_rows e CROSS JOIN usage u ON u.entry_key = e.key";

/** As the file states it. */
export const STATED_USAGE_OF_FILE = "entry_rows e CROSS JOIN usage_rows u ON u.entry_key = e.key";

/** The bill of a new row. */
export interface NewBill {
  /** `billingKeyOf`. */
  key: number;
  /** What an entry without an id is called; null for one that has an id. */
  givenId: string | null;
  counted: boolean;
}

const SPENT_IN = `SELECT u.timestamp, u.provider, u.model, u.source, u.counted, u.input, u.output, u.cache_read,
  u.cache_write, u.total_tokens, u.cost, u.cost_input, u.cost_output, u.cost_cache_read, u.cost_cache_write,
  iif(u.accounted = 0, u.cost_from_provider, NULL), u.duration_ms, s.created_at
  FROM ${USAGE_OF_FILE} JOIN sessions s ON s.file_id = u.file_id
  WHERE e.file_id = ? ORDER BY u.entry_key`;

type SpentRow = [
  timestamp: number | null,
  provider: string | null,
  model: string | null,
  source: string,
  counted: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  totalTokens: number,
  cost: number,
  costInput: number,
  costOutput: number,
  costCacheRead: number,
  costCacheWrite: number,
  costFromProvider: number | null,
  durationMs: number | null,
  createdAt: number | null,
];

/** Writes the rows of usage, and reads those of a file. */
export class UsageTable {
  readonly #kinds: Dictionary<"usage_kinds">;
  readonly #insert: RowInsert<"usage_rows">;
  readonly #spentIn: Statement;

  constructor(database: Database) {
    this.#kinds = new Dictionary(database, "usage_kinds");
    this.#insert = new RowInsert(database, "usage_rows");
    this.#spentIn = database.prepare(SPENT_IN).raw();
  }

  insert(place: EntryPlace, timestamp: number | null, usage: EntryUsage, bill: NewBill): void {
    this.#insert.run({
      entryKey: place.key,
      fileId: place.fileId,
      givenId: bill.givenId,
      bill: bill.key,
      timestamp,
      kind: this.#kindOf(usage),
      input: usage.input,
      output: usage.output,
      cacheRead: usage.cacheRead,
      cacheWrite: usage.cacheWrite,
      cacheWrite1h: usage.cacheWrite1h,
      reasoning: usage.reasoning,
      totalTokens: usage.totalTokens,
      costInput: usage.costInput,
      costOutput: usage.costOutput,
      costCacheRead: usage.costCacheRead,
      costCacheWrite: usage.costCacheWrite,
      cost: usage.cost,
      costFromProvider: usage.costFromProvider,
      durationMs: usage.durationMs,
      counted: bill.counted ? 1 : 0,
      accounted: 0,
    });
  }

  /** All that a file's entries have spent, in file order, and what it is about. */
  *spentIn(fileId: number): Generator<{ slot: SpentOn; spent: PricedSpent }> {
    for (const row of this.#spentIn.iterate(fileId) as Iterable<SpentRow>) {
      const [timestamp, provider, model, source, counted, ...numbers] = row;
      const [input, output, cacheRead, cacheWrite, totalTokens, cost, ...rest] = numbers;
      const [costInput, costOutput, costCacheRead, costCacheWrite, costFromProvider, durationMs, createdAt] =
        rest;
      const costs = { cost, costInput, costOutput, costCacheRead, costCacheWrite, costFromProvider };
      const spent = { input, output, cacheRead, cacheWrite, totalTokens, durationMs, ...costs };
      const at = spentAt(timestamp, createdAt);
      yield { slot: { timestamp: at, provider, model, source, counted: counted === 1 }, spent };
    }
  }

  /** To be called at the beginning of each transaction, and when a part of one was undone. */
  reset(): void {
    this.#kinds.reset();
  }

  #kindOf({ source, provider, model, stopReason, thinkingLevel, flawed }: EntryUsage): number {
    return this.#kinds.idOf({
      source,
      provider,
      model,
      stopReason,
      thinkingLevel,
      flawed: flawed ? 1 : 0,
    });
  }
}

/** What one entry of a session has cost. */
export interface EntryCost {
  /** `entries.key`. */
  key: number;
  /** Unix ms. */
  timestamp: number | null;
  /** US dollars. */
  cost: number;
  totalTokens: number;
}

const COSTS = `SELECT e.key, e.timestamp, u.cost, u.total_tokens AS totalTokens
  FROM entries e JOIN usage u ON u.entry_key = e.key WHERE e.file_id = ? ORDER BY e.key`;

/** The entries of a session that hold usage, copied ones included, in file order. */
export function entryCosts(index: Index, session: SessionRef): EntryCost[] {
  return index.database.prepare(COSTS).all(session.fileId) as EntryCost[];
}

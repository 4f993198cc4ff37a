import type { Database, Statement } from "../../db/native.ts";
import { idHashOf } from "../../db/same-bill.ts";
import type { EntryUsage } from "../../format/usage.ts";
import { Kinds } from "./row-kinds.ts";
import type { EntryPlace } from "./rows.ts";

const INSERT = `INSERT INTO usage_rows (entry_key, file_id, given_id, id_hash, timestamp, kind, input, output, cache_read,
  cache_write, cache_write_1h, reasoning, total_tokens, cost_input, cost_output, cost_cache_read, cost_cache_write, cost,
  counted)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The usage `u` of a file is found by way of its entries `e`. */
export const USAGE_OF_FILE = "entry_rows e CROSS JOIN usage u ON u.entry_key = e.key";

const KIND = ["source", "provider", "model", "stop_reason", "flawed"];

/** What identifies a bill beside its numbers. */
export interface BillName {
  /** The entry's id, or what it is called when it has none. */
  entryId: string;
  hasOwnId: boolean;
  /** Unix ms. */
  timestamp: number | null;
}

/** Writes the rows of usage. */
export class UsageRows {
  readonly #kinds: Kinds;
  readonly #insert: Statement;

  constructor(database: Database) {
    this.#kinds = new Kinds(database, "usage_kinds", KIND);
    this.#insert = database.prepare(INSERT);
  }

  insert(
    place: EntryPlace,
    { entryId, hasOwnId, timestamp }: BillName,
    usage: EntryUsage,
    counted: boolean,
  ): void {
    this.#insert.run(
      place.key,
      place.fileId,
      hasOwnId ? null : entryId,
      idHashOf(entryId),
      timestamp,
      this.#kindOf(usage),
      usage.input,
      usage.output,
      usage.cacheRead,
      usage.cacheWrite,
      usage.cacheWrite1h,
      usage.reasoning,
      usage.totalTokens,
      usage.costInput,
      usage.costOutput,
      usage.costCacheRead,
      usage.costCacheWrite,
      usage.cost,
      counted ? 1 : 0,
    );
  }

  /** To be called at the beginning of each transaction, and when a part of one was undone. */
  forget(): void {
    this.#kinds.forget();
  }

  #kindOf({ source, provider, model, stopReason, flawed }: EntryUsage): number {
    return this.#kinds.idOf([source, provider, model, stopReason, flawed ? 1 : 0]);
  }
}

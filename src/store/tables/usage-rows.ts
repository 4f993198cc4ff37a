import type { EntryUsage } from "../../format/usage.ts";
import type { Database } from "../native.ts";
import { Dictionary } from "./dictionary.ts";
import type { EntryPlace } from "./entry-rows.ts";
import { RowInsert } from "./row-sql.ts";

/** What identifies a bill: forks copy entries with all of it. */
const IDENTITY = [
  ...["timestamp", "id_hash", "entry_id", "provider", "model"],
  ...["input", "output", "cache_read", "cache_write", "total_tokens"],
];

/** Whether a row `t` of `usage` is a copy of the bill of which `other` gives each column. */
export function sameBill(other: (column: string) => string): string {
  return IDENTITY.map((column) => `t.${column} IS ${other(column)}`).join(" AND ");
}

/** Whether two rows of `usage`, `t` and `u`, are copies of one bill. */
export const SAME_BILL = sameBill((column) => `u.${column}`);

/** What identifies the bill of a row `u` of `usage`. */
export const BILL = IDENTITY.map((column) => `u.${column}`).join(", ");

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

/** 15 bits of an id: enough to tell entries of the same time apart, in two bytes of each row and of its SQL index. */
export function idHashOf(entryId: string): number {
  let hash = 0;
  for (let at = 0; at < entryId.length; at++) hash = (Math.imul(hash, 31) + entryId.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 16)) & 0x7fff;
}

/** The usage `u` of a file is found by way of its entries `e`. */
export const USAGE_OF_FILE = "entry_rows e CROSS JOIN usage u ON u.entry_key = e.key";

/** What identifies a bill beside its numbers. */
export interface BillName {
  /** The entry's id, or what it is called when it has none. */
  entryId: string;
  hasOwnId: boolean;
  /** Unix ms. */
  timestamp: number | null;
}

/** Writes the rows of usage. */
export class UsageTable {
  readonly #kinds: Dictionary<"usage_kinds">;
  readonly #insert: RowInsert<"usage_rows">;

  constructor(database: Database) {
    this.#kinds = new Dictionary(database, "usage_kinds");
    this.#insert = new RowInsert(database, "usage_rows");
  }

  insert(
    place: EntryPlace,
    { entryId, hasOwnId, timestamp }: BillName,
    usage: EntryUsage,
    counted: boolean,
  ): void {
    this.#insert.run({
      entryKey: place.key,
      fileId: place.fileId,
      givenId: hasOwnId ? null : entryId,
      idHash: idHashOf(entryId),
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
      counted: counted ? 1 : 0,
    });
  }

  /** To be called at the beginning of each transaction, and when a part of one was undone. */
  reset(): void {
    this.#kinds.reset();
  }

  #kindOf({ source, provider, model, stopReason, flawed }: EntryUsage): number {
    return this.#kinds.idOf({ source, provider, model, stopReason, flawed: flawed ? 1 : 0 });
  }
}

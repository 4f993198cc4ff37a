import type { EntryUsage } from "../../format/usage.ts";
import type { Database, Statement } from "../native.ts";
import { Kinds } from "./dictionary.ts";
import type { EntryPlace } from "./entry-rows.ts";

/** What identifies a bill: forks copy entries with all of it. */
const COLUMNS = [
  ...["timestamp", "id_hash", "entry_id", "provider", "model"],
  ...["input", "output", "cache_read", "cache_write", "total_tokens"],
];

/** Whether a row `t` of `usage` is a copy of the bill of which `other` gives each column. */
export function sameBill(other: (column: string) => string): string {
  return COLUMNS.map((column) => `t.${column} IS ${other(column)}`).join(" AND ");
}

/** Whether two rows of `usage`, `t` and `u`, are copies of one bill. */
export const SAME_BILL = sameBill((column) => `u.${column}`);

/** What identifies the bill of a row `u` of `usage`. */
export const BILL = COLUMNS.map((column) => `u.${column}`).join(", ");

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

/** The same order: negative where `a` goes before `b`. */
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

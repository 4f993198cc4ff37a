import type { Database } from "../db/native.ts";
import { prepared } from "../db/prepared.ts";
import { type Condition, whereClause } from "./conditions.ts";
import type { Found } from "./found.ts";
import type { SearchSort } from "./search-sort.ts";

/** What is looked for in the full text. */
export interface WordSearch {
  /** In the full-text index's own language. */
  expression: string;
  /** Upon `entries e`, `sessions s` and `files f`. */
  conditions: Condition[];
  /** Only sessions below these folders. */
  roots: string[] | undefined;
  sort: SearchSort;
  /** `Infinity`: all. */
  limit: number;
  /** Unix ms. */
  now: number;
}

/** What conditions upon sessions and files need beside `entries e`; a look at each hit's session costs as much again. */
export function joinsFor(conditions: Condition[]): string {
  const needsSession = conditions.some(({ sql }) => /\b[sf]\./.test(sql));
  return needsSession
    ? "CROSS JOIN sessions s ON s.file_id = e.file_id CROSS JOIN files f ON f.id = e.file_id"
    : "";
}

/** The clauses that bring a hit's entry. The full text is asked first: it cannot be asked for single entries. */
export function clausesOf({ expression, conditions }: WordSearch, ...more: Condition[]): Condition {
  const where = whereClause([{ sql: "t.entry_text MATCH ?", values: [expression] }, ...more, ...conditions]);
  const joins = `CROSS JOIN entries e ON e.key = t.rowid ${joinsFor(conditions)}`;
  return { sql: `FROM search.entry_text t ${joins} ${where.sql}`, values: where.values };
}

/** Rows of key, timestamp and entry id. */
export function toFound(rows: unknown[]): Found[] {
  return (rows as [number, number | null, string | null][]).map(([key, timestamp, entryId]) => ({
    ...{ key, timestamp, entryId },
    score: 0,
  }));
}

const HOLDS_REMOVED = `SELECT coalesce(max(seq), 0) > coalesce((SELECT CAST(value AS INTEGER) FROM search.meta
  WHERE name = 'removed_seq'), 0) FROM removed_keys`;

/** Whether the full text still holds entries that are gone. */
export function holdsRemoved(reader: Database): boolean {
  return prepared(reader, HOLDS_REMOVED).pluck().get() === 1;
}

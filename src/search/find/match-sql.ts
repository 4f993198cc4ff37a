import { type Condition, isUpon, whereClause } from "../../filters/where.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import type { SearchSort } from "../query/search-sort.ts";
import { type Found, unscored } from "./matches.ts";

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

/** Joins, but only for conditions that need them: looking up each hit's session costs as much again as finding the hit. */
export function joinsForHits(conditions: Condition[]): string {
  return conditions.some(isUponSession)
    ? "CROSS JOIN sessions s ON s.file_id = e.file_id CROSS JOIN files f ON f.id = e.file_id"
    : "";
}

function isUponSession(condition: Condition): boolean {
  return isUpon("s", condition) || isUpon("f", condition);
}

/** The clauses that find hits with their entries. The full text comes first: it cannot be asked about single entries. */
export function clausesOf({ expression, conditions }: WordSearch, ...more: Condition[]): Condition {
  const where = whereClause([{ sql: MATCHES, values: [expression] }, ...more, ...conditions]);
  return { sql: `FROM ${HITS} ${joinsForHits(conditions)} ${where.sql}`, values: where.values };
}

/**
 * The clauses that find very many hits: conditions upon sessions are checked once for all sessions, instead of for every hit.
 */
export function clausesOfMany({ expression, conditions }: WordSearch): Condition {
  const where = whereClause([
    { sql: MATCHES, values: [expression] },
    ...conditions.filter((condition) => !isUponSession(condition)),
    ...oneOfSessions(conditions.filter(isUponSession)),
  ]);
  return { sql: `FROM ${HITS} ${where.sql}`, values: where.values };
}

const HITS = "search.entry_text t CROSS JOIN entries e ON e.key = t.rowid";
const MATCHES = "t.entry_text MATCH ?";

function oneOfSessions(conditions: Condition[]): Condition[] {
  if (conditions.length === 0) return [];
  const { sql, values } = whereClause(conditions);
  const sessions = "SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id";
  return [{ sql: `e.file_id IN (${sessions} ${sql})`, values }];
}

/** Entries of known keys. The `+` makes SQLite go through the full text once, instead of asking it about each key. */
export function isAmong(keys: number[]): Condition {
  return { sql: "+t.rowid IN (SELECT value FROM json_each(?))", values: [JSON.stringify(keys)] };
}

/** Rows of key, timestamp and entry id. */
export function toFound(rows: unknown[]): Found[] {
  return (rows as [number, number | null, string | null][]).map(([key, timestamp, entryId]) =>
    unscored({ key, timestamp, entryId }),
  );
}

const HOLDS_REMOVED = `SELECT coalesce(max(seq), 0) > coalesce((SELECT CAST(value AS INTEGER) FROM search.meta
  WHERE name = 'removed_seq'), 0) FROM removed_keys`;

/** Whether the full text still holds entries that are gone. */
export function holdsRemoved(reader: Database): boolean {
  return prepared(reader, HOLDS_REMOVED).pluck().get() === 1;
}

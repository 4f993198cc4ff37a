import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";

const LOSSES = `SELECT (SELECT value FROM meta WHERE name = 'index_id') || ':' ||
  (SELECT coalesce(max(seq), 0) FROM removed_keys)`;

/**
 * Differs from what it was when rows may have gone from the index since. What was found to be up to date is so no longer
 * then: another process may empty the index at any moment, to fill it anew.
 */
export function lossMark(database: Database): string {
  return String(prepared(database, LOSSES).pluck().get());
}

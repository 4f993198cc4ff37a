import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";

const LOSSES = `SELECT (SELECT value FROM meta WHERE name = 'index_id') || ':' ||
  (SELECT coalesce(max(seq), 0) FROM removed_keys)`;

/**
 * Changes whenever rows may have been removed from the index. What was found to be up to date before need not be so
 * after: another process may empty the index at any moment, to fill it anew.
 */
export function lossMark(database: Database): string {
  return String(prepared(database, LOSSES).pluck().get());
}

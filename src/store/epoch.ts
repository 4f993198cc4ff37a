import type { Database } from "./native.ts";
import { prepared } from "./statements.ts";

const DELETION_EPOCH = `SELECT (SELECT value FROM meta WHERE name = 'index_id') || ':' ||
  (SELECT coalesce(max(seq), 0) FROM removed_keys)`;

/**
 * A text that changes whenever rows may have been removed from the index. When it has changed, what was up to date before
 * need not be so any more: another process may empty the index at any moment, to fill it anew.
 */
export function deletionEpoch(database: Database): string {
  return String(prepared(database, DELETION_EPOCH).pluck().get());
}

/** The id of an index. One that is made anew has another. */
export function indexIdOf(database: Database): string {
  return String(prepared(database, "SELECT value FROM main.meta WHERE name = 'index_id'").pluck().get());
}

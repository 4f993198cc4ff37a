import type { Database } from "./native.ts";

/** The id of an index, which one that is made anew does not share. */
export function indexIdOf(database: Database): string {
  return String(database.prepare("SELECT value FROM meta WHERE name = 'index_id'").pluck().get());
}

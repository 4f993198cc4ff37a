import type { Database } from "./native.ts";

/** The id of an index. One that is made anew has another. */
export function indexIdOf(database: Database): string {
  return String(database.prepare("SELECT value FROM meta WHERE name = 'index_id'").pluck().get());
}

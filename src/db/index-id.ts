import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";

/** The id of an index. One that is made anew has another. */
export function indexIdOf(database: Database): string {
  return String(prepared(database, "SELECT value FROM main.meta WHERE name = 'index_id'").pluck().get());
}

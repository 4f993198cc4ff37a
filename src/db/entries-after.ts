import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";

/** More keys than this are not counted entry by entry: that would take longer than a search, or a slice of the feed. */
const COUNTED_KEYS = 10_000;

const LAST_KEY = "SELECT max(key) FROM entries";
const LATER = "SELECT count(*) FROM entries WHERE key > ?";

/** How many entries have a key after this one; where they are very many, estimated by their keys. */
export function entriesAfter(database: Database, key: number): number {
  const keys = Number(prepared(database, LAST_KEY).pluck().get() ?? 0) - key;
  return keys > COUNTED_KEYS ? keys : Number(prepared(database, LATER).pluck().get(key));
}

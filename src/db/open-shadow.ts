import { type OpenOptions, openConnection } from "../store/connection.ts";
import type { IndexLocation } from "../store/location.ts";
import type { Database } from "../store/native.ts";

/**
 * A connection that may write the tables FTS5 keeps the full text in, which SQLite forbids to all others. FTS5 remembers
 * what it has read of these tables, and only the commits of other connections tell it that they have changed: so this
 * connection must never query the full text itself. The full text has to be there; whoever opens it closes it.
 *
 * @throws SQLite's errors; `ENOENT`
 */
export function openShadow({ searchPath }: IndexLocation, options: OpenOptions): Database {
  return openConnection(searchPath, options).unsafeMode(true);
}

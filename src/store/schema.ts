import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/*
 * The tables of the index, and the views that say in full what `entry_rows`, `message_rows` and `usage_rows` hold, for
 * drizzle-kit and for users of `pi-sessiondb/schema`. Their names are part of the public interface. Times are Unix
 * milliseconds, money is US dollars, offsets and lengths are bytes; `0`/`1` columns are booleans. Nothing of this is loaded
 * at run time, because drizzle takes 83 to 106 ms to load: `tables/columns.ts` has the names.
 */

export {
  entries,
  entryKinds,
  entryRows,
  keyLots,
  messageRows,
  messages,
  removedKeys,
  subagents,
  toolCalls,
  turningEntries,
} from "./schema/entry-tables.ts";
export { files, labels, malformedLines, projects, sessions } from "./schema/session-tables.ts";
export { unaccountedUsage, usage, usageKinds, usageQuarters, usageRows } from "./schema/usage-tables.ts";

/** Facts about the database itself, by name. */
export const meta = sqliteTable("meta", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});

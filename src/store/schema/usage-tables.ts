import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, sqliteView, text } from "drizzle-orm/sqlite-core";
import { entryRows } from "./entry-tables.ts";
import { files, sumColumns } from "./session-tables.ts";

/** What one place that holds usage states, as `UsageNumbers` has it. */
const numberColumns = {
  input: integer("input").notNull(),
  output: integer("output").notNull(),
  cacheRead: integer("cache_read").notNull(),
  cacheWrite: integer("cache_write").notNull(),
  cacheWrite1h: integer("cache_write_1h").notNull(),
  reasoning: integer("reasoning").notNull(),
  totalTokens: integer("total_tokens").notNull(),
  costInput: real("cost_input").notNull(),
  costOutput: real("cost_output").notNull(),
  costCacheRead: real("cost_cache_read").notNull(),
  costCacheWrite: real("cost_cache_write").notNull(),
  cost: real("cost").notNull(),
};

/** What many places that hold usage have in common, each combination once. */
export const usageKinds = sqliteTable(
  "usage_kinds",
  {
    id: integer("id").primaryKey(),
    source: text("source").notNull(),
    provider: text("provider"),
    model: text("model"),
    stopReason: text("stop_reason"),
    flawed: integer("flawed").notNull(),
    thinkingLevel: text("thinking_level"),
  },
  (table) => [
    index("usage_kinds_by_content").on(
      table.source,
      table.provider,
      table.model,
      table.stopReason,
      table.thinkingLevel,
      table.flawed,
    ),
  ],
);

/** One row for each place that holds usage, with what the file states; the view `usage` has what counts of it. */
export const usageRows = sqliteTable(
  "usage_rows",
  {
    entryKey: integer("entry_key")
      .primaryKey()
      .references(() => entryRows.key, { onDelete: "cascade" }),
    fileId: integer("file_id").notNull(),
    /** What an entry without an id is called. */
    givenId: text("given_id"),
    /** `billingKeyOf`: what copies of one request share. */
    bill: integer("bill").notNull(),
    timestamp: integer("timestamp"),
    kind: integer("kind").notNull(),
    ...numberColumns,
    costFromProvider: real("cost_from_provider"),
    durationMs: integer("duration_ms"),
    counted: integer("counted").notNull(),
    /** How much of it sessions of sub-agents account for: 0 nothing, 1 a part, 2 all. */
    accounted: integer("accounted").notNull().default(0),
  },
  (table) => [
    // A bill begins with its time, so that the entries of one session stand together and a file touches few pages.
    // `counted` is part of it so that of a thousand forks the one that counts is found without a look at the others.
    index("usage_by_bill").on(table.bill, table.counted, table.fileId),
    // The few files with results that sub-agents' sessions account for.
    index("usage_accounted").on(table.fileId).where(sql`accounted <> 0`),
  ],
);

/**
 * What counts of a tool result that states the usage of sub-agents of which some have sessions in the index: what those
 * do not account for, of each number. Only where that is more than nothing.
 */
export const unaccountedUsage = sqliteTable("unaccounted_usage", {
  entryKey: integer("entry_key")
    .primaryKey()
    .references(() => usageRows.entryKey, { onDelete: "cascade" }),
  ...numberColumns,
});

/** Usage added up by quarter of an hour, which is a part of every zone's day. */
export const usageQuarters = sqliteTable(
  "usage_quarters",
  {
    fileId: integer("file_id")
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    quarter: integer("quarter").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    source: text("source").notNull(),
    counted: integer("counted").notNull(),
    ...sumColumns,
    /** Requests that state tokens and no cost. */
    unpriced: integer("unpriced").notNull().default(0),
    /** Input tokens whose cost is stated. */
    pricedInput: integer("priced_input").notNull().default(0),
    /** Tokens of cache read and written by requests that state the parts of their cost. */
    pricedCache: integer("priced_cache").notNull().default(0),
    costInput: real("cost_input").notNull().default(0),
    costCacheRead: real("cost_cache_read").notNull().default(0),
    costCacheWrite: real("cost_cache_write").notNull().default(0),
    /** Requests of which is known how long they took, and their output. */
    timedRequests: integer("timed_requests").notNull().default(0),
    timedOutput: integer("timed_output").notNull().default(0),
    durationMs: integer("duration_ms").notNull().default(0),
    /** The part of the cost that the provider itself has stated. */
    costFromProvider: real("cost_from_provider").notNull().default(0),
  },
  (table) => [
    primaryKey({
      columns: [table.fileId, table.quarter, table.provider, table.model, table.source, table.counted],
    }),
  ],
);

/**
 * Every place that holds usage which no sub-agent's session accounts for, with what counts of it. Add up rows with
 * `counted = 1` only: the others are copies in forks.
 */
export const usage = sqliteView("usage", {
  entryKey: integer("entry_key").notNull(),
  fileId: integer("file_id").notNull(),
  entryId: text("entry_id").notNull(),
  timestamp: integer("timestamp"),
  source: text("source").notNull(),
  provider: text("provider"),
  model: text("model"),
  stopReason: text("stop_reason"),
  thinkingLevel: text("thinking_level"),
  ...numberColumns,
  costFromProvider: real("cost_from_provider"),
  durationMs: integer("duration_ms"),
  flawed: integer("flawed").notNull(),
  counted: integer("counted").notNull(),
  accounted: integer("accounted").notNull(),
  kind: integer("kind").notNull(),
  bill: integer("bill").notNull(),
  statedTokens: integer("stated_tokens").notNull(),
}).existing();

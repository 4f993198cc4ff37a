import { index, integer, primaryKey, real, sqliteTable, sqliteView, text } from "drizzle-orm/sqlite-core";
import { entryRows } from "./entry-tables.ts";
import { files, sumColumns } from "./session-tables.ts";

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
  },
  (table) => [
    index("usage_kinds_by_content").on(
      table.source,
      table.provider,
      table.model,
      table.stopReason,
      table.flawed,
    ),
  ],
);

/** One row for each place that holds usage, as it is stored; the view `usage` says all of it. */
export const usageRows = sqliteTable(
  "usage_rows",
  {
    entryKey: integer("entry_key")
      .primaryKey()
      .references(() => entryRows.key, { onDelete: "cascade" }),
    fileId: integer("file_id").notNull(),
    /** What an entry without an id is called. */
    givenId: text("given_id"),
    /** A hash of the entry's id or its `given_id`: tells entries of the same time apart. */
    idHash: integer("id_hash").notNull(),
    timestamp: integer("timestamp"),
    kind: integer("kind").notNull(),
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
    counted: integer("counted").notNull(),
  },
  (table) => [
    // The time comes first, so that the entries of one session stand together and a file touches few pages. `counted` is
    // part of it so that of a thousand forks the one that counts is found without a look at the others.
    index("usage_by_identity").on(table.timestamp, table.idHash, table.counted),
  ],
);

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
  },
  (table) => [
    primaryKey({
      columns: [table.fileId, table.quarter, table.provider, table.model, table.source, table.counted],
    }),
  ],
);

/** Every place that holds usage. Add up rows with `counted = 1` only: the others are copies in forks. */
export const usage = sqliteView("usage", {
  entryKey: integer("entry_key").notNull(),
  fileId: integer("file_id").notNull(),
  entryId: text("entry_id").notNull(),
  timestamp: integer("timestamp"),
  source: text("source").notNull(),
  provider: text("provider"),
  model: text("model"),
  stopReason: text("stop_reason"),
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
  flawed: integer("flawed").notNull(),
  counted: integer("counted").notNull(),
  kind: integer("kind").notNull(),
  idHash: integer("id_hash").notNull(),
}).existing();

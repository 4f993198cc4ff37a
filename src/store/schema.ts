import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  sqliteView,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { LONG_LINE_BYTES } from "./schema/limits.ts";

/**
 * The tables of the index, and the views that say in full what `entry_rows`, `message_rows` and `usage_rows` hold. Their
 * names are part of the public interface. Times are Unix milliseconds, money is US dollars, offsets and lengths are
 * bytes; `0`/`1` columns are booleans.
 */

const sumColumns = {
  input: integer("input").notNull().default(0),
  output: integer("output").notNull().default(0),
  cacheRead: integer("cache_read").notNull().default(0),
  cacheWrite: integer("cache_write").notNull().default(0),
  totalTokens: integer("total_tokens").notNull().default(0),
  cost: real("cost").notNull().default(0),
  requests: integer("requests").notNull().default(0),
};

/** Facts about the database itself, by name. */
export const meta = sqliteTable("meta", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
});

/**
 * One row for each `*.jsonl` or `*.json` file that was found below a root: what was seen of it, and the Cursor up to
 * which the index has read it.
 */
export const files = sqliteTable(
  "files",
  {
    id: integer("id").primaryKey(),
    path: text("path").notNull(),
    realPath: text("real_path").notNull(),
    device: real("device").notNull(),
    inode: real("inode").notNull(),
    size: integer("size").notNull(),
    mtimeMs: real("mtime_ms").notNull(),
    ctimeMs: real("ctime_ms").notNull(),
    settled: integer("settled").notNull().default(0),
    status: text("status", { enum: ["session", "not_session", "empty", "unreadable", "failed"] }).notNull(),
    error: text("error"),
    offset: integer("offset").notNull().default(0),
    provisionalLength: integer("provisional_length").notNull().default(0),
    lines: integer("lines").notNull().default(0),
    headFingerprint: integer("head_fingerprint").notNull().default(0),
    tailFingerprint: integer("tail_fingerprint").notNull().default(0),
    wholeFingerprint: integer("whole_fingerprint").notNull().default(0),
    generation: integer("generation").notNull().default(1),
    malformedLines: integer("malformed_lines").notNull().default(0),
    indexedAt: integer("indexed_at").notNull(),
    overtakes: integer("overtakes").notNull().default(0),
  },
  (table) => [
    uniqueIndex("files_by_real_path").on(table.realPath),
    index("files_by_path").on(table.path),
    // The few files that every sync reports.
    index("files_troubled").on(table.status).where(sql`malformed_lines > 0 OR status <> 'session'`),
  ],
);

/** One row for each session: the header, and totals kept up to date as entries arrive. */
export const sessions = sqliteTable(
  "sessions",
  {
    fileId: integer("file_id")
      .primaryKey()
      .references(() => files.id, { onDelete: "cascade" }),
    sessionId: text("session_id").notNull(),
    cwd: text("cwd").notNull(),
    version: integer("version").notNull(),
    createdAt: integer("created_at"),
    modifiedAt: integer("modified_at").notNull(),
    lastActivityAt: integer("last_activity_at"),
    name: text("name"),
    title: text("title").notNull(),
    firstMessageKey: integer("first_message_key"),
    messageCount: integer("message_count").notNull().default(0),
    entryCount: integer("entry_count").notNull().default(0),
    branchCount: integer("branch_count").notNull().default(0),
    leafKey: integer("leaf_key"),
    leafId: text("leaf_id"),
    walkByText: integer("walk_by_text").notNull().default(0),
    irregular: integer("irregular").notNull().default(0),
    parentSession: text("parent_session"),
    origin: text("origin", { enum: ["interactive", "fork", "subagent"] }).notNull(),
    lastProvider: text("last_provider"),
    lastModel: text("last_model"),
    models: text("models").notNull().default("[]"),
    ...sumColumns,
    inheritedInput: integer("inherited_input").notNull().default(0),
    inheritedOutput: integer("inherited_output").notNull().default(0),
    inheritedCacheRead: integer("inherited_cache_read").notNull().default(0),
    inheritedCacheWrite: integer("inherited_cache_write").notNull().default(0),
    inheritedTotalTokens: integer("inherited_total_tokens").notNull().default(0),
    inheritedCost: real("inherited_cost").notNull().default(0),
    inheritedRequests: integer("inherited_requests").notNull().default(0),
  },
  (table) => [
    index("sessions_by_session_id").on(table.sessionId),
    index("sessions_by_modified").on(table.modifiedAt),
    index("sessions_by_cwd").on(table.cwd),
  ],
);

/**
 * What many entries have in common, each combination once. Repeated in every row it would take a third of the room of all
 * rows, and a fifth of the time of writing them.
 */
export const entryKinds = sqliteTable(
  "entry_kinds",
  {
    id: integer("id").primaryKey(),
    type: text("type").notNull(),
    role: text("role"),
    provider: text("provider"),
    model: text("model"),
    toolName: text("tool_name"),
    isError: integer("is_error").notNull(),
    hasImage: integer("has_image").notNull(),
    customType: text("custom_type"),
  },
  (table) => [
    index("entry_kinds_by_content").on(
      table.type,
      table.role,
      table.provider,
      table.model,
      table.toolName,
      table.isError,
      table.hasImage,
      table.customType,
    ),
  ],
);

/** One row for each entry, in file order by `key`, as it is stored; the view `entries` says all of it. */
export const entryRows = sqliteTable(
  "entry_rows",
  {
    key: integer("key").primaryKey(),
    fileId: integer("file_id")
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    line: integer("line").notNull(),
    offset: integer("offset").notNull(),
    length: integer("length").notNull(),
    entryId: text("entry_id"),
    parentKey: integer("parent_key"),
    /** Id of a parent that is no entry of the file: all others are found by their keys. */
    unknownParent: text("unknown_parent"),
    kind: integer("kind").notNull(),
    timestamp: integer("timestamp"),
    targetId: text("target_id"),
    /** NULL where it is how the message's text begins. */
    preview: text("preview"),
  },
  (table) => [
    index("entries_by_id").on(table.fileId, table.entryId),
    // Entries whose parent is not the one right before them: the walk along a branch goes from one of them to the next.
    index("entries_jumps").on(table.fileId).where(sql`parent_key IS NOT key - 1`),
    // The children of an entry, but for a child that comes right after it, which is found by its key. The file comes first:
    // a partial index that began with the parent would keep SQLite from making a full one for queries that go downwards.
    index("entries_branching").on(table.fileId, table.parentKey).where(sql`parent_key IS NOT key - 1`),
    // Entries that may hold more than the full text takes in of one text.
    index("entries_long")
      .on(table.fileId)
      .where(sql`length > ${sql.raw(String(LONG_LINE_BYTES))}`),
  ],
);

/**
 * The few entries on which the context of what comes after them depends, found without walking to the root: compactions,
 * and changes of model and thinking level.
 */
export const turningEntries = sqliteTable(
  "turning_entries",
  {
    fileId: integer("file_id")
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    key: integer("key").notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.key] })],
);

/** The text of user and assistant messages (`keptOf`), as it is stored; the view `messages` has the role beside it. */
export const messageRows = sqliteTable("message_rows", {
  entryKey: integer("entry_key")
    .primaryKey()
    .references(() => entryRows.key, { onDelete: "cascade" }),
  text: text("text").notNull(),
});

/** One row for each tool call, with the result that answered it. */
export const toolCalls = sqliteTable(
  "tool_calls",
  {
    key: integer("key").primaryKey(),
    fileId: integer("file_id").notNull(),
    callId: text("call_id").notNull(),
    name: text("name").notNull(),
    path: text("path"),
    callKey: integer("call_key")
      .notNull()
      .references(() => entryRows.key, { onDelete: "cascade" }),
    resultKey: integer("result_key"),
    isError: integer("is_error"),
    durationMs: integer("duration_ms"),
  },
  (table) => [
    // Only calls that still wait for their result are ever looked up by id: the last message that makes one, of one tool or
    // of any.
    index("tool_calls_open")
      .on(table.fileId, table.callId, table.name, table.callKey)
      .where(sql`result_key IS NULL`),
    index("tool_calls_open_of_any_tool")
      .on(table.fileId, table.callId, table.callKey)
      .where(sql`result_key IS NULL`),
    index("tool_calls_by_call").on(table.callKey),
  ],
);

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

/** The label an entry carries now, and since when. */
export const labels = sqliteTable(
  "labels",
  {
    fileId: integer("file_id")
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    targetId: text("target_id").notNull(),
    label: text("label").notNull(),
    labelKey: integer("label_key").notNull(),
    timestamp: integer("timestamp"),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.targetId] })],
);

/** Lines of a session file that are not entries: where they are, so that they can be looked at. */
export const malformedLines = sqliteTable(
  "malformed_lines",
  {
    fileId: integer("file_id")
      .notNull()
      .references(() => files.id, { onDelete: "cascade" }),
    line: integer("line").notNull(),
    offset: integer("offset").notNull(),
    length: integer("length").notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.offset] })],
);

/** Keys of entries that are gone, for the full text to forget. When it has, a purge deletes the row. */
export const removedKeys = sqliteTable("removed_keys", {
  seq: integer("seq").primaryKey(),
  firstKey: integer("first_key").notNull(),
  lastKey: integer("last_key").notNull(),
});

/**
 * The keys of entries that were handed out together. An index that was put back to an earlier state may hand out the same
 * keys again, but with another token. A purge deletes the lots that the full text has left behind.
 */
export const keyLots = sqliteTable("key_lots", {
  firstKey: integer("first_key").primaryKey(),
  token: integer("token").notNull(),
});

/** Every entry, in file order by `key`; the entry itself is read from the file by offset. */
export const entries = sqliteView("entries", {
  key: integer("key").notNull(),
  fileId: integer("file_id").notNull(),
  line: integer("line").notNull(),
  offset: integer("offset").notNull(),
  length: integer("length").notNull(),
  entryId: text("entry_id"),
  parentId: text("parent_id"),
  parentKey: integer("parent_key"),
  type: text("type").notNull(),
  role: text("role"),
  timestamp: integer("timestamp"),
  provider: text("provider"),
  model: text("model"),
  toolName: text("tool_name"),
  isError: integer("is_error").notNull(),
  hasImage: integer("has_image").notNull(),
  customType: text("custom_type"),
  targetId: text("target_id"),
  preview: text("preview").notNull(),
  kind: integer("kind").notNull(),
}).existing();

/** What people and models said: the whole text of user and assistant messages. */
export const messages = sqliteView("messages", {
  entryKey: integer("entry_key").notNull(),
  role: text("role", { enum: ["user", "assistant"] }).notNull(),
  text: text("text").notNull(),
}).existing();

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

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, sqliteView, text } from "drizzle-orm/sqlite-core";
import { LONG_LINE_BYTES } from "./limits.ts";
import { files } from "./session-tables.ts";

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
    /** 1 for an entry that was found within a damaged line. */
    recovered: integer("recovered").notNull().default(0),
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
      table.recovered,
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

/** Runs of sub-agents that tool results and messages of extensions tell of. */
export const subagents = sqliteTable(
  "subagents",
  {
    entryKey: integer("entry_key")
      .notNull()
      .references(() => entryRows.key, { onDelete: "cascade" }),
    /** From 0 on, in the order of the file. */
    run: integer("run").notNull(),
    fileId: integer("file_id").notNull(),
    agent: text("agent"),
    sessionFile: text("session_file"),
    /** That the name of the file ends with, by which it is found again where it was moved. */
    sessionId: text("session_id"),
    childFileId: integer("child_file_id"),
  },
  (table) => [
    primaryKey({ columns: [table.entryKey, table.run] }),
    index("subagents_by_file").on(table.fileId),
    index("subagents_by_session_file").on(table.sessionFile),
    index("subagents_by_session_id").on(table.sessionId),
    index("subagents_by_child").on(table.childFileId).where(sql`child_file_id IS NOT NULL`),
  ],
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
  recovered: integer("recovered").notNull(),
  kind: integer("kind").notNull(),
}).existing();

/** What people and models said: the whole text of user and assistant messages. */
export const messages = sqliteView("messages", {
  entryKey: integer("entry_key").notNull(),
  role: text("role", { enum: ["user", "assistant"] }).notNull(),
  text: text("text").notNull(),
}).existing();

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

/** Sums of usage, as sessions and the roll-up have them. */
export const sumColumns = {
  input: integer("input").notNull().default(0),
  output: integer("output").notNull().default(0),
  cacheRead: integer("cache_read").notNull().default(0),
  cacheWrite: integer("cache_write").notNull().default(0),
  totalTokens: integer("total_tokens").notNull().default(0),
  cost: real("cost").notNull().default(0),
  requests: integer("requests").notNull().default(0),
};

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
    origin: text("origin", { enum: ["interactive", "fork", "handoff", "subagent"] }).notNull(),
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
    /** As the header states it, under whatever name. */
    parentPath: text("parent_path"),
    parentFileId: integer("parent_file_id"),
    /** The session of a person that a sub-agent works for, however far up; the session itself where it is one. */
    rootFileId: integer("root_file_id").notNull().default(0),
    agent: text("agent"),
    /** Whether it holds entries from before it was created. */
    copied: integer("copied").notNull().default(0),
  },
  (table) => [
    index("sessions_by_session_id").on(table.sessionId),
    index("sessions_by_modified").on(table.modifiedAt),
    index("sessions_by_cwd").on(table.cwd),
    index("sessions_by_root").on(table.rootFileId),
    index("sessions_by_parent").on(table.parentFileId).where(sql`parent_file_id IS NOT NULL`),
    index("sessions_orphans").on(table.fileId).where(sql`origin = 'subagent' AND parent_file_id IS NULL`),
    index("sessions_by_parent_path").on(table.parentPath).where(sql`parent_path IS NOT NULL`),
  ],
);

/** What is known of each working directory that sessions state: which project it is, by whichever of its names. */
export const projects = sqliteTable(
  "projects",
  {
    cwd: text("cwd").primaryKey(),
    project: text("project").notNull(),
    place: text("place").notNull(),
    remote: text("remote"),
    inside: text("inside").notNull(),
    alias: text("alias"),
    lookedAt: integer("looked_at").notNull(),
  },
  (table) => [
    index("projects_by_project").on(table.project),
    index("projects_by_remote").on(table.remote).where(sql`remote IS NOT NULL`),
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

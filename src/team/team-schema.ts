import {
  bigint,
  customType,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgSchema,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

/*
 * The tables of a team's database, for drizzle-kit. Columns have the names that the index on each machine has, and mean the
 * same: times are Unix milliseconds, money is US dollars. Nobody but the owner reads a table; the views (0001_access.sql)
 * show everyone what is theirs to see, and two functions write.
 */

export const data = pgSchema("sessiondb_data");

const whole = (name: string) => bigint(name, { mode: "number" });
const number = (name: string) => whole(name).notNull().default(0);
const dollars = (name: string) => doublePrecision(name).notNull().default(0);
const flag = (name: string) => smallint(name).notNull().default(0);
const moment = (name: string) => timestamp(name, { withTimezone: true });
const wordPositions = customType<{ data: string }>({ dataType: () => "tsvector" });

/** Facts about the database itself: which instance it is, and the oldest program that may push. */
export const meta = data.table("meta", { name: text("name").primaryKey(), value: text("value").notNull() });

/** A person. Who writes is told by the role of the connection, never by what is sent. */
export const authors = data.table(
  "authors",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    role: text("role").notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: ["author", "lead"] }).notNull(),
    invitedAt: moment("invited_at").notNull().defaultNow(),
    revokedAt: moment("revoked_at"),
  },
  (table) => [uniqueIndex("authors_by_role").on(table.role), uniqueIndex("authors_by_name").on(table.name)],
);

/** An index that pushes. */
export const devices = data.table(
  "devices",
  {
    author: integer("author")
      .notNull()
      .references(() => authors.id, { onDelete: "cascade" }),
    id: uuid("id").notNull(),
    label: text("label").notNull(),
    client: text("client").notNull(),
    level: text("level", { enum: ["usage", "names", "text"] }).notNull(),
    firstPushAt: moment("first_push_at").notNull().defaultNow(),
    lastPushAt: moment("last_push_at").notNull().defaultNow(),
    /** Session files that it had still to push when it last came. */
    waiting: integer("waiting").notNull().default(0),
    revokedAt: moment("revoked_at"),
  },
  (table) => [primaryKey({ columns: [table.author, table.id] })],
);

/**
 * A session file of a device. Two devices never share a row, so that nothing can be overwritten by the other; what they
 * have in common counts once by its bills.
 */
export const sessions = data.table(
  "sessions",
  {
    author: integer("author").notNull(),
    id: bigint("id", { mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    device: uuid("device").notNull(),
    /** Which file: a salted hash of its path. */
    file: text("file").notNull(),
    /** What was pushed of it: another content replaces all, the same one goes on from `pushed`. */
    content: text("content").notNull(),
    /** Bytes of the file that were pushed. */
    pushed: number("pushed"),
    level: text("level", { enum: ["usage", "names", "text"] }).notNull(),
    sessionId: text("session_id").notNull(),
    /** A salted hash; from the level `names` on the project itself. */
    project: text("project").notNull(),
    createdAt: whole("created_at"),
    modifiedAt: whole("modified_at").notNull(),
    origin: text("origin").notNull(),
    parentFile: text("parent_file"),
    rootFile: text("root_file"),
    agent: text("agent"),
    title: text("title"),
    name: text("name"),
    messageCount: number("message_count"),
    entryCount: number("entry_count"),
    branchCount: number("branch_count"),
    models: text("models").notNull().default("[]"),
    lastModel: text("last_model"),
  },
  (table) => [
    primaryKey({ columns: [table.author, table.id] }),
    // Not by author first: without statistics it would be taken for the primary key.
    uniqueIndex("sessions_by_file").on(table.device, table.file, table.author),
    index("sessions_by_modified").on(table.modifiedAt),
    index("sessions_by_session_id").on(table.sessionId),
    foreignKey({
      columns: [table.author, table.device],
      foreignColumns: [devices.author, devices.id],
    }).onDelete("cascade"),
  ],
);

const ofSession = { author: integer("author").notNull(), session: whole("session").notNull() };

/** What counts of each place that holds usage, as the local view `usage`; `accounted` 2 stands for nothing. */
export const usage = data.table(
  "usage",
  {
    ...ofSession,
    /** Byte offset in the file: ids of entries may repeat. */
    place: whole("place").notNull(),
    entryId: text("entry_id").notNull(),
    timestamp: whole("timestamp"),
    quarter: whole("quarter").notNull(),
    source: text("source").notNull(),
    provider: text("provider"),
    model: text("model"),
    stopReason: text("stop_reason"),
    thinkingLevel: text("thinking_level"),
    /** What a tool or a sub-agent has used is theirs: from the level `names` on. */
    toolName: text("tool_name"),
    agent: text("agent"),
    input: number("input"),
    output: number("output"),
    cacheRead: number("cache_read"),
    cacheWrite: number("cache_write"),
    cacheWrite1h: number("cache_write_1h"),
    reasoning: number("reasoning"),
    totalTokens: number("total_tokens"),
    costInput: dollars("cost_input"),
    costOutput: dollars("cost_output"),
    costCacheRead: dollars("cost_cache_read"),
    costCacheWrite: dollars("cost_cache_write"),
    cost: dollars("cost"),
    costFromProvider: doublePrecision("cost_from_provider"),
    durationMs: whole("duration_ms"),
    bill: whole("bill").notNull(),
    statedTokens: number("stated_tokens"),
    accounted: flag("accounted"),
    /** Of the copies of a bill, whoever's they are, one counts. */
    counted: flag("counted"),
  },
  (table) => [
    primaryKey({ columns: [table.author, table.session, table.place] }),
    index("usage_by_bill").on(table.bill, table.statedTokens),
    index("usage_by_quarter").on(table.author, table.session, table.quarter),
  ],
);

/** Usage added up by quarter of an hour, as the local table. */
export const usageQuarters = data.table(
  "usage_quarters",
  {
    ...ofSession,
    quarter: whole("quarter").notNull(),
    provider: text("provider").notNull(),
    model: text("model").notNull(),
    source: text("source").notNull(),
    counted: flag("counted"),
    input: number("input"),
    output: number("output"),
    cacheRead: number("cache_read"),
    cacheWrite: number("cache_write"),
    totalTokens: number("total_tokens"),
    cost: dollars("cost"),
    requests: number("requests"),
    unpriced: number("unpriced"),
    pricedInput: number("priced_input"),
    pricedCache: number("priced_cache"),
    costInput: dollars("cost_input"),
    costCacheRead: dollars("cost_cache_read"),
    costCacheWrite: dollars("cost_cache_write"),
    costFromProvider: dollars("cost_from_provider"),
    timedRequests: number("timed_requests"),
    timedOutput: number("timed_output"),
    durationMs: number("duration_ms"),
  },
  (table) => [
    primaryKey({
      columns: [
        table.author,
        table.session,
        table.quarter,
        table.provider,
        table.model,
        table.source,
        table.counted,
      ],
    }),
    index("usage_quarters_by_time").on(table.author, table.quarter),
  ],
);

/** Calls of tools, from the level `names` on. */
export const toolStats = data.table(
  "tool_stats",
  {
    ...ofSession,
    tool: text("tool").notNull(),
    calls: number("calls"),
    answered: number("answered"),
    errors: number("errors"),
    timed: number("timed"),
    durationMs: number("duration_ms"),
    longestMs: whole("longest_ms"),
  },
  (table) => [primaryKey({ columns: [table.author, table.session, table.tool] })],
);

/** What was said, masked, and its words as the local full text has them; level `text` only. */
export const entryText = data.table(
  "entry_text",
  {
    ...ofSession,
    place: whole("place").notNull(),
    /** Long texts come in parts, because positions in a tsvector end at 16,383. */
    part: integer("part").notNull(),
    entryId: text("entry_id").notNull(),
    type: text("type").notNull(),
    role: text("role"),
    toolName: text("tool_name"),
    timestamp: whole("timestamp"),
    text: text("text").notNull(),
    words: wordPositions("words").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.author, table.session, table.place, table.part] }),
    // Without the list of what is still to be merged, which grows without end where nobody vacuums.
    index("entry_text_by_word").using("gin", table.words).with({ fastupdate: false }),
  ],
);

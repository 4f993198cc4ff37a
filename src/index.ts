/** The library: SessionManager and its format functions, the index, and questions to it. */
export { Index, type IndexLocation, type OpenOptions, openIndex } from "./db/open.ts";
export { type ErrorCode, SessionDbError } from "./errors.ts";
export {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  getLatestCompactionEntry,
  type SessionContext,
  type SessionProjection,
} from "./format/context.ts";
export { type ProjectedSessionEntry, sessionEntryToContextMessages } from "./format/context-messages.ts";
export { assertValidSessionId } from "./format/ids.ts";
export { migrateSessionEntries } from "./format/migrate.ts";
export {
  type AgentMessage,
  type AssistantMessage,
  type BashExecutionMessage,
  type BranchSummaryEntry,
  type BranchSummaryMessage,
  type CompactionEntry,
  type CompactionSummaryMessage,
  type ContextEditableContent,
  type ContextEditEntry,
  CURRENT_SESSION_VERSION,
  type CustomEntry,
  type CustomMessage,
  type CustomMessageEntry,
  type FileEntry,
  type ImageContent,
  type LabelEntry,
  type Message,
  type ModelChangeEntry,
  type NewSessionOptions,
  type SessionEntry,
  type SessionEntryBase,
  type SessionHeader,
  type SessionInfoEntry,
  type SessionMessageEntry,
  type SystemMessage,
  type TextContent,
  type ThinkingContent,
  type ThinkingLevelChangeEntry,
  type ToolCall,
  type ToolResultMessage,
  type Usage,
  type UsageEntry,
  type UserMessage,
} from "./format/types.ts";
export type { Filter } from "./query/filter.ts";
export { type LabelledEntry, listLabels } from "./query/labels.ts";
export type {
  FileTrouble,
  Hit,
  Origin,
  SearchResult,
  Session,
  SessionList,
  Sums,
  SyncReport,
  UsageGrouping,
  UsageReport,
  UsageRow,
} from "./query/results.ts";
export { describeSchema, type SchemaColumn, type SchemaTable } from "./query/schema.ts";
export { type SearchOptions, searchEntries } from "./query/search.ts";
export { type NameOptions, resolveSession, type SessionRef } from "./query/session-name.ts";
export { type ListOptions, listSessions, type SessionSortKey } from "./query/sessions.ts";
export { runSql, type SqlResult, type SqlRow } from "./query/sql.ts";
export type { SqlLimits, SqlParameters, SqlValue } from "./query/sql-rows.ts";
export { readStatus, type Status } from "./query/status.ts";
export { findTouches, type Touch, type Touches, type TouchOptions } from "./query/touches.ts";
export { sumUsage } from "./query/usage.ts";
export type { UsageOptions } from "./query/usage-options.ts";
export { getDefaultSessionDir } from "./session/defaults.ts";
export { findMostRecentSession } from "./session/find.ts";
export type { SessionListProgress } from "./session/list.ts";
export { loadEntriesFromFile, parseSessionEntries } from "./session/load.ts";
export type { SessionInfo } from "./session/session-info.ts";
export type { SessionTreeNode } from "./session/tree-nodes.ts";
export { type ReadonlySessionManager, SessionManager } from "./session-manager.ts";
export type { SyncProgress } from "./sync/progress.ts";
export { needsPurge, type PurgeOptions, purge } from "./sync/purge.ts";
export { type FeedOptions, type FeedResult, feedSearch } from "./sync/search-feed.ts";
export { SearchFeed } from "./sync/search-thread.ts";
export { type SyncOptions, syncAll } from "./sync/sync-all.ts";
export { type SyncResult, SyncRun, type SyncRunOptions } from "./sync/sync-run.ts";

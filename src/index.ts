/** The library: SessionManager and the functions of its format, the index, and questions to the index. */

export { feedSearch, needsPurge, purge, SearchFeed, SyncRun, syncAll } from "./api/maintenance.ts";
export { openIndex } from "./api/open-index.ts";
export {
  describeSchema,
  findTouches,
  listLabels,
  listSessions,
  readConversation,
  readOutline,
  readStatus,
  resolveSession,
  runSql,
  searchEntries,
} from "./api/queries.ts";
export { findWaste, readBudgets, readModelPrices, sumUsage } from "./api/usage-queries.ts";
export { getDefaultSessionDir } from "./config/pi.ts";
export { type ErrorCode, type ErrorDetails, SessionDbError } from "./errors.ts";
export type { LocatedFile } from "./files/locate.ts";
export type { IsExcluded, Origin } from "./files/session-path.ts";
export type { FileStat } from "./files/stat.ts";
export type { Filter, TouchFilter } from "./filters/filter.ts";
export type { NameOptions } from "./filters/resolve-session.ts";
export {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  getLatestCompactionEntry,
  type SessionContext,
  type SessionProjection,
} from "./format/context.ts";
export {
  type ProjectedSessionEntry,
  projectContextEntry,
  sessionEntryToContextMessages,
} from "./format/context-messages.ts";
export { assertValidSessionId } from "./format/ids.ts";
export type {
  AgentMessage,
  AssistantMessage,
  AssistantMessageDiagnostic,
  BashExecutionMessage,
  BranchSummaryMessage,
  CompactionSummaryMessage,
  CustomMessage,
  DeferredHandle,
  ImageContent,
  Message,
  NestedToolCallRecord,
  NestedToolCalls,
  SystemMessage,
  TextContent,
  ThinkingContent,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./format/messages.ts";
export { migrateSessionEntries } from "./format/migrate.ts";
export { parseSessionEntries } from "./format/parse.ts";
export {
  type BranchSummaryEntry,
  type CompactionEntry,
  type ContextEditableContent,
  type ContextEditEntry,
  CURRENT_SESSION_VERSION,
  type CustomEntry,
  type CustomMessageEntry,
  type FileEntry,
  type LabelEntry,
  type ModelChangeEntry,
  type NewSessionOptions,
  type SessionEntry,
  type SessionEntryBase,
  type SessionHeader,
  type SessionInfoEntry,
  type SessionMessageEntry,
  type ThinkingLevelChangeEntry,
  type UsageEntry,
} from "./format/types.ts";
export type { Sums } from "./format/usage.ts";
export type { FileTrouble, SyncReport } from "./indexing/sync-report.ts";
export type { SyncOptions, SyncResult, SyncRunOptions } from "./indexing/sync-run.ts";
export type { LabelSort, Session, SessionList, SessionSortKey, TouchSort } from "./reports/answers.ts";
export type {
  Budget,
  BudgetLimit,
  BudgetOptions,
  BudgetPeriod,
  BudgetReport,
  BudgetState,
  Pace,
} from "./reports/budgets/budget-shapes.ts";
export type { Touch, Touches, TouchOptions } from "./reports/files-touched.ts";
export type { LabelledEntry, LabelOptions } from "./reports/labels.ts";
export type {
  ConversationEntry,
  ConversationOptions,
  ConversationPiece,
  Outline,
  OutlineItem,
  OutlineOptions,
} from "./reports/read-conversation.ts";
export type { ListOptions } from "./reports/sessions.ts";
export type { SchemaColumn, SchemaTable } from "./reports/sql/describe-schema.ts";
export type { SqlResult, SqlRow } from "./reports/sql/run-sql.ts";
export type { SqlLimits, SqlParameters, SqlValue } from "./reports/sql/sql-rows.ts";
export type { Status, StatusOptions } from "./reports/status.ts";
export type { ModelPrices, PriceList } from "./reports/usage/model-prices.ts";
export type {
  Estimate,
  UnknownModel,
  UsageFigures,
  UsageGrouping,
  UsageOptions,
  UsageReport,
  UsageRow,
} from "./reports/usage/usage-shapes.ts";
export type {
  Wasted,
  WastefulSession,
  WasteKind,
  WasteOptions,
  WastePart,
  WasteReport,
  WasteRow,
} from "./reports/waste/waste-shapes.ts";
export type { StopSignal } from "./runtime/cancellation.ts";
export type { SweepProgress, SyncProgress } from "./runtime/observer.ts";
export type { FeedOptions, FeedResult } from "./search/feed/feeder.ts";
export type { MergeAmount } from "./search/feed/merge.ts";
export type { Hit, HitContext, HitPlace, Neighbour, SearchResult } from "./search/hits/hit.ts";
export type { PurgeOptions } from "./search/purge.ts";
export type { SearchSort } from "./search/query/search-sort.ts";
export type { SearchOptions } from "./search/search.ts";
export type { SearchFeedResult } from "./search/worker.ts";
export type { SessionTreeNode } from "./session/entry-tree.ts";
export { findMostRecentSession } from "./session/header.ts";
export { loadEntriesFromFile } from "./session/load.ts";
export type { SessionInfo } from "./session/session-info.ts";
export type { SessionListProgress } from "./session/session-list.ts";
export { type ReadonlySessionManager, SessionManager } from "./session/session-manager.ts";
export type { OpenOptions } from "./store/connection.ts";
export type { IndexLocation } from "./store/location.ts";
export { Index } from "./store/open.ts";
export type { SessionRef } from "./store/tables/session-ref.ts";
export type { Weekday } from "./time/calendar.ts";

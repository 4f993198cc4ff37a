/** The library: SessionManager and its format functions, the index, and questions to it. */
export { Index, type IndexLocation, type OpenOptions, openIndex } from "./db/open.ts";
export { type ErrorCode, SessionDbError } from "./errors.ts";
export type { Filter } from "./query/filter.ts";
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
export { type ListOptions, listSessions, type SessionSortKey } from "./query/sessions.ts";
export { runSql, type SqlResult, type SqlRow } from "./query/sql.ts";
export { readStatus, type Status } from "./query/status.ts";
export { sumUsage, type UsageOptions } from "./query/usage.ts";
export { type FeedOptions, type FeedResult, feedSearch } from "./sync/search-feed.ts";
export { SearchFeed } from "./sync/search-thread.ts";
export { type SyncOptions, type SyncProgress, type SyncResult, SyncRun, syncAll } from "./sync/sync-all.ts";

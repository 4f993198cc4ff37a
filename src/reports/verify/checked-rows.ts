import { propertiesOf, selectList } from "../../store/tables/row-sql.ts";

/* What the index has of one file beside its entries, to be compared with the file. */

/** `At` is where an entry begins: -1 for a key that no entry of the file has. */
export const CHECKED_FILE = `SELECT f.path, f.real_path AS realPath, f.size, f.status, f.error, f.offset, f.lines,
  f.provisional_length AS provisionalLength, f.malformed_lines AS malformedLines, f.overtakes, s.file_id AS sessionFile,
  s.session_id AS sessionId, s.cwd, s.version, s.created_at AS createdAt, s.modified_at AS modifiedAt,
  s.last_activity_at AS lastActivityAt, s.name, s.title, s.entry_count AS entryCount, s.message_count AS messageCount,
  s.branch_count AS branchCount, s.leaf_id AS leafId, iif(s.leaf_key IS NULL, NULL, coalesce(leaf.offset, -1)) AS leafAt,
  iif(s.first_message_key IS NULL, NULL, coalesce(first.offset, -1)) AS firstMessageAt, s.walk_by_text AS walkByText, s.irregular,
  s.parent_session AS parentSession, s.parent_path AS parentPath, s.copied, s.last_provider AS lastProvider, s.last_model AS lastModel, s.models,
  s.input, s.output, s.cache_read AS cacheRead, s.cache_write AS cacheWrite, s.total_tokens AS totalTokens, s.cost,
  s.requests, s.inherited_input AS inheritedInput, s.inherited_output AS inheritedOutput,
  s.inherited_cache_read AS inheritedCacheRead, s.inherited_cache_write AS inheritedCacheWrite,
  s.inherited_total_tokens AS inheritedTotalTokens, s.inherited_cost AS inheritedCost,
  s.inherited_requests AS inheritedRequests
  FROM files f LEFT JOIN sessions s ON s.file_id = f.id
  LEFT JOIN entry_rows leaf ON leaf.key = s.leaf_key AND leaf.file_id = f.id
  LEFT JOIN entry_rows first ON first.key = s.first_message_key AND first.file_id = f.id
  WHERE f.id = ?`;

export const LABELS_OF_FILE = `SELECT l.target_id AS targetId, l.label, l.timestamp, coalesce(e.offset, -1) AS at
  FROM labels l LEFT JOIN entry_rows e ON e.key = l.label_key AND e.file_id = l.file_id WHERE l.file_id = ?`;

export const MALFORMED_OF_FILE = "SELECT line, offset, length FROM malformed_lines WHERE file_id = ?";

export const RUNS_OF_FILE = `SELECT coalesce(e.offset, -1) || ' ' || a.run AS at, a.agent, a.session_file AS sessionFile,
  a.session_id AS sessionId FROM subagents a LEFT JOIN entry_rows e ON e.key = a.entry_key AND e.file_id = a.file_id
  WHERE a.file_id = ?`;

export const BOUNDARIES_OF_FILE = `SELECT e.line, coalesce(e.offset, -1) AS offset
  FROM turning_entries t LEFT JOIN entries e ON e.key = t.key WHERE t.file_id = ?`;

export const UNACCOUNTED_OF_ENTRY = `SELECT ${selectList("unaccounted_usage", propertiesOf("unaccounted_usage", ["entryKey"]))}
  FROM unaccounted_usage WHERE entry_key = ?`;

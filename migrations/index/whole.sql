-- Written by src/store/schema/write-whole.mjs: a new index, as all migrations make it.
CREATE TABLE `files` (
	`id` integer PRIMARY KEY NOT NULL,
	`path` text NOT NULL,
	`real_path` text NOT NULL,
	`device` real NOT NULL,
	`inode` real NOT NULL,
	`size` integer NOT NULL,
	`mtime_ms` real NOT NULL,
	`ctime_ms` real NOT NULL,
	`settled` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`offset` integer DEFAULT 0 NOT NULL,
	`provisional_length` integer DEFAULT 0 NOT NULL,
	`lines` integer DEFAULT 0 NOT NULL,
	`head_fingerprint` integer DEFAULT 0 NOT NULL,
	`tail_fingerprint` integer DEFAULT 0 NOT NULL,
	`whole_fingerprint` integer DEFAULT 0 NOT NULL,
	`generation` integer DEFAULT 1 NOT NULL,
	`malformed_lines` integer DEFAULT 0 NOT NULL,
	`indexed_at` integer NOT NULL
, `overtakes` integer DEFAULT 0 NOT NULL) STRICT;
CREATE UNIQUE INDEX `files_by_real_path` ON `files` (`real_path`);
CREATE INDEX `files_by_path` ON `files` (`path`);
CREATE TABLE `labels` (
	`file_id` integer NOT NULL,
	`target_id` text NOT NULL,
	`label` text NOT NULL,
	`label_key` integer NOT NULL,
	`timestamp` integer,
	PRIMARY KEY(`file_id`, `target_id`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE TABLE `meta` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE `removed_keys` (
	`seq` integer PRIMARY KEY NOT NULL,
	`first_key` integer NOT NULL,
	`last_key` integer NOT NULL
) STRICT;
CREATE TABLE `sessions` (
	`file_id` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`cwd` text NOT NULL,
	`version` integer NOT NULL,
	`created_at` integer,
	`modified_at` integer NOT NULL,
	`last_activity_at` integer,
	`name` text,
	`title` text NOT NULL,
	`first_message_key` integer,
	`message_count` integer DEFAULT 0 NOT NULL,
	`entry_count` integer DEFAULT 0 NOT NULL,
	`branch_count` integer DEFAULT 0 NOT NULL,
	`leaf_key` integer,
	`leaf_id` text,
	`walk_by_text` integer DEFAULT 0 NOT NULL,
	`irregular` integer DEFAULT 0 NOT NULL,
	`parent_session` text,
	`origin` text NOT NULL,
	`last_provider` text,
	`last_model` text,
	`models` text DEFAULT '[]' NOT NULL,
	`input` integer DEFAULT 0 NOT NULL,
	`output` integer DEFAULT 0 NOT NULL,
	`cache_read` integer DEFAULT 0 NOT NULL,
	`cache_write` integer DEFAULT 0 NOT NULL,
	`total_tokens` integer DEFAULT 0 NOT NULL,
	`cost` real DEFAULT 0 NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`inherited_input` integer DEFAULT 0 NOT NULL,
	`inherited_output` integer DEFAULT 0 NOT NULL,
	`inherited_cache_read` integer DEFAULT 0 NOT NULL,
	`inherited_cache_write` integer DEFAULT 0 NOT NULL,
	`inherited_total_tokens` integer DEFAULT 0 NOT NULL,
	`inherited_cost` real DEFAULT 0 NOT NULL,
	`inherited_requests` integer DEFAULT 0 NOT NULL, `parent_path` text, `parent_file_id` integer, `root_file_id` integer DEFAULT 0 NOT NULL, `agent` text, `copied` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `sessions_by_session_id` ON `sessions` (`session_id`);
CREATE INDEX `sessions_by_modified` ON `sessions` (`modified_at`);
CREATE INDEX `sessions_by_cwd` ON `sessions` (`cwd`);
CREATE TABLE `usage_quarters` (
	`file_id` integer NOT NULL,
	`quarter` integer NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`source` text NOT NULL,
	`counted` integer NOT NULL,
	`input` integer DEFAULT 0 NOT NULL,
	`output` integer DEFAULT 0 NOT NULL,
	`cache_read` integer DEFAULT 0 NOT NULL,
	`cache_write` integer DEFAULT 0 NOT NULL,
	`total_tokens` integer DEFAULT 0 NOT NULL,
	`cost` real DEFAULT 0 NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL, `unpriced` integer DEFAULT 0 NOT NULL, `priced_input` integer DEFAULT 0 NOT NULL, `priced_cache` integer DEFAULT 0 NOT NULL, `cost_input` real DEFAULT 0 NOT NULL, `cost_cache_read` real DEFAULT 0 NOT NULL, `cost_cache_write` real DEFAULT 0 NOT NULL, `timed_requests` integer DEFAULT 0 NOT NULL, `timed_output` integer DEFAULT 0 NOT NULL, `duration_ms` integer DEFAULT 0 NOT NULL, `cost_from_provider` real DEFAULT 0 NOT NULL,
	PRIMARY KEY(`file_id`, `quarter`, `provider`, `model`, `source`, `counted`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE VIEW tool_stats AS
SELECT name AS tool, count(*) AS calls, count(result_key) AS answered, total(is_error) AS errors,
  avg(duration_ms) AS average_ms, max(duration_ms) AS longest_ms, count(DISTINCT file_id) AS sessions
FROM tool_calls GROUP BY name;
CREATE VIEW usage_by_session AS
SELECT s.session_id, f.path, s.title, s.cwd,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id JOIN files f ON f.id = q.file_id
WHERE q.counted = 1 GROUP BY q.file_id;
CREATE VIEW usage_by_source AS
SELECT q.source,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
CREATE VIEW usage_by_label AS
SELECT u.label,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM (
  -- Two halves, because the labels are few: SQLite would look through all of them for every row.
  SELECT l.label, u.* FROM entries_under_label l CROSS JOIN usage u ON u.entry_key = l.entry_key
  UNION ALL
  SELECT 'none', u.* FROM usage u WHERE u.entry_key NOT IN (SELECT entry_key FROM entries_under_label)
) u WHERE u.counted = 1 GROUP BY 1;
CREATE VIEW usage_copies AS
SELECT q.source,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 0 GROUP BY 1;
CREATE TABLE `entry_kinds` (
	`id` integer PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`role` text,
	`provider` text,
	`model` text,
	`tool_name` text,
	`is_error` integer NOT NULL,
	`has_image` integer NOT NULL,
	`custom_type` text
, `recovered` integer DEFAULT 0 NOT NULL) STRICT;
CREATE TABLE `entry_rows` (
	`key` integer PRIMARY KEY NOT NULL,
	`file_id` integer NOT NULL,
	`line` integer NOT NULL,
	`offset` integer NOT NULL,
	`length` integer NOT NULL,
	`entry_id` text,
	`parent_key` integer,
	`unknown_parent` text,
	`kind` integer NOT NULL,
	`timestamp` integer,
	`target_id` text,
	`preview` text,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `entries_by_id` ON `entry_rows` (`file_id`,`entry_id`);
CREATE INDEX `entries_jumps` ON `entry_rows` (`file_id`) WHERE parent_key IS NOT key - 1;
CREATE INDEX `entries_branching` ON `entry_rows` (`file_id`,`parent_key`) WHERE parent_key IS NOT key - 1;
CREATE INDEX `entries_long` ON `entry_rows` (`file_id`) WHERE length > 65536;
CREATE TABLE `message_rows` (
	`entry_key` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	FOREIGN KEY (`entry_key`) REFERENCES `entry_rows`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `tool_calls` (
	`key` integer PRIMARY KEY NOT NULL,
	`file_id` integer NOT NULL,
	`call_id` text NOT NULL,
	`name` text NOT NULL,
	`path` text,
	`call_key` integer NOT NULL,
	`result_key` integer,
	`is_error` integer,
	`duration_ms` integer,
	FOREIGN KEY (`call_key`) REFERENCES `entry_rows`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `tool_calls_by_call` ON `tool_calls` (`call_key`);
CREATE TABLE `turning_entries` (
	`file_id` integer NOT NULL,
	`key` integer NOT NULL,
	PRIMARY KEY(`file_id`, `key`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE TABLE `usage_kinds` (
	`id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`provider` text,
	`model` text,
	`stop_reason` text,
	`flawed` integer NOT NULL
, `thinking_level` text) STRICT;
CREATE VIEW messages AS
SELECT m.entry_key,
  (SELECT k.role FROM entry_rows e JOIN entry_kinds k ON k.id = e.kind WHERE e.key = m.entry_key) AS role, m.text
FROM message_rows m;
CREATE VIEW entries_under_label AS
WITH RECURSIVE labelled(key, label) AS (
  SELECT (SELECT max(e.key) FROM entries e WHERE e.file_id = l.file_id AND e.entry_id = l.target_id), l.label
  FROM labels l
),
under(key, label) AS (
  SELECT key, label FROM labelled WHERE key IS NOT NULL
  UNION
  SELECT e.key, u.label FROM under u JOIN entry_rows e ON e.key = u.key + 1 AND e.parent_key = u.key
  WHERE e.key NOT IN (SELECT key FROM labelled WHERE key IS NOT NULL)
  UNION
  SELECT e.key, u.label FROM under u CROSS JOIN entry_rows p ON p.key = u.key
  CROSS JOIN entry_rows e ON e.file_id = p.file_id AND e.parent_key = u.key AND e.parent_key IS NOT e.key - 1
  WHERE e.key NOT IN (SELECT key FROM labelled WHERE key IS NOT NULL)
)
SELECT key AS entry_key, label FROM under;
CREATE INDEX `files_troubled` ON `files` (`status`) WHERE malformed_lines > 0 OR status <> 'session';
CREATE TABLE "malformed_lines" (
	`file_id` integer NOT NULL,
	`line` integer NOT NULL,
	`offset` integer NOT NULL,
	`length` integer NOT NULL,
	PRIMARY KEY(`file_id`, `offset`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE TABLE `key_lots` (
	`first_key` integer PRIMARY KEY NOT NULL,
	`token` integer NOT NULL
) STRICT;
CREATE VIEW labelled_entries AS
SELECT l.label, s.session_id, s.title, f.path, l.target_id AS entry_id,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', l.timestamp / 1000.0, 'unixepoch') AS TEXT) AS labelled,
  e.type, e.role, e.line, e.preview
FROM labels l
JOIN sessions s ON s.file_id = l.file_id
JOIN files f ON f.id = l.file_id
LEFT JOIN entries e ON e.key =
  (SELECT max(t.key) FROM entries t WHERE t.file_id = l.file_id AND t.entry_id = l.target_id);
CREATE VIEW file_touches AS
SELECT t.path AS file, t.name AS tool, s.session_id, s.title, s.cwd, f.path, e.line,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', e.timestamp / 1000.0, 'unixepoch') AS TEXT) AS time, t.is_error
FROM tool_calls t
JOIN sessions s ON s.file_id = t.file_id
JOIN files f ON f.id = t.file_id
JOIN entries e ON e.key = t.call_key
WHERE t.path IS NOT NULL;
CREATE VIEW usage_hourly AS
SELECT CAST(strftime('%Y-%m-%dT%H:00Z', q.quarter * 900, 'unixepoch') AS TEXT) AS hour,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
CREATE VIEW usage_daily AS
SELECT CAST(date(q.quarter * 900, 'unixepoch') AS TEXT) AS day,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
CREATE VIEW usage_weekly AS
SELECT CAST(date(q.quarter * 900, 'unixepoch', '-6 days', 'weekday 1') AS TEXT) AS week,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
CREATE VIEW usage_monthly AS
SELECT CAST(strftime('%Y-%m', q.quarter * 900, 'unixepoch') AS TEXT) AS month,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
CREATE VIEW usage_by_tool AS
SELECT CAST(coalesce(iif(u.source = 'tool', e.tool_name, NULL), 'none') AS TEXT) AS tool,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u JOIN entries e ON e.key = u.entry_key WHERE u.counted = 1 GROUP BY 1;
CREATE VIEW usage_by_branch AS
SELECT CAST(iif(u.entry_key IN (SELECT entry_key FROM usage_abandoned), 'abandoned', 'current') AS TEXT) AS branch,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u WHERE u.counted = 1 GROUP BY 1;
CREATE INDEX `tool_calls_open` ON `tool_calls` (`file_id`,`call_id`,`name`,`call_key`) WHERE result_key IS NULL;
CREATE INDEX `tool_calls_open_of_any_tool` ON `tool_calls` (`file_id`,`call_id`,`call_key`) WHERE result_key IS NULL;
CREATE INDEX `usage_kinds_by_content` ON `usage_kinds` (`source`,`provider`,`model`,`stop_reason`,`thinking_level`,`flawed`);
CREATE TABLE `usage_rows` (
	`entry_key` integer PRIMARY KEY NOT NULL,
	`file_id` integer NOT NULL,
	`given_id` text,
	`bill` integer NOT NULL,
	`timestamp` integer,
	`kind` integer NOT NULL,
	`input` integer NOT NULL,
	`output` integer NOT NULL,
	`cache_read` integer NOT NULL,
	`cache_write` integer NOT NULL,
	`cache_write_1h` integer NOT NULL,
	`reasoning` integer NOT NULL,
	`total_tokens` integer NOT NULL,
	`cost_input` real NOT NULL,
	`cost_output` real NOT NULL,
	`cost_cache_read` real NOT NULL,
	`cost_cache_write` real NOT NULL,
	`cost` real NOT NULL,
	`cost_from_provider` real,
	`duration_ms` integer,
	`counted` integer NOT NULL,
	`accounted` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`entry_key`) REFERENCES `entry_rows`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `usage_by_bill` ON `usage_rows` (`bill`,`counted`,`file_id`);
CREATE INDEX `usage_accounted` ON `usage_rows` (`file_id`) WHERE accounted <> 0;
CREATE TABLE `unaccounted_usage` (
	`entry_key` integer PRIMARY KEY NOT NULL,
	`input` integer NOT NULL,
	`output` integer NOT NULL,
	`cache_read` integer NOT NULL,
	`cache_write` integer NOT NULL,
	`cache_write_1h` integer NOT NULL,
	`reasoning` integer NOT NULL,
	`total_tokens` integer NOT NULL,
	`cost_input` real NOT NULL,
	`cost_output` real NOT NULL,
	`cost_cache_read` real NOT NULL,
	`cost_cache_write` real NOT NULL,
	`cost` real NOT NULL,
	FOREIGN KEY (`entry_key`) REFERENCES `usage_rows`(`entry_key`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `subagents` (
	`entry_key` integer NOT NULL,
	`run` integer NOT NULL,
	`file_id` integer NOT NULL,
	`agent` text,
	`session_file` text,
	`session_id` text,
	`child_file_id` integer,
	PRIMARY KEY(`entry_key`, `run`),
	FOREIGN KEY (`entry_key`) REFERENCES `entry_rows`(`key`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
CREATE INDEX `subagents_by_file` ON `subagents` (`file_id`);
CREATE INDEX `subagents_by_session_file` ON `subagents` (`session_file`);
CREATE INDEX `subagents_by_session_id` ON `subagents` (`session_id`);
CREATE INDEX `subagents_by_child` ON `subagents` (`child_file_id`) WHERE child_file_id IS NOT NULL;
CREATE INDEX `entry_kinds_by_content` ON `entry_kinds` (`type`,`role`,`provider`,`model`,`tool_name`,`is_error`,`has_image`,`custom_type`,`recovered`);
CREATE INDEX `sessions_by_root` ON `sessions` (`root_file_id`);
CREATE INDEX `sessions_by_parent` ON `sessions` (`parent_file_id`) WHERE parent_file_id IS NOT NULL;
CREATE INDEX `sessions_orphans` ON `sessions` (`file_id`) WHERE origin = 'subagent' AND parent_file_id IS NULL;
CREATE INDEX `sessions_by_parent_path` ON `sessions` (`parent_path`) WHERE parent_path IS NOT NULL;
CREATE VIEW entries AS
SELECT e.key, e.file_id, e.line, e.offset, e.length, e.entry_id,
  CAST(iif(e.parent_key IS NULL, e.unknown_parent,
    (SELECT p.entry_id FROM entry_rows p WHERE p.key = e.parent_key)) AS TEXT) AS parent_id,
  e.parent_key,
  (SELECT k.type FROM entry_kinds k WHERE k.id = e.kind) AS type,
  (SELECT k.role FROM entry_kinds k WHERE k.id = e.kind) AS role,
  e.timestamp,
  (SELECT k.provider FROM entry_kinds k WHERE k.id = e.kind) AS provider,
  (SELECT k.model FROM entry_kinds k WHERE k.id = e.kind) AS model,
  (SELECT k.tool_name FROM entry_kinds k WHERE k.id = e.kind) AS tool_name,
  (SELECT k.is_error FROM entry_kinds k WHERE k.id = e.kind) AS is_error,
  (SELECT k.has_image FROM entry_kinds k WHERE k.id = e.kind) AS has_image,
  (SELECT k.custom_type FROM entry_kinds k WHERE k.id = e.kind) AS custom_type,
  e.target_id,
  CAST(coalesce(e.preview, (SELECT substr(m.text, 1, 80) FROM message_rows m WHERE m.entry_key = e.key), '') AS TEXT)
    AS preview,
  (SELECT k.recovered FROM entry_kinds k WHERE k.id = e.kind) AS recovered, e.kind
FROM entry_rows e;
CREATE VIEW usage AS
SELECT u.entry_key, u.file_id,
  CAST(coalesce(u.given_id, (SELECT e.entry_id FROM entry_rows e WHERE e.key = u.entry_key)) AS TEXT) AS entry_id,
  u.timestamp,
  (SELECT k.source FROM usage_kinds k WHERE k.id = u.kind) AS source,
  (SELECT k.provider FROM usage_kinds k WHERE k.id = u.kind) AS provider,
  (SELECT k.model FROM usage_kinds k WHERE k.id = u.kind) AS model,
  (SELECT k.stop_reason FROM usage_kinds k WHERE k.id = u.kind) AS stop_reason,
  (SELECT k.thinking_level FROM usage_kinds k WHERE k.id = u.kind) AS thinking_level,
  iif(u.accounted = 0, u.input, (SELECT n.input FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS input,
  iif(u.accounted = 0, u.output, (SELECT n.output FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS output,
  iif(u.accounted = 0, u.cache_read, (SELECT n.cache_read FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cache_read,
  iif(u.accounted = 0, u.cache_write, (SELECT n.cache_write FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cache_write,
  iif(u.accounted = 0, u.cache_write_1h, (SELECT n.cache_write_1h FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cache_write_1h,
  iif(u.accounted = 0, u.reasoning, (SELECT n.reasoning FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS reasoning,
  iif(u.accounted = 0, u.total_tokens, (SELECT n.total_tokens FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS total_tokens,
  iif(u.accounted = 0, u.cost_input, (SELECT n.cost_input FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cost_input,
  iif(u.accounted = 0, u.cost_output, (SELECT n.cost_output FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cost_output,
  iif(u.accounted = 0, u.cost_cache_read, (SELECT n.cost_cache_read FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cost_cache_read,
  iif(u.accounted = 0, u.cost_cache_write, (SELECT n.cost_cache_write FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cost_cache_write,
  iif(u.accounted = 0, u.cost, (SELECT n.cost FROM unaccounted_usage n WHERE n.entry_key = u.entry_key)) AS cost,
  u.cost_from_provider, u.duration_ms,
  (SELECT k.flawed FROM usage_kinds k WHERE k.id = u.kind) AS flawed,
  u.counted, u.accounted, u.kind, u.bill, u.total_tokens AS stated_tokens
FROM usage_rows u WHERE u.accounted < 2;
CREATE VIEW usage_abandoned AS
WITH RECURSIVE personal(kind) AS (
  SELECT id FROM entry_kinds WHERE type = 'branch_summary' OR role IN ('user', 'bashExecution')
),
kept(key, said) AS (
  SELECT leaf_key, 0 FROM sessions WHERE (branch_count > 1 OR walk_by_text = 1) AND leaf_key IS NOT NULL
  UNION
  SELECT CASE s.walk_by_text WHEN 0 THEN e.parent_key ELSE
    (SELECT max(p.key) FROM entries p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id) END,
    k.said OR e.kind IN (SELECT kind FROM personal)
  FROM kept k JOIN entries e ON e.key = k.key JOIN sessions s ON s.file_id = e.file_id
  WHERE e.parent_id IS NOT NULL
  UNION
  SELECT (SELECT max(p.key) FROM entry_rows p WHERE p.file_id = e.file_id AND p.key < e.key),
    k.said OR e.kind IN (SELECT kind FROM personal)
  FROM kept k JOIN entries e ON e.key = k.key JOIN sessions s ON s.file_id = e.file_id
  WHERE e.parent_key IS NOT e.key - 1
    AND (NOT (k.said OR e.kind IN (SELECT kind FROM personal))
      AND EXISTS (SELECT 1 FROM entry_rows o WHERE o.file_id = e.file_id
        AND o.key > coalesce(CASE s.walk_by_text WHEN 0 THEN e.parent_key ELSE
          (SELECT max(p.key) FROM entries p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id) END, 0)
        AND o.key < e.key AND o.kind IN (SELECT kind FROM personal))
      OR (e.parent_id IS NOT NULL AND e.parent_key IS NULL
        AND NOT EXISTS (SELECT 1 FROM entry_rows p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id)))
),
left_behind(entry_key) AS (
  SELECT u.entry_key FROM sessions s JOIN usage u ON u.file_id = s.file_id
  WHERE (s.branch_count > 1 OR s.walk_by_text = 1) AND s.leaf_key IS NOT NULL
    AND u.entry_key NOT IN (SELECT key FROM kept WHERE key IS NOT NULL)
)
SELECT u.entry_key, s.session_id, s.title, f.path, e.line, e.entry_id,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', u.timestamp / 1000.0, 'unixepoch') AS TEXT) AS time,
  u.source, u.provider, u.model, u.input, u.output, u.cache_read, u.cache_write, u.total_tokens, u.cost
FROM left_behind b
JOIN usage u ON u.entry_key = b.entry_key
JOIN entries e ON e.key = u.entry_key
JOIN sessions s ON s.file_id = u.file_id
JOIN files f ON f.id = u.file_id
WHERE u.counted = 1 AND NOT EXISTS (
  SELECT 1 FROM usage t
  WHERE t.bill = u.bill AND t.stated_tokens = u.stated_tokens AND t.entry_key <> u.entry_key
    AND t.entry_key NOT IN (SELECT entry_key FROM left_behind)
);
CREATE VIEW usage_by_family AS
SELECT r.session_id, f.path, r.title, r.cwd,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id
JOIN sessions r ON r.file_id = s.root_file_id JOIN files f ON f.id = s.root_file_id
WHERE q.counted = 1 GROUP BY s.root_file_id;
CREATE VIEW usage_by_agent AS
SELECT CAST(coalesce((SELECT s.agent FROM sessions s WHERE s.file_id = u.file_id AND s.origin = 'subagent'),
    (SELECT a.agent FROM subagents a WHERE a.entry_key = u.entry_key ORDER BY a.run LIMIT 1), 'none') AS TEXT) AS agent,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u WHERE u.counted = 1 GROUP BY 1;
CREATE VIEW usage_by_thinking AS
SELECT CAST(coalesce(u.thinking_level, 'unknown') AS TEXT) AS thinking,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u WHERE u.counted = 1 GROUP BY 1;
CREATE TABLE `projects` (
	`cwd` text PRIMARY KEY NOT NULL,
	`project` text NOT NULL,
	`place` text NOT NULL,
	`remote` text,
	`inside` text NOT NULL,
	`alias` text,
	`looked_at` integer NOT NULL
) STRICT;
CREATE INDEX `projects_by_project` ON `projects` (`project`);
CREATE INDEX `projects_by_remote` ON `projects` (`remote`) WHERE remote IS NOT NULL;
CREATE VIEW session_summary AS
SELECT s.session_id, f.path, s.cwd, s.name, s.title, s.origin, s.version,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', s.created_at / 1000.0, 'unixepoch') AS TEXT) AS created,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', s.modified_at / 1000.0, 'unixepoch') AS TEXT) AS modified,
  s.message_count, s.entry_count, s.branch_count, s.leaf_id, s.parent_session, s.models,
  f.size AS size_bytes, s.total_tokens, s.cost, s.requests,
  s.inherited_total_tokens, s.inherited_cost, s.inherited_requests,
  s.cost - s.inherited_cost AS own_cost,
  CAST(coalesce((SELECT p.path FROM files p WHERE p.id = s.parent_file_id), s.parent_path) AS TEXT) AS parent_path,
  CAST((SELECT r.path FROM files r WHERE r.id = s.root_file_id) AS TEXT) AS root_path, s.agent,
  (SELECT count(*) FROM sessions c WHERE c.root_file_id = s.file_id AND c.file_id <> s.file_id) AS subagents,
  CAST(coalesce((SELECT p.project FROM projects p WHERE p.cwd = s.cwd), s.cwd) AS TEXT) AS project
FROM sessions s JOIN files f ON f.id = s.file_id;
CREATE VIEW usage_by_project AS
SELECT CAST(coalesce(p.project, s.cwd) AS TEXT) AS project,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id
  LEFT JOIN projects p ON p.cwd = s.cwd
WHERE q.counted = 1 GROUP BY 1;
CREATE VIEW usage_over_time AS
SELECT q.quarter * 900 AS time, CAST(coalesce(p.project, s.cwd) AS TEXT) AS project,
  CAST(CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS TEXT) AS provider, q.model, q.source,
  s.session_id, q.input, q.output, q.cache_read, q.cache_write, q.total_tokens, q.cost, q.requests, q.unpriced
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id LEFT JOIN projects p ON p.cwd = s.cwd
WHERE q.counted = 1;
CREATE VIEW usage_by_model AS
SELECT CAST(CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS TEXT) AS provider, q.model,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate,
  -- What was read from the cache, at the price of input, less what reading and writing the cache cost beyond it.
  sum(q.priced_cache) * sum(q.cost_input) / nullif(sum(q.priced_input), 0) - sum(q.cost_cache_read + q.cost_cache_write) AS cache_savings
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
CREATE VIEW usage_by_provider AS
SELECT CAST(CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS TEXT) AS provider,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
INSERT INTO meta (name, value) VALUES ('index_id', lower(hex(randomblob(16))));
INSERT INTO key_lots VALUES (0, random());

-- Sessions know their families, a bill is known by its message, and what sub-agents' own sessions account for is not counted
-- a second time in the result that states it. The index is filled anew.
DROP TABLE `usage_rows`;
--> statement-breakpoint
DROP INDEX `usage_kinds_by_content`;
--> statement-breakpoint
ALTER TABLE `usage_kinds` ADD `thinking_level` text;
--> statement-breakpoint
CREATE INDEX `usage_kinds_by_content` ON `usage_kinds` (`source`,`provider`,`model`,`stop_reason`,`thinking_level`,`flawed`);
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `usage_by_bill` ON `usage_rows` (`bill`,`counted`,`file_id`);
--> statement-breakpoint
CREATE INDEX `usage_accounted` ON `usage_rows` (`file_id`) WHERE accounted <> 0;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `subagents_by_file` ON `subagents` (`file_id`);
--> statement-breakpoint
CREATE INDEX `subagents_by_session_file` ON `subagents` (`session_file`);
--> statement-breakpoint
CREATE INDEX `subagents_by_session_id` ON `subagents` (`session_id`);
--> statement-breakpoint
CREATE INDEX `subagents_by_child` ON `subagents` (`child_file_id`) WHERE child_file_id IS NOT NULL;
--> statement-breakpoint
DROP INDEX `entry_kinds_by_content`;
--> statement-breakpoint
ALTER TABLE `entry_kinds` ADD `recovered` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX `entry_kinds_by_content` ON `entry_kinds` (`type`,`role`,`provider`,`model`,`tool_name`,`is_error`,`has_image`,`custom_type`,`recovered`);
--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `timed_requests` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `timed_output` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `usage_quarters` ADD `duration_ms` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `parent_path` text;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `parent_file_id` integer;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `root_file_id` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `agent` text;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `copied` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `project` text;
--> statement-breakpoint
CREATE INDEX `sessions_by_root` ON `sessions` (`root_file_id`);
--> statement-breakpoint
CREATE INDEX `sessions_by_parent` ON `sessions` (`parent_file_id`) WHERE parent_file_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `sessions_orphans` ON `sessions` (`file_id`) WHERE origin = 'subagent' AND parent_file_id IS NULL;
--> statement-breakpoint
CREATE INDEX `sessions_by_parent_path` ON `sessions` (`parent_path`) WHERE parent_path IS NOT NULL;
--> statement-breakpoint
DROP VIEW entries;
--> statement-breakpoint
-- Columns are looked up where they are asked for; a join would keep SQLite from using these views on the right of a
-- LEFT JOIN.
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
--> statement-breakpoint
DROP VIEW usage;
--> statement-breakpoint
-- What counts: of what a result states for sub-agents that have sessions of their own, the rest; nothing where there is none.
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
--> statement-breakpoint
DROP VIEW session_summary;
--> statement-breakpoint
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
  (SELECT count(*) FROM sessions c WHERE c.root_file_id = s.file_id AND c.file_id <> s.file_id) AS subagents
FROM sessions s JOIN files f ON f.id = s.file_id;
--> statement-breakpoint
DROP VIEW usage_abandoned;
--> statement-breakpoint
-- Usage that somebody has left behind. Kept is what lies on the way from the leaf of its session to the root, or a copy of
-- which does, and what nobody has left on purpose: where the way ends at a gap it goes on with what stands before it in the
-- file; and a branch on which nobody has said anything has not ended another one on which somebody had. A damaged tree is
-- walked by ids, as pi does; UNION ends what would go round. Where ids repeat, or parents stand below, one leaf does not
-- mean that the session ends there.
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
--> statement-breakpoint
CREATE VIEW usage_by_family AS
SELECT r.session_id, f.path, r.title, r.cwd,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id
JOIN sessions r ON r.file_id = s.root_file_id JOIN files f ON f.id = s.root_file_id
WHERE q.counted = 1 GROUP BY s.root_file_id;
--> statement-breakpoint
-- Of sub-agents with a session of their own by its agent, of others by the agent that their result names.
CREATE VIEW usage_by_agent AS
SELECT CAST(coalesce((SELECT s.agent FROM sessions s WHERE s.file_id = u.file_id AND s.origin = 'subagent'),
    (SELECT a.agent FROM subagents a WHERE a.entry_key = u.entry_key ORDER BY a.run LIMIT 1), 'none') AS TEXT) AS agent,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u WHERE u.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_by_thinking AS
SELECT CAST(coalesce(u.thinking_level, 'unknown') AS TEXT) AS thinking,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u WHERE u.counted = 1 GROUP BY 1;

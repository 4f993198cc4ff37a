-- A year alone is bound as a number, and to SQLite any text is greater than any number, unless the text is a column's:
-- what functions give is made one here.
DROP VIEW session_summary;
--> statement-breakpoint
CREATE VIEW session_summary AS
SELECT s.session_id, f.path, s.cwd, s.name, s.title, s.origin, s.version,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', s.created_at / 1000.0, 'unixepoch') AS TEXT) AS created,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', s.modified_at / 1000.0, 'unixepoch') AS TEXT) AS modified,
  s.message_count, s.entry_count, s.branch_count, s.leaf_id, s.parent_session, s.models,
  f.size AS size_bytes, s.total_tokens, s.cost, s.requests,
  s.inherited_total_tokens, s.inherited_cost, s.inherited_requests,
  s.cost - s.inherited_cost AS own_cost
FROM sessions s JOIN files f ON f.id = s.file_id;
--> statement-breakpoint
DROP VIEW labelled_entries;
--> statement-breakpoint
CREATE VIEW labelled_entries AS
SELECT l.label, s.session_id, s.title, f.path, l.target_id AS entry_id,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', l.timestamp / 1000.0, 'unixepoch') AS TEXT) AS labelled,
  e.type, e.role, e.line, e.preview
FROM labels l
JOIN sessions s ON s.file_id = l.file_id
JOIN files f ON f.id = l.file_id
LEFT JOIN entries e ON e.key =
  (SELECT max(t.key) FROM entries t WHERE t.file_id = l.file_id AND t.entry_id = l.target_id);
--> statement-breakpoint
DROP VIEW file_touches;
--> statement-breakpoint
CREATE VIEW file_touches AS
SELECT t.path AS file, t.name AS tool, s.session_id, s.title, s.cwd, f.path, e.line,
  CAST(strftime('%Y-%m-%dT%H:%M:%fZ', e.timestamp / 1000.0, 'unixepoch') AS TEXT) AS time, t.is_error
FROM tool_calls t
JOIN sessions s ON s.file_id = t.file_id
JOIN files f ON f.id = t.file_id
JOIN entries e ON e.key = t.call_key
WHERE t.path IS NOT NULL;
--> statement-breakpoint
DROP VIEW usage_hourly;
--> statement-breakpoint
CREATE VIEW usage_hourly AS
SELECT CAST(strftime('%Y-%m-%dT%H:00Z', q.quarter * 900, 'unixepoch') AS TEXT) AS hour,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
DROP VIEW usage_daily;
--> statement-breakpoint
CREATE VIEW usage_daily AS
SELECT CAST(date(q.quarter * 900, 'unixepoch') AS TEXT) AS day,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
DROP VIEW usage_weekly;
--> statement-breakpoint
CREATE VIEW usage_weekly AS
SELECT CAST(date(q.quarter * 900, 'unixepoch', '-6 days', 'weekday 1') AS TEXT) AS week,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
DROP VIEW usage_monthly;
--> statement-breakpoint
CREATE VIEW usage_monthly AS
SELECT CAST(strftime('%Y-%m', q.quarter * 900, 'unixepoch') AS TEXT) AS month,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
DROP VIEW usage_by_tool;
--> statement-breakpoint
CREATE VIEW usage_by_tool AS
SELECT CAST(coalesce(iif(u.source = 'tool', e.tool_name, NULL), 'none') AS TEXT) AS tool,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u JOIN entries e ON e.key = u.entry_key WHERE u.counted = 1 GROUP BY 1;
--> statement-breakpoint
DROP VIEW usage_by_branch;
--> statement-breakpoint
CREATE VIEW usage_by_branch AS
SELECT CAST(iif(u.entry_key IN (SELECT entry_key FROM usage_abandoned), 'abandoned', 'current') AS TEXT) AS branch,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u WHERE u.counted = 1 GROUP BY 1;
--> statement-breakpoint
DROP VIEW usage_abandoned;
--> statement-breakpoint
-- An entry whose cost is one of an abandoned branch: neither it nor a copy of it lies on the way from the leaf of its
-- session to the root. A damaged tree is walked by ids, as pi does; UNION ends what would go round. Where ids repeat, or
-- parents stand below, one leaf does not mean that the session ends there.
CREATE VIEW usage_abandoned AS
WITH RECURSIVE kept(key) AS (
  SELECT leaf_key FROM sessions WHERE (branch_count > 1 OR walk_by_text = 1) AND leaf_key IS NOT NULL
  UNION
  SELECT CASE s.walk_by_text WHEN 0 THEN e.parent_key ELSE
    (SELECT max(p.key) FROM entries p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id) END
  FROM kept k JOIN entries e ON e.key = k.key JOIN sessions s ON s.file_id = e.file_id
  WHERE e.parent_id IS NOT NULL
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
  WHERE t.entry_id IS u.entry_id AND t.timestamp IS u.timestamp AND t.provider IS u.provider AND t.model IS u.model
    AND t.input = u.input AND t.output = u.output AND t.cache_read = u.cache_read AND t.cache_write = u.cache_write
    AND t.total_tokens = u.total_tokens AND t.entry_key <> u.entry_key
    AND t.entry_key NOT IN (SELECT entry_key FROM left_behind)
);

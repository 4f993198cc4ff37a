-- Views are part of the public interface: within one version of the index a view keeps its name, its columns and what
-- they mean; it may gain columns at its end. Days are those of UTC. Copies in forks are left out everywhere.

-- An entry whose cost is one of an abandoned branch: neither it nor a copy of it lies on the way from the leaf of its
-- session to the root. A damaged tree is walked by ids, as pi does; UNION ends what would go round.
CREATE VIEW usage_abandoned AS
WITH RECURSIVE kept(key) AS (
  SELECT leaf_key FROM sessions WHERE branch_count > 1 AND leaf_key IS NOT NULL
  UNION
  SELECT CASE s.walk_by_text WHEN 0 THEN e.parent_key ELSE
    (SELECT max(p.key) FROM entries p WHERE p.file_id = e.file_id AND p.entry_id = e.parent_id) END
  FROM kept k JOIN entries e ON e.key = k.key JOIN sessions s ON s.file_id = e.file_id
  WHERE e.parent_id IS NOT NULL
),
left_behind(entry_key) AS (
  SELECT u.entry_key FROM sessions s JOIN usage u ON u.file_id = s.file_id
  WHERE s.branch_count > 1 AND s.leaf_key IS NOT NULL AND u.entry_key NOT IN (SELECT key FROM kept WHERE key IS NOT NULL)
)
SELECT u.entry_key, s.session_id, s.title, f.path, e.line, e.entry_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.timestamp / 1000.0, 'unixepoch') AS time,
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
--> statement-breakpoint
-- The label an entry stands under: its own, else that of the nearest entry above it in the tree that carries one.
CREATE VIEW entries_under_label AS
WITH RECURSIVE labelled(key, label) AS (
  SELECT (SELECT max(e.key) FROM entries e WHERE e.file_id = l.file_id AND e.entry_id = l.target_id), l.label
  FROM labels l
),
under(key, label) AS (
  SELECT key, label FROM labelled WHERE key IS NOT NULL
  UNION
  SELECT e.key, u.label FROM under u JOIN entries e ON e.parent_key = u.key
  WHERE e.key NOT IN (SELECT key FROM labelled WHERE key IS NOT NULL)
)
SELECT key AS entry_key, label FROM under;
--> statement-breakpoint
DROP VIEW usage_daily;
--> statement-breakpoint
DROP VIEW usage_by_model;
--> statement-breakpoint
DROP VIEW usage_by_project;
--> statement-breakpoint
DROP VIEW usage_by_source;
--> statement-breakpoint
CREATE VIEW usage_hourly AS
SELECT strftime('%Y-%m-%dT%H:00Z', q.quarter * 900, 'unixepoch') AS hour,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_daily AS
SELECT date(q.quarter * 900, 'unixepoch') AS day,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_weekly AS
SELECT date(q.quarter * 900, 'unixepoch', '-6 days', 'weekday 1') AS week,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_monthly AS
SELECT strftime('%Y-%m', q.quarter * 900, 'unixepoch') AS month,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_by_session AS
SELECT s.session_id, f.path, s.title, s.cwd,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id JOIN files f ON f.id = q.file_id
WHERE q.counted = 1 GROUP BY q.file_id;
--> statement-breakpoint
CREATE VIEW usage_by_project AS
SELECT s.cwd AS project,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id
WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_by_model AS
SELECT q.provider, q.model,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate,
  -- What was read from the cache, at the price of input, less what reading and writing the cache cost beyond it.
  sum(q.priced_cache) * sum(q.cost_input) / nullif(sum(q.priced_input), 0) - sum(q.cost_cache_read + q.cost_cache_write) AS cache_savings
FROM usage_quarters q WHERE q.counted = 1 GROUP BY q.provider, q.model;
--> statement-breakpoint
CREATE VIEW usage_by_provider AS
SELECT q.provider,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_by_source AS
SELECT q.source,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_by_tool AS
SELECT coalesce(iif(u.source = 'tool', e.tool_name, NULL), 'none') AS tool,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u JOIN entries e ON e.key = u.entry_key WHERE u.counted = 1 GROUP BY 1;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE VIEW usage_by_branch AS
SELECT iif(u.entry_key IN (SELECT entry_key FROM usage_abandoned), 'abandoned', 'current') AS branch,
  sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, sum(u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM usage u WHERE u.counted = 1 GROUP BY 1;
--> statement-breakpoint
CREATE VIEW usage_copies AS
SELECT q.source,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 0 GROUP BY 1;

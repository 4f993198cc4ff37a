-- Tells this index from any other: the full-text database follows one index only.
INSERT INTO meta (name, value) VALUES ('index_id', lower(hex(randomblob(16))));
--> statement-breakpoint
-- Views are part of the public interface. Sums leave out copies in forks (`counted = 0`) unless they say otherwise.
CREATE VIEW session_summary AS
SELECT s.session_id, f.path, s.cwd, s.name, s.title, s.origin, s.version,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.created_at / 1000.0, 'unixepoch') AS created,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.modified_at / 1000.0, 'unixepoch') AS modified,
  s.message_count, s.entry_count, s.branch_count, s.leaf_id, s.parent_session, s.models,
  f.size AS size_bytes, s.total_tokens, s.cost, s.requests,
  s.inherited_total_tokens, s.inherited_cost, s.inherited_requests,
  s.cost - s.inherited_cost AS own_cost
FROM sessions s JOIN files f ON f.id = s.file_id;
--> statement-breakpoint
CREATE VIEW usage_daily AS
SELECT date(quarter * 900, 'unixepoch') AS day,
  sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write,
  sum(total_tokens) AS total_tokens, sum(cost) AS cost, sum(requests) AS requests,
  count(DISTINCT file_id) AS sessions
FROM usage_quarters WHERE counted = 1 GROUP BY day;
--> statement-breakpoint
CREATE VIEW usage_by_model AS
SELECT provider, model,
  sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write,
  sum(total_tokens) AS total_tokens, sum(cost) AS cost, sum(requests) AS requests,
  count(DISTINCT file_id) AS sessions
FROM usage_quarters WHERE counted = 1 GROUP BY provider, model;
--> statement-breakpoint
CREATE VIEW usage_by_project AS
SELECT s.cwd AS project,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id WHERE q.counted = 1 GROUP BY s.cwd;
--> statement-breakpoint
CREATE VIEW usage_by_source AS
SELECT source,
  sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write,
  sum(total_tokens) AS total_tokens, sum(cost) AS cost, sum(requests) AS requests
FROM usage_quarters WHERE counted = 1 GROUP BY source;
--> statement-breakpoint
CREATE VIEW labelled_entries AS
SELECT l.label, s.session_id, s.title, f.path, l.target_id AS entry_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', l.timestamp / 1000.0, 'unixepoch') AS labelled,
  e.type, e.role, e.line, e.preview
FROM labels l
JOIN sessions s ON s.file_id = l.file_id
JOIN files f ON f.id = l.file_id
LEFT JOIN entries e ON e.key =
  (SELECT max(t.key) FROM entries t WHERE t.file_id = l.file_id AND t.entry_id = l.target_id);
--> statement-breakpoint
CREATE VIEW tool_stats AS
SELECT name AS tool, count(*) AS calls, count(result_key) AS answered, total(is_error) AS errors,
  avg(duration_ms) AS average_ms, max(duration_ms) AS longest_ms, count(DISTINCT file_id) AS sessions
FROM tool_calls GROUP BY name;
--> statement-breakpoint
CREATE VIEW file_touches AS
SELECT t.path AS file, t.name AS tool, s.session_id, s.title, s.cwd, f.path, e.line,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.timestamp / 1000.0, 'unixepoch') AS time, t.is_error
FROM tool_calls t
JOIN sessions s ON s.file_id = t.file_id
JOIN files f ON f.id = t.file_id
JOIN entries e ON e.key = t.call_key
WHERE t.path IS NOT NULL;

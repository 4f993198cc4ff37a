-- The views have the names and columns of those of each machine, and `author`. The functions stand in subqueries, which run once.
CREATE VIEW sessiondb_team.authors WITH (security_barrier) AS
SELECT a.name AS author, a.kind, a.invited_at, a.revoked_at IS NOT NULL AS revoked
FROM sessiondb_data.authors a WHERE a.id = ANY (ARRAY(SELECT sessiondb_team.visible_authors()));
--> statement-breakpoint
CREATE VIEW sessiondb_team.devices WITH (security_barrier) AS
SELECT a.name AS author, d.id AS device, d.label, d.client, d.level, d.first_push_at, d.last_push_at, d.waiting,
  d.revoked_at IS NOT NULL OR a.revoked_at IS NOT NULL AS revoked,
  (SELECT count(*) FROM sessiondb_data.sessions s WHERE s.author = d.author AND s.device = d.id) AS sessions
FROM sessiondb_data.devices d JOIN sessiondb_data.authors a ON a.id = d.author WHERE d.author = ANY (ARRAY(SELECT sessiondb_team.visible_authors()));
--> statement-breakpoint
CREATE VIEW sessiondb_team.sessions WITH (security_barrier) AS
SELECT a.name AS author, s.id AS file_id, s.session_id, s.project AS cwd, s.project, s.created_at, s.modified_at, s.name,
  coalesce(s.title, '') AS title, s.origin, s.agent, s.message_count, s.entry_count, s.branch_count, s.models, s.last_model,
  CASE WHEN s.root_file <> s.file THEN coalesce((SELECT r.id FROM sessiondb_data.sessions r
    WHERE r.author = s.author AND r.device = s.device AND r.file = s.root_file), s.id) ELSE s.id END AS root_file_id, s.level, s.device
FROM sessiondb_data.sessions s JOIN sessiondb_data.authors a ON a.id = s.author WHERE s.author = ANY (ARRAY(SELECT sessiondb_team.visible_authors()));
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage WITH (security_barrier) AS
SELECT a.name AS author, u.session AS file_id, u.place AS "offset", u.entry_id, u.timestamp, u.source, u.provider, u.model, u.stop_reason,
  u.thinking_level, u.tool_name, u.agent, u.input, u.output, u.cache_read, u.cache_write, u.cache_write_1h, u.reasoning, u.total_tokens, u.cost_input,
  u.cost_output, u.cost_cache_read, u.cost_cache_write, u.cost, u.cost_from_provider, u.duration_ms, u.counted, u.accounted,
  u.bill, u.stated_tokens, u.quarter
FROM sessiondb_data.usage u JOIN sessiondb_data.authors a ON a.id = u.author WHERE u.accounted < 2 AND u.author = ANY (ARRAY(SELECT sessiondb_team.visible_authors()));
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_quarters WITH (security_barrier) AS
SELECT a.name AS author, q.session AS file_id, q.quarter, q.provider, q.model, q.source, q.counted, q.input, q.output, q.cache_read,
  q.cache_write, q.total_tokens, q.cost, q.requests, q.unpriced, q.priced_input, q.priced_cache, q.cost_input, q.cost_cache_read,
  q.cost_cache_write, q.cost_from_provider, q.timed_requests, q.timed_output, q.duration_ms
FROM sessiondb_data.usage_quarters q JOIN sessiondb_data.authors a ON a.id = q.author WHERE q.author = ANY (ARRAY(SELECT sessiondb_team.visible_authors()));
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_hourly WITH (security_barrier) AS
SELECT q.author, to_char(to_timestamp(q.quarter * 900.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') AS hour, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_daily WITH (security_barrier) AS
SELECT q.author, to_char(to_timestamp(q.quarter * 900.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_weekly WITH (security_barrier) AS
SELECT q.author, to_char(date_trunc('week', to_timestamp(q.quarter * 900.0) AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS week, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_monthly WITH (security_barrier) AS
SELECT q.author, to_char(to_timestamp(q.quarter * 900.0) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_by_source WITH (security_barrier) AS
SELECT q.author, q.source AS source, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_by_provider WITH (security_barrier) AS
SELECT q.author, CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS provider, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_by_model WITH (security_barrier) AS
SELECT q.author, CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS provider, q.model, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate,
  sum(q.priced_cache) * sum(q.cost_input) / nullif(sum(q.priced_input), 0) - sum(q.cost_cache_read + q.cost_cache_write) AS cache_savings
FROM sessiondb_team.usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2, 3;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_by_project WITH (security_barrier) AS
SELECT q.author, s.project, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q JOIN sessiondb_team.sessions s ON s.file_id = q.file_id WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_by_session WITH (security_barrier) AS
SELECT q.author, s.session_id, s.title, s.cwd, sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage_quarters q JOIN sessiondb_team.sessions s ON s.file_id = q.file_id
WHERE q.counted = 1 GROUP BY 1, 2, 3, 4, q.file_id;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_over_time WITH (security_barrier) AS
SELECT q.author, q.quarter * 900 AS time, s.project, CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS provider, q.model, q.source, s.session_id,
  q.input, q.output, q.cache_read, q.cache_write, q.total_tokens, q.cost, q.requests, q.unpriced
FROM sessiondb_team.usage_quarters q JOIN sessiondb_team.sessions s ON s.file_id = q.file_id WHERE q.counted = 1;
--> statement-breakpoint
CREATE VIEW sessiondb_team.usage_by_thinking WITH (security_barrier) AS
SELECT u.author, coalesce(u.thinking_level, 'unknown') AS thinking, sum(u.input) AS input, sum(u.output) AS output, sum(u.cache_read) AS cache_read,
  sum(u.cache_write) AS cache_write, sum(u.total_tokens) AS total_tokens, sum(u.cost) AS cost,
  count(*) AS requests, count(DISTINCT u.file_id) AS sessions, count(*) FILTER (WHERE u.cost = 0 AND u.total_tokens > 0) AS unpriced,
  round(1.0 * sum(u.cache_read) / nullif(sum(u.input + u.cache_read + u.cache_write), 0), 4) AS cache_hit_rate
FROM sessiondb_team.usage u WHERE u.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.session_summary WITH (security_barrier) AS
SELECT s.author, s.session_id, s.cwd, s.name, s.title, s.origin,
  to_char(to_timestamp(s.created_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created,
  to_char(to_timestamp(s.modified_at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS modified,
  s.message_count, s.entry_count, s.branch_count, s.models, coalesce(q.total_tokens, 0) AS total_tokens, coalesce(q.cost, 0) AS cost,
  coalesce(q.requests, 0) AS requests, coalesce(q.inherited_total_tokens, 0) AS inherited_total_tokens,
  coalesce(q.inherited_cost, 0) AS inherited_cost, coalesce(q.inherited_requests, 0) AS inherited_requests,
  coalesce(q.own_cost, 0) AS own_cost, s.agent,
  (SELECT count(*) FROM sessiondb_team.sessions c WHERE c.root_file_id = s.file_id AND c.file_id <> s.file_id) AS subagents, s.project
FROM sessiondb_team.sessions s LEFT JOIN (
  SELECT q.file_id, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost, sum(q.requests) AS requests,
    sum(q.total_tokens) FILTER (WHERE q.counted = 0) AS inherited_total_tokens, sum(q.cost) FILTER (WHERE q.counted = 0) AS inherited_cost,
    sum(q.requests) FILTER (WHERE q.counted = 0) AS inherited_requests, sum(q.cost) FILTER (WHERE q.counted = 1) AS own_cost
  FROM sessiondb_team.usage_quarters q GROUP BY 1) q ON q.file_id = s.file_id;
--> statement-breakpoint
CREATE VIEW sessiondb_team.tool_stats WITH (security_barrier) AS
SELECT a.name AS author, t.tool, sum(t.calls) AS calls, sum(t.answered) AS answered, sum(t.errors) AS errors,
  1.0 * sum(t.duration_ms) / nullif(sum(t.timed), 0) AS average_ms, max(t.longest_ms) AS longest_ms, count(*) AS sessions
FROM sessiondb_data.tool_stats t JOIN sessiondb_data.authors a ON a.id = t.author WHERE t.author = ANY (ARRAY(SELECT sessiondb_team.visible_authors())) GROUP BY 1, 2;
--> statement-breakpoint
CREATE VIEW sessiondb_team.entry_text WITH (security_barrier) AS
SELECT a.name AS author, e.session AS file_id, e.place AS "offset", e.part, e.entry_id, e.type, e.role, e.tool_name, e.timestamp, e.text, e.words
FROM sessiondb_data.entry_text e JOIN sessiondb_data.authors a ON a.id = e.author WHERE e.author = ANY (ARRAY(SELECT sessiondb_team.visible_authors()));

--> statement-breakpoint
-- The parts of entries whose words match, of those that the connection may see; with `most` the newest, or the oldest. A function,
-- because behind a barrier PostgreSQL does not look for words by an index. How well they match is told by `ranks`, where that is given.
CREATE FUNCTION sessiondb_team.find_text_v1(wanted tsquery, since bigint, until bigint, most bigint, oldest boolean, ranks tsquery)
RETURNS TABLE (author text, file_id bigint, "offset" bigint, part integer, entry_id text, type text, role text, tool_name text,
  "timestamp" bigint, score real)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = sessiondb_data, pg_temp AS $$
  SELECT a.name, f.session, f.place, f.part, f.entry_id, f.type, f.role, f.tool_name, f.timestamp,
    coalesce(ts_rank(f.words, ranks, 1), 0)
  FROM (SELECT e.* FROM entry_text e
    WHERE e.words @@ wanted AND e.author = ANY (ARRAY(SELECT sessiondb_team.visible_authors()))
      AND (since IS NULL OR e.timestamp >= since) AND (until IS NULL OR e.timestamp < until)
    ORDER BY CASE WHEN most IS NULL THEN NULL WHEN oldest THEN coalesce(e.timestamp, 0) ELSE -coalesce(e.timestamp, 0) END LIMIT most) f
  JOIN authors a ON a.id = f.author
$$;
--> statement-breakpoint
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA sessiondb_team FROM PUBLIC;

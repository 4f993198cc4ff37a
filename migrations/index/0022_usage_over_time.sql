-- Usage as a series for dashboards; and a provider that pi has renamed is one row in the views, as it is in the reports.
CREATE VIEW usage_over_time AS
SELECT q.quarter * 900 AS time, CAST(coalesce(p.project, s.cwd) AS TEXT) AS project,
  CAST(CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS TEXT) AS provider, q.model, q.source,
  s.session_id, q.input, q.output, q.cache_read, q.cache_write, q.total_tokens, q.cost, q.requests, q.unpriced
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id LEFT JOIN projects p ON p.cwd = s.cwd
WHERE q.counted = 1;
--> statement-breakpoint
DROP VIEW usage_by_model;
--> statement-breakpoint
CREATE VIEW usage_by_model AS
SELECT CAST(CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS TEXT) AS provider, q.model,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate,
  -- What was read from the cache, at the price of input, less what reading and writing the cache cost beyond it.
  sum(q.priced_cache) * sum(q.cost_input) / nullif(sum(q.priced_input), 0) - sum(q.cost_cache_read + q.cost_cache_write) AS cache_savings
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1, 2;
--> statement-breakpoint
DROP VIEW usage_by_provider;
--> statement-breakpoint
CREATE VIEW usage_by_provider AS
SELECT CAST(CASE q.provider WHEN 'azure-openai-responses' THEN 'azure' ELSE q.provider END AS TEXT) AS provider,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q WHERE q.counted = 1 GROUP BY 1;

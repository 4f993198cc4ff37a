-- Which project a directory is: worktrees, links, aliases and clones by their remote. usage_by_project and session_summary know it.
CREATE TABLE `projects` (
	`cwd` text PRIMARY KEY NOT NULL,
	`project` text NOT NULL,
	`place` text NOT NULL,
	`remote` text,
	`inside` text NOT NULL,
	`alias` text,
	`looked_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `projects_by_project` ON `projects` (`project`);--> statement-breakpoint
CREATE INDEX `projects_by_remote` ON `projects` (`remote`) WHERE remote IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` DROP COLUMN `project`;
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
  (SELECT count(*) FROM sessions c WHERE c.root_file_id = s.file_id AND c.file_id <> s.file_id) AS subagents,
  CAST(coalesce((SELECT p.project FROM projects p WHERE p.cwd = s.cwd), s.cwd) AS TEXT) AS project
FROM sessions s JOIN files f ON f.id = s.file_id;
--> statement-breakpoint
DROP VIEW usage_by_project;
--> statement-breakpoint
CREATE VIEW usage_by_project AS
SELECT CAST(coalesce(p.project, s.cwd) AS TEXT) AS project,
  sum(q.input) AS input, sum(q.output) AS output, sum(q.cache_read) AS cache_read,
  sum(q.cache_write) AS cache_write, sum(q.total_tokens) AS total_tokens, sum(q.cost) AS cost,
  sum(q.requests) AS requests, count(DISTINCT q.file_id) AS sessions, sum(q.unpriced) AS unpriced,
  round(1.0 * sum(q.cache_read) / nullif(sum(q.input + q.cache_read + q.cache_write), 0), 4) AS cache_hit_rate
FROM usage_quarters q JOIN sessions s ON s.file_id = q.file_id
  LEFT JOIN projects p ON p.cwd = s.cwd
WHERE q.counted = 1 GROUP BY 1;

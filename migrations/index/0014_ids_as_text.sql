-- An id of digits alone is bound as a number. It is found in a column of a table, which makes text of it, but not in what
-- an expression gives: these columns are text, too.
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
  e.kind
FROM entry_rows e;
--> statement-breakpoint
DROP VIEW usage;
--> statement-breakpoint
CREATE VIEW usage AS
SELECT u.entry_key, u.file_id,
  CAST(coalesce(u.given_id, (SELECT e.entry_id FROM entry_rows e WHERE e.key = u.entry_key)) AS TEXT) AS entry_id,
  u.timestamp,
  (SELECT k.source FROM usage_kinds k WHERE k.id = u.kind) AS source,
  (SELECT k.provider FROM usage_kinds k WHERE k.id = u.kind) AS provider,
  (SELECT k.model FROM usage_kinds k WHERE k.id = u.kind) AS model,
  (SELECT k.stop_reason FROM usage_kinds k WHERE k.id = u.kind) AS stop_reason,
  u.input, u.output, u.cache_read, u.cache_write, u.cache_write_1h, u.reasoning, u.total_tokens,
  u.cost_input, u.cost_output, u.cost_cache_read, u.cost_cache_write, u.cost,
  (SELECT k.flawed FROM usage_kinds k WHERE k.id = u.kind) AS flawed,
  u.counted, u.kind, u.id_hash
FROM usage_rows u;

-- The SQL index by identity has the hash of an id, not the id: without it all usage of the same time would be looked at.
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
  WHERE t.timestamp IS u.timestamp AND t.id_hash = u.id_hash AND t.entry_id IS u.entry_id AND t.provider IS u.provider AND t.model IS u.model
    AND t.input = u.input AND t.output = u.output AND t.cache_read = u.cache_read AND t.cache_write = u.cache_write
    AND t.total_tokens = u.total_tokens AND t.entry_key <> u.entry_key
    AND t.entry_key NOT IN (SELECT entry_key FROM left_behind)
);

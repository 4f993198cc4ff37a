import type { Database } from "../db/native.ts";

/*
 * From a leaf to its root. In a sound file a parent stands before its children, so the walk goes by integer
 * keys and always ends; in a damaged one (orphans, repeated ids, cycles) it goes by ids, where the last entry
 * of an id is the one meant and UNION ends what would go round.
 */

const BY_KEY = `WITH RECURSIVE branch(key) AS (
    SELECT leaf_key FROM sessions WHERE file_id = @fileId
    UNION
    SELECT e.parent_key FROM entries e JOIN branch b ON e.key = b.key
    WHERE e.parent_key >= @key)
  SELECT 1 FROM branch WHERE key = @key`;

const BY_TEXT = `WITH RECURSIVE branch(key) AS (
    SELECT leaf_key FROM sessions WHERE file_id = @fileId
    UNION
    SELECT (SELECT max(p.key) FROM entries p WHERE p.file_id = @fileId AND p.entry_id = e.parent_id)
    FROM entries e JOIN branch b ON e.key = b.key
    WHERE e.parent_id IS NOT NULL)
  SELECT 1 FROM branch WHERE key = @key`;

/** Whether an entry lies on the path from its session's leaf to the root. */
export function isOnBranch(database: Database, fileId: number, key: number, walkByText: boolean): boolean {
  return database.prepare(walkByText ? BY_TEXT : BY_KEY).get({ fileId, key }) !== undefined;
}

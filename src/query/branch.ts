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
    WHERE e.parent_key IS NOT NULL)
  SELECT key FROM branch`;

const BY_TEXT = `WITH RECURSIVE branch(key) AS (
    SELECT leaf_key FROM sessions WHERE file_id = @fileId
    UNION
    SELECT (SELECT max(p.key) FROM entries p WHERE p.file_id = @fileId AND p.entry_id = e.parent_id)
    FROM entries e JOIN branch b ON e.key = b.key
    WHERE e.parent_id IS NOT NULL)
  SELECT key FROM branch WHERE key IS NOT NULL`;

/** The keys on the path from a session's leaf to its root, read once a session. */
export class BranchKeys {
  readonly #database: Database;
  readonly #known = new Map<number, ReadonlySet<number>>();

  constructor(database: Database) {
    this.#database = database;
  }

  of(fileId: number, walkByText: boolean): ReadonlySet<number> {
    let keys = this.#known.get(fileId);
    if (keys === undefined) {
      const walk = this.#database.prepare(walkByText ? BY_TEXT : BY_KEY).pluck();
      keys = new Set(walk.all({ fileId }) as number[]);
      this.#known.set(fileId, keys);
    }
    return keys;
  }
}

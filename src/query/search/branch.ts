import type { Database, Statement } from "../../db/native.ts";
import { prepared } from "../../db/prepared.ts";

/**
 * Entries whose parent is not the entry before: between two of them a branch goes on from key to key. An index of its
 * own holds them; the condition has to be the same word for word.
 */
const JUMPS = `SELECT key, parent_key FROM entries INDEXED BY entries_jumps
  WHERE file_id = ? AND parent_key IS NOT key - 1 AND key BETWEEN ? AND ? ORDER BY key DESC`;

/**
 * In a damaged file (orphans, repeated ids, cycles) the walk goes by ids, where the last entry of an id is the one meant
 * and UNION ends what would go round.
 */
const BY_TEXT = `WITH RECURSIVE branch(key) AS (
    SELECT leaf_key FROM sessions WHERE file_id = @fileId
    UNION
    SELECT (SELECT max(p.key) FROM entries p WHERE p.file_id = @fileId AND p.entry_id = e.parent_id)
    FROM entries e JOIN branch b ON e.key = b.key
    WHERE e.parent_id IS NOT NULL)
  SELECT key FROM branch`;

/** An entry, and the session it stands in. */
export interface BranchPlace {
  key: number;
  fileId: number;
  leafKey: number | null;
  /** 1: by ids. */
  walkByText: number;
}

type Jump = [key: number, parentKey: number | null];

/** Tells what lies on the path from its session's leaf to the root. */
export class Branches {
  readonly #database: Database;
  /** Prepared when first needed: most sessions have one branch. */
  #jumps: Statement | undefined;
  /** The jumps of a session from a key on: hits of one session come together. */
  readonly #known = new Map<number, { least: number; jumps: Jump[] }>();

  constructor(database: Database) {
    this.#database = database;
  }

  holds({ key, fileId, leafKey, walkByText }: BranchPlace): boolean {
    if (walkByText === 1) return prepared(this.#database, BY_TEXT).pluck().all({ fileId }).includes(key);
    if (leafKey === null || key > leafKey) return false;
    return jumpsLeadTo(key, leafKey, this.#jumpsFrom({ key, fileId, leafKey }));
  }

  #jumpsFrom(from: { key: number; fileId: number; leafKey: number }): Jump[] {
    const known = this.#known.get(from.fileId);
    if (known !== undefined && known.least <= from.key) return known.jumps;
    this.#jumps ??= prepared(this.#database, JUMPS).raw();
    const jumps = this.#jumps.all(from.fileId, from.key, from.leafKey) as Jump[];
    this.#known.set(from.fileId, { least: from.key, jumps });
    return jumps;
  }
}

/** Whether the way from the leaf, from jump to jump, comes by an entry. The jumps come last first. */
function jumpsLeadTo(wanted: number, leafKey: number, jumps: Jump[]): boolean {
  let at = leafKey;
  for (const [key, parentKey] of jumps) {
    if (key > at) continue;
    if (key <= wanted) return true;
    if (parentKey === null || parentKey < wanted) return false;
    at = parentKey;
  }
  return true;
}

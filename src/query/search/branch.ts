import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import { STRETCHES } from "../../store/tables/entry-rows.ts";

const BY_KEY = `${STRETCHES} SELECT first_key, last_key FROM stretch`;

/**
 * In a damaged file (ids that are missing or repeat, parents that stand below their children) the walk goes by ids: of
 * several entries with one id the last is meant, and UNION ends a walk that would go round in a cycle.
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
  /** 1 when the branch has to be walked by ids, 0 by keys. */
  walkByText: number;
}

/** A part of a branch whose keys have no gap; both keys are included. */
type Stretch = [firstKey: number, lastKey: number];

/** Tells what lies on the path from its session's leaf to the root. */
export class Branches {
  readonly #database: Database;
  /** By file: hits of one session come together. */
  readonly #known = new Map<number, (key: number) => boolean>();

  constructor(database: Database) {
    this.#database = database;
  }

  holds(place: BranchPlace): boolean {
    let isOn = this.#known.get(place.fileId);
    if (isOn === undefined) {
      isOn = this.#branchOf(place);
      this.#known.set(place.fileId, isOn);
    }
    return isOn(place.key);
  }

  #branchOf({ fileId, leafKey, walkByText }: BranchPlace): (key: number) => boolean {
    if (walkByText === 1) {
      const keys = new Set(prepared(this.#database, BY_TEXT).pluck().all({ fileId }));
      return (key) => keys.has(key);
    }
    if (leafKey === null) return () => false;
    const values = { fileId, key: leafKey, low: 0 };
    const stretches = prepared(this.#database, BY_KEY).raw().all(values) as Stretch[];
    return (key) => stretches.some(([first, last]) => first <= key && key <= last);
  }
}

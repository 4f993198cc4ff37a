import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import type { BodyPlace } from "../../store/tables/entry-bodies.ts";
import type { EntryNode } from "../../store/tables/entry-nodes.ts";
import { CHILDREN, STRETCHES } from "../../store/tables/entry-rows.ts";
import type { HitSession } from "./hit-sessions.ts";

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

/** An entry of which one step is made to the next. */
export interface StepPlace {
  key: number;
  fileId: number;
  session: HitSession;
}

type EntryRow = Omit<SteppedEntry, "realPath" | "version">;

/** What is shown of an entry, and where the rest of it stands. */
export type SteppedEntry = BodyPlace & Pick<EntryNode, "role" | "tool" | "timestamp" | "preview">;

const PARENT = "SELECT parent_key FROM entry_rows WHERE key = ?";

/** Oldest first. */
const IN_TIME = `SELECT key FROM (${CHILDREN}) ORDER BY coalesce(timestamp, 0), key`;

const ENTRY = `SELECT e.line, e.offset, e.length, e.entry_id AS entryId, k.type, k.role, k.tool_name AS tool, e.timestamp,
    e.preview
  FROM entries e CROSS JOIN entry_kinds k ON k.id = e.kind WHERE e.key = ?`;

/**
 * Goes along the branch of an entry as `SessionNodes` does, but looks at no other entries of the session. For sessions whose
 * branches are walked by keys.
 */
export class BranchSteps {
  readonly #database: Database;
  readonly #branches: Branches;

  constructor(database: Database, branches: Branches) {
    this.#database = database;
    this.#branches = branches;
  }

  /** What stands before an entry on its branch, the nearest first. */
  above(place: StepPlace): Generator<SteppedEntry> {
    const statement = prepared(this.#database, PARENT);
    return this.#entries(place, (key) => statement.pluck().get(key) as number | null | undefined);
  }

  /** What comes after an entry on the branch it lies on. */
  below(place: StepPlace): Generator<SteppedEntry> {
    return this.#entries(place, (key) => this.#nextOf({ ...place, key }));
  }

  /** On the active branch if that goes on from here, else where the latest branch does. */
  #nextOf({ key, fileId, session }: StepPlace): number | undefined {
    const children = prepared(this.#database, IN_TIME).pluck().all({ key, fileId }) as number[];
    if (children.length < 2) return children[0];
    const isActive = (child: number) => this.#branches.holds({ ...session, key: child, fileId });
    return children.findLast(isActive) ?? children.at(-1);
  }

  *#entries(
    { key, session: { realPath, version } }: StepPlace,
    step: (key: number) => number | null | undefined,
  ): Generator<SteppedEntry> {
    for (let at = step(key); at !== null && at !== undefined; at = step(at)) {
      const entry = prepared(this.#database, ENTRY).get(at) as EntryRow | undefined;
      // Another process has taken the session out of the index just now.
      if (entry === undefined) return;
      yield { ...entry, realPath, version };
    }
  }
}

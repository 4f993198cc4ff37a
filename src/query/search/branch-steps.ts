import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import type { BodyPlace } from "../../store/tables/entry-bodies.ts";
import type { EntryNode } from "../../store/tables/entry-nodes.ts";
import { CHILDREN } from "../../store/tables/entry-rows.ts";
import type { Branches } from "./branch.ts";
import type { HitSession } from "./hit-sessions.ts";

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

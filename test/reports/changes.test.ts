import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { type Change, currentRevision, readChanges } from "../../src/reports/changes.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { purge } from "../../src/search/purge.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { fc } from "../helpers/drawn.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { indexIn, usualFolder } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { type FileEvent, fileEvents, happen } from "../helpers/session-store-model.ts";
import { tempDir } from "../helpers/temp-dir.ts";

type Step = FileEvent | { kind: "read"; limit: number } | { kind: "purge" } | { kind: "lose" };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fileEvents },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("read" as const), limit: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: "purge" }, { kind: "lose" }) },
  ),
  { minLength: 1, maxLength: 40 },
);

/** A program that reads the feed: all that it knows is what it was told. */
class Reader {
  readonly entries = new Map<number, string>();
  revision: string | null = null;

  /** Reads a piece; false once there is no more. */
  read(index: Index, limit: number): boolean {
    const { changes, revision, isComplete } = readChanges(index, this.revision, limit);
    for (const change of changes) this.#take(change);
    expect(changes.at(-1)?.revision ?? revision).toBe(revision);
    this.revision = revision;
    return !isComplete;
  }

  #take(change: Change): void {
    if (change.kind === "restart") this.entries.clear();
    else if (change.kind === "entry")
      this.entries.set(change.key, `${change.session} ${change.line} ${change.entryId}`);
    else
      for (const key of [...this.entries.keys()])
        if (key >= change.firstKey && key <= change.lastKey) this.entries.delete(key);
  }
}

function entriesOf({ database }: Index): Map<number, string> {
  const rows = database
    .prepare(
      "SELECT e.key, s.session_id, e.line, e.entry_id FROM entries e JOIN sessions s ON s.file_id = e.file_id ORDER BY e.key",
    )
    .raw()
    .all() as [number, string, number, string | null][];
  return new Map(rows.map(([key, id, line, entryId]) => [key, `${id} ${line} ${entryId}`]));
}

describe("changes since a revision", () => {
  test("leave a reader with what the index has, whatever happened and wherever it had stopped", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const [root, folder, reader] = [tempDir(), usualFolder(), new Reader()];
        let index = openIndex(indexIn(folder));
        const doStep = (step: Step): void => {
          if (step.kind === "read") {
            reader.read(index, step.limit);
          } else if (step.kind === "purge") {
            feedSearch(index);
            purge(index);
          } else if (step.kind === "lose") {
            index.close();
            for (const part of ["", "-wal", "-shm"])
              rmSync(join(folder, `index-v1.db${part}`), { force: true });
            index = openIndex(indexIn(folder));
          } else {
            happen(root, step);
            syncAll(index, [root]);
          }
        };
        try {
          for (const step of list) doStep(step);
          syncAll(index, [root]);
          while (reader.read(index, 7));
          expect(reader.entries).toEqual(entriesOf(index));
          expect(readChanges(index, currentRevision(index), 7).changes).toEqual([]);
        } finally {
          index.close();
        }
      }),
      { numRuns: runs(60), seed: SEED },
    );
  });

  test("say what is new, and what is gone, and nothing twice", () => {
    const [root, index] = [tempDir(), openIndex(indexIn(usualFolder()))];
    const first = session({ id: "first" }).user("a").assistant();
    const path = first.writeBelow(root);
    syncAll(index, [root]);
    const all = readChanges(index, null, 100);
    expect(all.changes).toMatchObject([
      { kind: "entry", session: "first", handle: "first:2", role: "user" },
      { kind: "entry", session: "first", handle: "first:3", role: "assistant" },
    ]);
    expect(readChanges(index, all.revision, 100)).toEqual({
      changes: [],
      revision: all.revision,
      isComplete: true,
    });
    rmSync(path);
    session({ id: "second" }).user("b").writeBelow(root);
    syncAll(index, [root]);
    expect(readChanges(index, all.revision, 100).changes).toMatchObject([
      { kind: "removed", firstKey: 1, lastKey: 2 },
      { kind: "entry", session: "second" },
    ]);
    index.close();
  });

  test("of another index, or of no index at all, are told from the beginning, or refused", () => {
    const index = openIndex(indexIn(usualFolder()));
    expect(readChanges(index, "0123abcd.7.1_2.0", 10).changes).toMatchObject([{ kind: "restart" }]);
    expect(() => readChanges(index, "yesterday", 10)).toThrow('"yesterday" is no revision');
    index.close();
  });
});

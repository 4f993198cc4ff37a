import { describe, expect, test } from "vitest";
import type { Database } from "../../../../src/store/native.ts";
import { Structure } from "../../../../src/sync/full-text/segments/structure.ts";
import { fc } from "../../../helpers/drawn.ts";
import {
  buildTexts,
  emptyFullText,
  imageOf,
  insertTexts,
  setOptions,
} from "../../../helpers/full-text-image.ts";
import { runs } from "../../../helpers/fuzz.ts";

/** What is done to a full text before, as it comes to pass in the life of one. */
type Step =
  | { kind: "insert"; words: number }
  | { kind: "merge"; pages: number }
  | { kind: "delete"; key: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("insert" as const), words: fc.integer({ min: 1, max: 400 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("merge" as const), pages: fc.integer({ min: -4, max: 6 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("delete" as const), key: fc.integer({ min: 1, max: 20 }) }),
  },
);

/** Runs the steps; all is deterministic. */
function liveThrough(steps: readonly Step[]): { database: Database; nextKey: number } {
  const database = emptyFullText(128);
  setOptions(database, { usermerge: 2 });
  let nextKey = 1;
  for (const step of steps) {
    if (step.kind === "insert") insertTexts(database, [[nextKey++, wordsFrom(nextKey, step.words)]]);
    else if (step.kind === "merge") setOptions(database, { merge: step.pages });
    else database.prepare("DELETE FROM entry_text WHERE rowid = CAST(? AS INTEGER)").run(step.key);
  }
  return { database, nextKey };
}

function wordsFrom(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `w${(seed * 7919 + at * 31) % 1000}`).join(" ");
}

const RECORD = "SELECT block FROM entry_text_data WHERE id = 10";

describe("the structure record of a full text", () => {
  test("is written as it was read, whatever was done before", () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 25 }), (steps) => {
        const { database } = liveThrough(steps);
        const record = database.prepare(RECORD).pluck().get() as Buffer;
        expect(Buffer.from(Structure.read(record)?.write() ?? [])).toEqual(record);
        database.close();
      }),
      { numRuns: runs(100) },
    );
  });

  test("gains a segment as FTS5 would have added it, and so do all other tables", () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 20 }), fc.integer({ min: 1, max: 2000 }), (steps, words) => {
        const [inserted, built] = [liveThrough(steps), liveThrough(steps)];
        insertTexts(inserted.database, [[inserted.nextKey, wordsFrom(3, words)]]);
        buildTexts(built.database, [[built.nextKey, wordsFrom(3, words)]]);
        expect(imageOf(built.database)).toEqual(imageOf(inserted.database));
        for (const { database } of [inserted, built]) database.close();
      }),
      { numRuns: runs(100) },
    );
  });

  test("is not read where it is of another format", () => {
    const { database } = liveThrough([{ kind: "insert", words: 3 }]);
    const record = database.prepare(RECORD).pluck().get() as Buffer;
    record[4] = 0;
    expect(Structure.read(record)).toBeNull();
    database.close();
  });
});

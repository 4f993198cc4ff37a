import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { readNaively } from "../fixtures/naive-reader.ts";
import { anyEntry, anyHeader } from "../helpers/any-entry.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { LATER, Store } from "./store.ts";

test("A21, I-12: no entry whatever keeps its file, or another one, out of the index", () => {
  const store = new Store();
  fc.assert(
    fc.property(anyHeader, fc.array(anyEntry(), { maxLength: 12 }), (first, entries) => {
      const bytes = Buffer.from([first, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
      store.write("file.jsonl", bytes);
      const { files, troubles } = syncAll(store.index, [store.root], { now: LATER });
      expect([files.failed, troubles]).toEqual([0, []]);
      expect(store.column("SELECT count(*) FROM entries")).toEqual([readNaively(bytes).entries]);
      expect(feedSearch(store.index)).toMatchObject({ complete: true, behind: 0 });
    }),
    { numRuns: runs(250) },
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_TIME } from "../../../src/db/key-blocks.ts";
import { type Found, groupCopies, inOrder, NewestGroups } from "../../../src/query/search/found.ts";

/** Entries of few times and ids, so that many are copies of each other or of the same time. */
const entries = fc
  .array(
    fc.record({
      timestamp: fc.option(fc.integer({ min: 0, max: 9 })),
      entryId: fc.option(fc.constantFrom("a", "b", "c")),
    }),
    { maxLength: 60 },
  )
  .map((all) => all.map((each, key): Found => ({ ...each, key, score: 0 })));

test("the newest groups are those of all entries in order, however they come", () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 12 }), (all, limit) => {
      const newest = new NewestGroups(limit);
      for (const each of all) newest.add(each);
      const last = groupCopies(inOrder([...all], "newest"), limit)[limit - 1]?.[0];
      expect(newest.earliest).toBe(last && (last.timestamp ?? NO_TIME));
    }),
  );
});

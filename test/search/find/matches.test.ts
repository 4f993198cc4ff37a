import { expect, test } from "vitest";
import { FirstGroups, type Found, groupCopies, inOrder } from "../../../src/search/find/matches.ts";
import { fc } from "../../helpers/drawn.ts";

/** Entries of few times and ids, so that many are copies of each other or of the same time. None of 1970, as those without a time. */
const entries = fc
  .array(
    fc.record({
      timestamp: fc.option(fc.integer({ min: 1, max: 9 })),
      entryId: fc.option(fc.constantFrom("a", "b", "c")),
    }),
    { maxLength: 60 },
  )
  .map((all) => all.map((each, key): Found => ({ ...each, key, score: 0 })));

test.each(["newest", "oldest"] as const)(
  "the first groups are those of all entries in order, %s first",
  (sort) => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 4 }), fc.integer({ min: 1, max: 12 }), (parts, limit) => {
        const all = parts.flat().map((each, key) => ({ ...each, key }));
        const first = new FirstGroups(sort, limit);
        const expected = groupCopies(inOrder([...all], sort)).slice(0, limit);
        for (const part of parts) first.add(all.splice(0, part.length));
        expect(first.inOrder()).toEqual(expected);
        expect(first.last?.timestamp).toBe(expected[limit - 1]?.[0]?.timestamp);
      }),
    );
  },
);

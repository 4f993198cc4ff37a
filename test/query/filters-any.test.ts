import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import type { Filter } from "../../src/query/filter.ts";
import { searchEntries } from "../../src/query/search/search.ts";
import { resolveSession } from "../../src/query/session-name.ts";
import { listSessions } from "../../src/query/sessions.ts";
import { sumUsage } from "../../src/query/usage/usage.ts";
import { session } from "../helpers/session-builder.ts";
import { indexOfSessions } from "./indexed.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "'",
    "''",
    '"',
    "' OR 1=1 --",
    "%",
    "_",
    "\\",
    "\0",
    "x'; DELETE FROM files; --",
    "?1",
    ":a",
    "*",
  ),
  fc.string().map((text) => `') UNION SELECT ${text} --`),
);
const filters: fc.Arbitrary<Filter> = fc.record(
  {
    project: hostile,
    model: hostile,
    provider: hostile,
    role: hostile,
    type: hostile,
    tool: hostile,
    label: hostile,
  },
  { requiredKeys: [] },
);

test("F2: whatever the words of a filter or a name are, they are words: nothing else is found, nothing changes", () => {
  const index = indexOfSessions(
    session({ id: "a", cwd: "/home/ada" }).user("word").assistant({ text: "word" }),
  );
  const count = () => index.database.prepare("SELECT count(*) FROM entries").pluck().get();
  fc.assert(
    fc.property(filters, hostile, (filter, name) => {
      const isEmpty = Object.keys(filter).length === 0;
      const { total } = listSessions(index, { filter });
      expect(total).toBeLessThanOrEqual(1);
      if (isEmpty) expect(total).toBe(1);
      searchEntries(index, "word", { filter });
      sumUsage(index, { by: "model", timezone: "UTC", filter });
      expect(() => resolveSession(index, `${name}~`)).toThrow(SessionDbError);
      expect(count()).toBe(2);
    }),
  );
});

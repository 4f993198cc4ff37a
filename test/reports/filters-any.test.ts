import { expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import type { Filter } from "../../src/filters/filter.ts";
import { resolveSession } from "../../src/filters/resolve-session.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { searchEntries } from "../../src/search/search.ts";
import { fc } from "../helpers/drawn.ts";
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
const words = fc.record({
  // The root of the file system holds all projects.
  project: hostile.filter((text) => /[^/.]/.test(text)),
  model: hostile,
  provider: hostile,
  role: hostile,
  type: hostile,
  tool: hostile,
  label: hostile,
});
const keys = ["project", "model", "provider", "role", "type", "tool", "label"] as const;
/** Few conditions at a time: what one of them let through, others would keep out. */
const filters = fc.tuple(words, fc.subarray([...keys], { maxLength: 2 })).map(([all, chosen]) => {
  const filter: Filter = {};
  for (const key of chosen) filter[key] = all[key];
  return filter;
});

/** By the id of the session that has it. */
const MODELS = { a: "claude-sonnet-4-5", b: "gpt-5" };

/** The sessions that a filter of such words leaves, told without SQL: parts of a model's name is all they can be. */
function heldBy({ model, ...others }: Filter): string[] {
  if (Object.keys(others).length > 0) return [];
  const models = Object.entries(MODELS);
  return models.flatMap(([id, name]) => (name.includes(model?.toLowerCase() ?? "") ? [id] : []));
}

test("F2: whatever the words of a filter or a name are, they are words: nothing else is found, nothing changes", () => {
  const index = indexOfSessions(
    ...Object.entries(MODELS).map(([id, model]) => {
      const built = session({ id, cwd: "/home/ada" }).user("word");
      built.assistant({ text: "word", model, toolCalls: [{ name: "ls", arguments: {} }] });
      return built.label(built.lastId ?? "", "kept");
    }),
  );
  const count = () => index.database.prepare("SELECT count(*) FROM entries").pluck().get();
  fc.assert(
    fc.property(filters, hostile, (filter, name) => {
      const held = heldBy(filter);
      const { sessions } = listSessions(index, { filter });
      expect(sessions.map(({ id }) => id).sort()).toEqual(held);
      const { hits } = searchEntries(index, "word", { filter });
      expect([...new Set(hits.map(({ session: { id } }) => id))].sort()).toEqual(held);
      const { rows } = sumUsage(index, { by: "session", timezone: "UTC", filter });
      expect(rows.map(({ key }) => key).sort()).toEqual(held);
      expect(() => resolveSession(index, `${name}~`)).toThrow(SessionDbError);
      expect(count()).toBe(6);
    }),
  );
});

import { expect, test } from "vitest";
import type { Filter } from "../../src/filters/filter.ts";
import { listLabels } from "../../src/reports/labels.ts";
import { session } from "../helpers/session-builder.ts";
import { indexOfSessions } from "./indexed.ts";

/** Two sessions with entries of the same ids, as only chance makes them, and a label of something that is not there. */
const index = () =>
  indexOfSessions(
    session({ id: "a", cwd: "/a", timestamp: "2026-01-01T00:00:00Z" })
      .user("apple", { id: "same" })
      .assistant({ text: "pear" }, { id: "other" })
      .label("same", "Todo")
      .label("gone", "lost"),
    session({ id: "b", cwd: "/b", timestamp: "2026-01-02T00:00:00Z" })
      .name("b")
      .user("quince", { id: "same" })
      .label("same", "done")
      .label("same", "todo")
      .label("same", "Done"),
  );

test("labels in force are told newest first, each with its own session's entry", () => {
  const told = listLabels(index()).map(({ label, session: { id }, line, role, preview, timestamp }) => [
    label,
    id,
    line,
    role,
    preview,
    timestamp?.slice(0, 10),
  ]);
  expect(told).toEqual([
    ["Done", "b", 3, "user", "quince", "2026-01-02"],
    ["lost", "a", null, null, "", "2026-01-01"],
    ["Todo", "a", 2, "user", "apple", "2026-01-01"],
  ]);
});

test("the oldest come first where that is wanted", () => {
  const told = listLabels(index(), { sort: "oldest", limit: 2 }).map(({ label }) => label);
  expect(told).toEqual(["Todo", "lost"]);
});

test.each<[Filter, string[]]>([
  [{ label: "TODO" }, ["Todo"]],
  [{ label: "tod" }, []],
  [{ project: "/a" }, ["lost", "Todo"]],
  [{ role: "user" }, ["Done", "Todo"]],
  [{ role: "assistant" }, []],
  [{ since: Date.parse("2026-01-02") }, ["Done"]],
  [{ until: Date.parse("2026-01-02"), label: "lost" }, ["lost"]],
])("those that %j lets through", (filter, labels) => {
  expect(listLabels(index(), { filter }).map(({ label }) => label)).toEqual(labels);
});

test("as many as are wanted, of the roots that are asked about", () => {
  expect(listLabels(index(), { limit: 1 }).map(({ label }) => label)).toEqual(["Done"]);
  expect(listLabels(index(), { limit: 0 })).toHaveLength(3);
  expect(listLabels(index(), { roots: ["/nowhere"] })).toEqual([]);
});

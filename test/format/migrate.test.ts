import { expect, test } from "vitest";
import { migrateToCurrent } from "../../src/format/migrate.ts";
import { uncheckedEntry } from "../../src/format/parse.ts";

test("A18: each entry of version 1 gets an id that none before it has", () => {
  const entries = [{ type: "session", id: "s" }, ...["a", "b", "c"].map((id) => ({ type: "custom", id }))];
  /** Draws the same few again and again. */
  const nameOf = (_entry: unknown, taken: ReadonlySet<string>) =>
    ["x", "y", "z"].find((id) => !taken.has(id)) ?? "none is free";
  const migrated = entries.map(uncheckedEntry);
  expect(migrateToCurrent(migrated, nameOf)).toBe(true);
  expect(migrated).toMatchObject([
    { type: "session", id: "s", version: 3 },
    { id: "x", parentId: null },
    { id: "y", parentId: "x" },
    { id: "z", parentId: "y" },
  ]);
});

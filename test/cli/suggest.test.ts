import { expect, test } from "vitest";
import { closest, distanceOf } from "../../src/cli/suggest.ts";

test.each([
  ["serch", "search"],
  ["lsit", "list"],
  ["usages", "usage"],
  ["sch", "schema"],
  ["banana", undefined],
  ["x", undefined],
  ["se", undefined],
])("%s was probably meant to be %s", (word, meant) => {
  expect(closest(word, ["sync", "list", "search", "usage", "sql", "schema"])).toBe(meant);
});

test("of several that are near the nearest was meant", () => {
  expect(closest("tols", ["tool", "toolz", "tools"])).toBe("tools");
});

test.each([
  ["", "abc", 3],
  ["abc", "abc", 0],
  ["lsit", "list", 1],
  ["kitten", "sitting", 3],
])("from %j to %j it is %i steps", (from, to, steps) => {
  expect(distanceOf(from, to)).toBe(steps);
});

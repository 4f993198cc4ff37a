import { expect, test } from "vitest";
import { closest, distanceOf } from "../../../src/cli/command-line/suggest.ts";

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

test.each([
  [
    "a word that begins with it before one two typing errors away",
    "sessions",
    ["version", "sessions-dir"],
    "sessions-dir",
  ],
  ["a word one typing error away before one that begins with it", "tool", ["tool-name", "tools"], "tools"],
  ["a near word before several that begin with it", "sess", ["session-a", "session-b", "less"], "less"],
  [
    "of several that begin with it the first where none is near",
    "sess",
    ["session-a", "session-b"],
    "session-a",
  ],
  ["a near word before what begins with two letters", "se", ["sessions-dir", "so"], "so"],
])("%s", (_name, word, candidates, meant) => {
  expect(closest(word, candidates)).toBe(meant);
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

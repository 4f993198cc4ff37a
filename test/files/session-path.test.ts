import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { locateSessionFiles } from "../../src/files/locate.ts";
import { beyond, exclusionOf, insideOf, isWithin } from "../../src/files/session-path.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe("a path lies within", () => {
  test.each([
    ["/a", "/a", true],
    ["/a", "/a/b", true],
    ["/a/", "/a/b", true],
    ["/a", "/ab", false],
    ["/a/b", "/a", false],
    ["/", "/a", true],
  ])("%s: %s: %s", (folder, path, is) => {
    expect(isWithin(folder, path)).toBe(is);
  });
});

test("what lies below a folder sorts between its inside and what is beyond it", () => {
  const paths = ["/a", "/a!", "/a-b/c", "/a/", "/a/b", "/a/\u{10ffff}", "/a0", "/ab"];
  const below = paths.filter((path) => path >= insideOf("/a") && path < beyond("/a"));
  expect(below).toEqual(["/a/", "/a/b", "/a/\u{10ffff}"]);
});

test.each([
  ["/a/b", "/a/b", true],
  ["/a/b", "/a/b/c/d.jsonl", true],
  ["/a/b/", "/a/b/c", true],
  ["/a/b//", "/a/b", true],
  ["/a/b", "/a/bc", false],
  ["/a/b", "/x/a/b", false],
  ["/a/--home-x-*", "/a/--home-x-secret--/s.jsonl", true],
  ["/a/*/s.jsonl", "/a/b/s.jsonl", true],
  ["/a/*/s.jsonl", "/a/b/c/s.jsonl", false],
  ["/a.c(1)+[x]", "/a.c(1)+[x]/y", true],
  ["/a.c", "/abc", false],
  ["/a/secret*", "/a/secret/s.jsonl", true],
  ["/a/*", "/a/two\nlines", true],
  ["/a/b", "/A/b", false],
  ["/a/\u00e9", "/a/e\u0301", false],
])("%s excludes %s: %s", (pattern, path, excluded) => {
  expect(exclusionOf([pattern], "linux")(path)).toBe(excluded);
});

test("case makes no difference on Windows", () => {
  const isExcluded = exclusionOf(["C:\\Users\\ada\\secret"], "win32");
  expect(isExcluded("c:\\users\\Ada\\SECRET\\s.jsonl")).toBe(true);
  expect(isExcluded("c:\\users\\Ada\\secrets")).toBe(false);
});

test("neither case nor the writing of an accent makes a difference on macOS", () => {
  const isExcluded = exclusionOf(["/Users/ada/Caf\u00e9*"], "darwin");
  expect(isExcluded("/users/ada/cafe\u0301s/s.jsonl")).toBe(true);
  expect(isExcluded("/Users/ada/cafes/s.jsonl")).toBe(false);
});

test("an asterisk is a part of one name on Windows, too", () => {
  const isExcluded = exclusionOf(["C:\\a\\*\\s.jsonl"], "win32");
  expect(isExcluded("C:\\a\\b\\s.jsonl")).toBe(true);
  expect(isExcluded("C:\\a\\b\\c\\s.jsonl")).toBe(false);
});

test("each of several patterns is meant from the beginning of a path", () => {
  const isExcluded = exclusionOf(["/a", "/b"], "linux");
  expect(["/a/x", "/b/x", "/x/a", "/x/b"].map(isExcluded)).toEqual([true, true, false, false]);
});

test("nothing is excluded without patterns", () => {
  expect(exclusionOf([])("/any")).toBe(false);
});

test("excluded folders and files are not found, by whatever way they are reached", () => {
  const root = tempDir();
  const elsewhere = tempDir();
  mkdirSync(join(root, "kept"));
  mkdirSync(join(root, "left"));
  for (const path of [
    join(root, "kept", "a.jsonl"),
    join(root, "left", "b.jsonl"),
    join(elsewhere, "c.jsonl"),
  ]) {
    writeFileSync(path, "{}\n");
  }
  symlinkSync(elsewhere, join(root, "link"));
  const found = (...patterns: string[]) =>
    locateSessionFiles([root], exclusionOf(patterns)).files.map(({ path }) => path.slice(root.length + 1));
  expect(found()).toEqual(["kept/a.jsonl", "left/b.jsonl", "link/c.jsonl"]);
  expect(found(join(root, "left"))).toEqual(["kept/a.jsonl", "link/c.jsonl"]);
  expect(found(elsewhere)).toEqual(["kept/a.jsonl", "left/b.jsonl"]);
  expect(found(join(root, "link"), join(root, "*", "a.jsonl"))).toEqual(["left/b.jsonl"]);
  expect(found(root)).toEqual([]);
});

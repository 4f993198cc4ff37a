import { describe, expect, test } from "vitest";
import { beyond, insideOf, isWithin } from "../../src/files/session-path.ts";

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

import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sharedTempDir, tempDir } from "./temp-dir.ts";

const shared = sharedTempDir();

describe("a folder", { shuffle: false }, () => {
  const used: string[] = [];

  test("is there during the test that asked for it", () => {
    const dir = tempDir();
    used.push(dir);
    mkdirSync(join(dir, "closed"));
    writeFileSync(join(dir, "closed", "file"), "x");
    chmodSync(join(dir, "closed"), 0);
    expect(existsSync(dir)).toBe(true);
  });

  test("is gone after its test, closed subfolders included", () => {
    expect(used.map((dir) => existsSync(dir))).toEqual([false]);
  });
});

test("a shared folder outlives the tests of its file, and is none for a single one", () => {
  expect(existsSync(shared)).toBe(true);
  expect(() => sharedTempDir()).toThrow("tempDir");
});

describe("in a beforeEach", () => {
  let dir = "";
  const seen = new Set<string>();
  beforeEach(() => {
    dir = tempDir();
  });
  test.each([1, 2])("each test gets a folder of its own (%i)", () => {
    expect(existsSync(dir)).toBe(true);
    expect([...seen].filter((earlier) => earlier === dir || existsSync(earlier))).toEqual([]);
    seen.add(dir);
  });
});

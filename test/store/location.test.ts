import { appendFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileAt, isSameFile } from "../../src/store/location.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const FILE = { device: 1, inode: 2, bornAt: 1000 };

test("a file stays the same however often it is written to", () => {
  const path = join(tempDir(), "a.db");
  writeFileSync(path, "one");
  const before = fileAt(path);
  appendFileSync(path, "two");
  utimesSync(path, 1, 1);
  expect(isSameFile(fileAt(path), before)).toBe(true);
});

test("what is not there is no file, not even the same as what was not there before", () => {
  const path = join(tempDir(), "a.db");
  writeFileSync(path, "one");
  const before = fileAt(path);
  rmSync(path);
  expect([fileAt(path), isSameFile(null, before), isSameFile(null, null)]).toEqual([null, false, false]);
});

test("a file that was given the number of another is another one", () => {
  expect(isSameFile(FILE, { ...FILE, bornAt: 2000 })).toBe(false);
  expect(isSameFile(FILE, { ...FILE, inode: 3 })).toBe(false);
  expect(isSameFile(FILE, { ...FILE, device: 3 })).toBe(false);
});

test("where nobody knows when a file was born its number decides", () => {
  const unborn = { ...FILE, bornAt: null };
  expect([isSameFile(unborn, unborn), isSameFile(unborn, FILE), isSameFile(FILE, unborn)]).toEqual([
    true,
    true,
    true,
  ]);
});

import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FileStat, sameFile, sameStat, statFile } from "../../src/files/stat.ts";
import { fileIn, tempDir } from "../helpers/temp-dir.ts";

describe("two stats of a file", () => {
  const stat: FileStat = { device: 1, inode: 2, bornAt: 3, size: 3, mtimeMs: 4.5, ctimeMs: 5.5 };

  test.each(["device", "inode", "size", "mtimeMs", "ctimeMs"] as const)("differ when %s differs", (field) => {
    expect(sameStat(stat, { ...stat, [field]: 99 })).toBe(false);
  });

  test("are the same when nothing differs", () => {
    expect(sameStat(stat, { ...stat })).toBe(true);
  });

  test.each([
    ["device", false],
    ["inode", false],
    ["bornAt", false],
    ["size", true],
    ["mtimeMs", true],
    ["ctimeMs", true],
  ] as const)("speak of one file though %s differs: %s", (field, same) => {
    expect(sameFile(stat, { ...stat, [field]: 99 })).toBe(same);
  });
});

describe("the stat of a path", () => {
  test("is that of the file a link leads to", () => {
    const folder = tempDir();
    const path = fileIn(folder);
    symlinkSync(path, join(folder, "link"));
    expect(statFile(join(folder, "link"))?.inode).toBe(statSync(path).ino);
  });

  test("is nothing for a folder, and for nothing", () => {
    const folder = tempDir();
    expect([statFile(folder), statFile(join(folder, "nowhere"))]).toEqual([null, null]);
  });
});

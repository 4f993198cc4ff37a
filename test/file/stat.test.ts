import { execFileSync } from "node:child_process";
import { closeSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FileStat, openRegularFile, sameStat, statFile, statOpenFile } from "../../src/file/stat.ts";
import { sameFile } from "../../src/file-identity.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function fileIn(folder: string, text = "0123456789"): string {
  const path = join(folder, "a.jsonl");
  writeFileSync(path, text);
  return path;
}

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

describe("opening a session file", () => {
  test("gives a descriptor whose stat is the path's", () => {
    const path = fileIn(tempDir());
    const fd = openRegularFile(path) ?? -1;
    expect(statOpenFile(fd)).toEqual(statFile(path));
    closeSync(fd);
  });

  test("changes no time of the file but perhaps that of access", () => {
    const path = fileIn(tempDir());
    utimesSync(path, 1, 2);
    const before = statFile(path);
    closeSync(openRegularFile(path) ?? -1);
    expect(statFile(path)).toEqual(before);
  });

  test("B12: never waits at a FIFO", () => {
    const path = join(tempDir(), "fifo.jsonl");
    execFileSync("mkfifo", [path]);
    expect(openRegularFile(path)).toBeNull();
  });

  test("B12: follows no link that was put in its place", () => {
    const folder = tempDir();
    symlinkSync(fileIn(folder), join(folder, "link.jsonl"));
    expect(openRegularFile(join(folder, "link.jsonl"))).toBeNull();
  });

  test("opens no folder", () => {
    expect(openRegularFile(tempDir())).toBeNull();
  });

  test("says what the file system says when nothing is there", () => {
    expect(() => openRegularFile(join(tempDir(), "nowhere"))).toThrow(/ENOENT/);
  });
});

import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endOfLinks, namesOfPath, normalizePath, pathsEqual, resolvePath } from "../../src/files/paths.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a leading tilde is home, a file URL a path, anything else stays", () => {
  expect(normalizePath("~")).toBe(homedir());
  expect(normalizePath("~/x")).toBe(join(homedir(), "x"));
  expect(normalizePath("~x")).toBe("~x");
  expect(normalizePath("file:///tmp/a%20b")).toBe("/tmp/a b");
  expect(normalizePath("a/../b")).toBe("a/../b");
  expect(resolvePath("a/../b")).toBe(join(process.cwd(), "b"));
});

test("paths are equal however they are written", () => {
  expect(pathsEqual("/a/b", "/a/./c/../b/")).toBe(true);
  expect(pathsEqual("/a/b", "/a/B")).toBe(process.platform === "win32");
});

const realTempDir = () => realpathSync(tempDir());

describe.skipIf(process.platform === "win32")("the names a path goes by", () => {
  test("are one where it leads through no link", () => {
    const dir = realTempDir();
    expect([namesOfPath(dir), namesOfPath("/")]).toEqual([[dir], ["/"]]);
    expect(namesOfPath(join(dir, "not", "there"))).toEqual([join(dir, "not", "there")]);
  });

  test("are two where it does, whether it is there or not", () => {
    const dir = realTempDir();
    mkdirSync(join(dir, "real"));
    symlinkSync("real", join(dir, "link"));
    expect(namesOfPath(join(dir, "link"))).toEqual([join(dir, "link"), join(dir, "real")]);
    const gone = (name: string) => join(dir, name, "not", "there");
    expect(namesOfPath(gone("link"))).toEqual([gone("link"), gone("real")]);
  });
});

test.skipIf(!existsSync(import.meta.filename.toUpperCase()))(
  "one of them is written as the disk has it, where that does not tell capitals from small letters",
  () => {
    const dir = realTempDir();
    mkdirSync(join(dir, "Work"));
    expect(namesOfPath(join(dir, "wORK", "not-there"))).toContain(join(dir, "Work", "not-there"));
  },
);

test.each([
  ["C:\\Users\\ada", "c:\\Users\\ada"],
  ["c:/Users/ada", "C:/Users/ada"],
])("%s goes by the name %s too", (path, name) => {
  expect(namesOfPath(path)).toEqual(expect.arrayContaining([path, name]));
});

describe.skipIf(process.platform === "win32")("where links lead", () => {
  test("is the path itself where it is none", () => {
    const dir = realTempDir();
    writeFileSync(join(dir, "file"), "");
    for (const name of ["file", "nowhere"]) expect(endOfLinks(join(dir, name))).toBe(join(dir, name));
  });

  test("is the end of all of them, though nothing is there", () => {
    const dir = realTempDir();
    symlinkSync("second", join(dir, "first"));
    symlinkSync("file", join(dir, "second"));
    expect(endOfLinks(join(dir, "first"))).toBe(join(dir, "file"));
  });

  test("is counted from the folder a link really stands in", () => {
    const dir = realTempDir();
    mkdirSync(join(dir, "a", "b"), { recursive: true });
    symlinkSync(join("a", "b"), join(dir, "folder"));
    symlinkSync(join("..", "file"), join(dir, "a", "b", "link"));
    expect(endOfLinks(join(dir, "folder", "link"))).toBe(join(dir, "a", "file"));
  });
});

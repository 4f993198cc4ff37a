import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isSessionFileName } from "../../src/files/session-path.ts";
import { toFileStat } from "../../src/files/stat.ts";
import { createFile, fillEmptyFile, replaceFile } from "../../src/files/write-file.ts";
import { canLimit, withFileSizeLimit } from "../helpers/limits.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { fileWith, markOf, pathOf, textOf } from "./marked-file.ts";

const statOf = (path: string) => toFileStat(statSync(path));

describe("createFile", () => {
  test("writes all lines, in a folder that is made where it is missing", () => {
    const path = join(tempDir(), "new", "folder", "file.jsonl");
    const lines = Array.from({ length: 12_000 }, (_, at) => `${at} ${"é".repeat(200)}\n`);
    expect(createFile(path, lines)).toMatchObject(markOf(path));
    expect(textOf(path)).toBe(lines.join(""));
  });

  test("never touches a file that is there", () => {
    const path = fileWith("theirs\n");
    expect(() => createFile(path, ["ours\n"])).toThrow(expect.objectContaining({ code: "EEXIST" }));
    expect(textOf(path)).toBe("theirs\n");
  });

  test.skipIf(!canLimit)("leaves no file when it cannot be written as a whole", () => {
    const path = pathOf();
    const create = () => withFileSizeLimit(5, () => createFile(path, ["one\n", "two\n"]));
    expect(create).toThrow(expect.objectContaining({ code: "EFBIG" }));
    expect(existsSync(path)).toBe(false);
  });

  test("leaves no file when a line cannot be made", () => {
    const path = pathOf();
    function* lines() {
      yield "one\n";
      throw new Error("no more");
    }
    expect(() => createFile(path, lines())).toThrow("no more");
    expect(existsSync(path)).toBe(false);
  });
});

describe("fillEmptyFile", () => {
  test("writes the first line", () => {
    const path = fileWith("");
    expect(fillEmptyFile(path, "header\n", statOf(path))).toMatchObject(markOf(path));
    expect(textOf(path)).toBe("header\n");
  });

  test("refuses another empty file in its place", () => {
    const path = fileWith("");
    const stat = statOf(path);
    renameSync(fileWith(""), path);
    expect(() => fillEmptyFile(path, "header\n", stat)).toThrow(expect.objectContaining({ code: "busy" }));
    expect(textOf(path)).toBe("");
  });

  test("refuses a file that is empty no longer", () => {
    const path = fileWith("");
    const stat = statOf(path);
    writeFileSync(path, "theirs\n");
    expect(() => fillEmptyFile(path, "header\n", stat)).toThrow(expect.objectContaining({ code: "busy" }));
    expect(textOf(path)).toBe("theirs\n");
  });
});

describe("replaceFile", () => {
  test("puts a new file in the old one's place, with its mode", () => {
    const path = fileWith("old\n");
    chmodSync(path, 0o640);
    const before = statOf(path);
    const mark = replaceFile(path, ["new\n", "er\n"], before);
    expect(textOf(path)).toBe("new\ner\n");
    expect(mark).toMatchObject(markOf(path));
    expect(mark.inode).not.toBe(before.inode);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(path, ".."))).toEqual(["file.jsonl"]);
  });

  test("writes it beside the old one, under a name that is no session's", () => {
    const path = fileWith("old\n");
    const seen: string[][] = [];
    function* lines() {
      seen.push(readdirSync(join(path, "..")));
      yield "new\n";
    }
    replaceFile(path, lines(), statOf(path));
    expect(seen[0]).toHaveLength(2);
    expect(seen[0]?.filter(isSessionFileName)).toEqual(["file.jsonl"]);
  });

  test.skipIf(process.getuid?.() !== 0)("leaves it to its owner and group", () => {
    const owners = [
      [65_534, 65_534],
      [0, 65_534],
    ] as const;
    for (const [uid, gid] of owners) {
      const path = fileWith("old\n");
      chownSync(path, uid, gid);
      replaceFile(path, ["new\n"], statOf(path));
      expect(statSync(path)).toMatchObject({ uid, gid });
    }
  });

  test("replaces what a link leads to, and keeps the link", () => {
    const path = fileWith("old\n");
    const link = pathOf("link.jsonl");
    symlinkSync(path, link);
    replaceFile(link, ["new\n"], statOf(link));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(textOf(path)).toBe("new\n");
  });

  test("E8: gives up when the file has changed, and leaves nothing behind", () => {
    const path = fileWith("old\n");
    const before = statOf(path);
    writeFileSync(path, "theirs\n", { flag: "a" });
    const replace = () => replaceFile(path, ["new\n"], before);
    expect(replace).toThrow(expect.objectContaining({ code: "busy" }));
    expect(textOf(path)).toBe("old\ntheirs\n");
    expect(readdirSync(join(path, ".."))).toEqual(["file.jsonl"]);
  });

  test.skipIf(!canLimit)("leaves the old file when the new one cannot be written", () => {
    const path = fileWith("old\n");
    const replace = () => withFileSizeLimit(6, () => replaceFile(path, ["new\n", "er\n"], statOf(path)));
    expect(replace).toThrow(expect.objectContaining({ code: "EFBIG" }));
    expect(textOf(path)).toBe("old\n");
    expect(readdirSync(join(path, ".."))).toEqual(["file.jsonl"]);
  });
});

test.skipIf(!existsSync("/proc/self/fd"))("no file stays open", () => {
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  const path = pathOf();
  createFile(path, ["one\n"]);
  replaceFile(path, ["two\n"], statOf(path));
  const empty = fileWith("");
  fillEmptyFile(empty, "three\n", statOf(empty));
  expect(open()).toBe(before);
});

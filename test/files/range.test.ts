import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type FileRange, readRange, useRange } from "../../src/files/range.ts";
import { fileIn, tempDir } from "../helpers/temp-dir.ts";

const asText = (bytes: Buffer) => bytes.toString("latin1");

const READERS: [string, (range: FileRange) => string | null | undefined][] = [
  ["read", ({ path, offset, length }) => readRange(path, offset, length)?.toString("latin1") ?? null],
  ["used", (range) => useRange(range, asText)],
];

describe.each(READERS)("a range of a file that is %s", (_way, textOf) => {
  test("is its bytes", () => {
    expect(textOf({ path: fileIn(tempDir()), offset: 2, length: 3 })).toBe("234");
  });

  test("is shorter where the file ends", () => {
    expect(textOf({ path: fileIn(tempDir()), offset: 8, length: 5 })).toBe("89");
  });

  test("is whole however long it is", () => {
    const text = "0123456789".repeat(60_000);
    const range = { path: fileIn(tempDir(), text), offset: 5, length: text.length - 5 };
    expect(textOf(range)).toBe(text.slice(5));
  });

  test("is nothing where there is no file", () => {
    expect(textOf({ path: join(tempDir(), "nowhere"), offset: 0, length: 3 })).toBeNull();
  });

  test("is nothing where a folder has come in its place", () => {
    const path = join(tempDir(), "d");
    mkdirSync(path);
    expect(textOf({ path, offset: 0, length: 3 })).toBeNull();
  });

  test("B12: is nothing where a link has come in its place", () => {
    const folder = tempDir();
    const path = join(folder, "link");
    symlinkSync(fileIn(folder), path);
    expect(textOf({ path, offset: 0, length: 3 })).toBeNull();
  });

  test.skipIf(process.platform === "win32")(
    "B12: is nothing, at once, where a FIFO has come in its place",
    () => {
      const path = join(tempDir(), "pipe");
      execFileSync("mkfifo", [path]);
      expect(textOf({ path, offset: 0, length: 3 })).toBeNull();
    },
  );
});

test("a range stays what it is while another one is used", () => {
  const path = fileIn(tempDir());
  const texts = useRange({ path, offset: 2, length: 3 }, (outer) => {
    const inner = useRange({ path, offset: 6, length: 3 }, asText);
    return [inner, asText(outer)];
  });
  expect(texts).toEqual(["678", "234"]);
});

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  closeFile,
  openRegularFile,
  openSeenFile,
  useFile,
  useRegularFile,
} from "../../src/files/open-file.ts";
import type { Opened } from "../../src/files/packed-file.ts";
import { statFile, statOpenFile } from "../../src/files/stat.ts";
import { fileIn, tempDir } from "../helpers/temp-dir.ts";

const openSeen = (path: string): Opened | null => openSeenFile(path)?.fd ?? null;

describe.each([openRegularFile, openSeen])("opening a session file (%o)", (open) => {
  test("gives a descriptor whose stat is the path's", () => {
    const path = fileIn(tempDir());
    const fd = open(path) ?? -1;
    expect(statOpenFile(fd)).toEqual(statFile(path));
    closeFile(fd);
  });

  test("changes no time of the file but perhaps that of access", () => {
    const path = fileIn(tempDir());
    utimesSync(path, 1, 2);
    const before = statFile(path);
    closeFile(open(path) ?? -1);
    expect(statFile(path)).toEqual(before);
  });

  test("B12: never waits at a FIFO", () => {
    const path = join(tempDir(), "fifo.jsonl");
    execFileSync("mkfifo", [path]);
    expect(open(path)).toBeNull();
  });

  test("B12: follows no link that was put in its place", () => {
    const folder = tempDir();
    symlinkSync(fileIn(folder), join(folder, "link.jsonl"));
    expect(open(join(folder, "link.jsonl"))).toBeNull();
  });

  test("opens no folder", () => {
    expect(open(tempDir())).toBeNull();
  });

  test("says what the file system says when nothing is there", () => {
    expect(() => open(join(tempDir(), "nowhere"))).toThrow(/ENOENT/);
  });

  test("opens no socket", async () => {
    const path = join(tempDir(), "a.jsonl");
    const server = createServer().listen(path);
    await once(server, "listening");
    expect(open(path)).toBeNull();
    server.close();
  });
});

test("a file that is opened comes with its stat", () => {
  const path = fileIn(tempDir());
  const opened = openSeenFile(path);
  expect(opened?.stat).toEqual(statFile(path));
  closeFile(opened?.fd ?? -1);
});

describe("using a file", () => {
  const textOf = (fd: Opened): string => readFileSync(typeof fd === "number" ? fd : fd.path, "utf8");

  test("gives what comes of it, by way of a link too where links are followed", () => {
    const folder = tempDir();
    const path = fileIn(folder);
    symlinkSync(path, join(folder, "link.jsonl"));
    expect(useRegularFile(path, textOf)).toBe("0123456789");
    expect(useRegularFile(join(folder, "link.jsonl"), textOf)).toBeNull();
    expect(useFile(join(folder, "link.jsonl"), textOf)).toBe("0123456789");
  });

  test("that is not there is nothing to one, and an error to the other", () => {
    const nowhere = join(tempDir(), "nowhere");
    expect(useRegularFile(nowhere, textOf)).toBeNull();
    expect(() => useFile(nowhere, textOf)).toThrow(/ENOENT/);
  });

  test.each([useRegularFile, useFile])("closes it also after a bug (%o)", (use) => {
    const path = fileIn(tempDir());
    let used: Opened = -1;
    const bug = (fd: Opened): never => {
      used = fd;
      throw new TypeError("a bug");
    };
    expect(() => use(path, bug)).toThrow("a bug");
    expect(() => closeFile(used)).toThrow(/EBADF/);
  });
});

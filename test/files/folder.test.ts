import { spawnSync } from "node:child_process";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/files/folder.ts";
import { PATIENCE_MS } from "../helpers/poll-until.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a folder is made with those it lies in, and is no trouble where it is", () => {
  const folder = join(tempDir(), "a", "b", "c");
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

test.skipIf(process.platform === "win32")("for everybody the user's mask allows, unless told", () => {
  const folder = join(tempDir(), "a");
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o777 & ~process.umask());
});

test.skipIf(process.platform === "win32")("all of them for the owner only, where that is wanted", () => {
  const root = tempDir();
  makeFolder(join(root, "a", "b"), 0o700);
  expect(["a", "a/b"].map((name) => statSync(join(root, name)).mode & 0o777)).toEqual([0o700, 0o700]);
});

test.skipIf(process.platform === "win32")("a link to a folder is one", () => {
  const root = tempDir();
  mkdirSync(join(root, "real"));
  symlinkSync("real", join(root, "link"));
  makeFolder(join(root, "link"));
  makeFolder(join(root, "link", "b"));
  expect(statSync(join(root, "real", "b")).isDirectory()).toBe(true);
});

test.skipIf(process.platform === "win32")("what cannot be made is told as mkdir tells it", () => {
  const folder = join(tempDir(), "x".repeat(300));
  expect(() => makeFolder(folder)).toThrow(/ENAMETOOLONG.*mkdir/);
});

test("a file in the way is an error", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow("EEXIST");
  expect(() => makeFolder(join(file, "a", "b"))).toThrow(/ENOTDIR|ENOENT|EEXIST/);
});

test.skipIf(process.platform !== "linux")(
  "where the system takes no new names, nothing waits for ever",
  () => {
    const program = join(import.meta.dirname, "..", "..", "dist", "src", "cli", "main.js");
    const sessions = tempDir();
    writeFileSync(join(sessions, "one.jsonl"), "");
    const argv = [program, "list", "--db", "/proc/nobody/here/index-v1.db", "--sessions-dir", sessions];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", timeout: PATIENCE_MS });
    expect([status, stderr]).toEqual([1, expect.stringContaining("the index cannot be opened (ENOENT)")]);
  },
);

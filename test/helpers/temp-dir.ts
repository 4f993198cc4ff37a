import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, TestRunner } from "vitest";
import { codeOf } from "../../src/errors.ts";
import { removeFolder } from "./remove-folder.ts";

/** A new empty folder (its real path), removed when the running test or `beforeEach` scope ends. */
export function tempDir(prefix = "sessiondb-"): string {
  const dir = makeTempDir(prefix);
  onTestFinished(() => removeTree(dir));
  return dir;
}

/** The same for a whole file or `describe`: call it at the top level, outside tests and hooks. */
export function sharedTempDir(prefix = "sessiondb-"): string {
  // Within a test it is too late for `afterAll`, which would not be called.
  if (TestRunner.getCurrentTest() !== undefined)
    throw new Error("In a test it is `tempDir` that is removed.");
  const dir = makeTempDir(prefix);
  afterAll(() => removeTree(dir));
  return dir;
}

/** A file in it; ten digits unless told. */
export function fileIn(folder: string, text = "0123456789"): string {
  const path = join(folder, "a.jsonl");
  writeFileSync(path, text);
  return path;
}

function makeTempDir(prefix: string): string {
  return mkdtempSync(join(realpathSync(tmpdir()), prefix));
}

/** Also removes folders that a test has made unreadable or read-only. */
function removeTree(dir: string): void {
  try {
    removeFolder(dir);
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
    makeWritable(dir);
    removeFolder(dir);
  }
}

function makeWritable(dir: string): void {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return;
  chmodSync(dir, 0o700);
  for (const item of readdirSync(dir, { withFileTypes: true })) {
    if (item.isDirectory()) makeWritable(join(dir, item.name));
  }
}

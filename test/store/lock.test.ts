import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isLocked, takeLock } from "../../src/store/lock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const DAMAGED = [
  ["zeros", Buffer.alloc(4096)],
  ["text", "garbage\n"],
  ["the header of a database and nothing sound after it", `SQLite format 3\0${"x".repeat(9000)}`],
] as const;

/** By another process: to close a file drops the locks that a process has on it. */
function overwrite(path: string, bytes: string): void {
  const { status } = spawnSync("sh", ["-c", 'printf %s "$1" > "$0"', path, bytes]);
  expect(status).toBe(0);
}

test.each(DAMAGED)("E2: a lock whose file is %s is held by nobody, and can be had", (_, bytes) => {
  const path = join(tempDir(), "a-lock.db");
  writeFileSync(path, bytes);
  expect(isLocked(path)).toBe(false);
  expect(readFileSync(path)).toEqual(Buffer.from(bytes));
  const lock = takeLock(path, 0);
  onTestFinished(() => lock?.release());
  expect([lock === null, isLocked(path), takeLock(path, 0)]).toEqual([false, true, null]);
});

test("E1: a lock whose file is overwritten stays with its holder, and can be had after him", () => {
  const path = join(tempDir(), "a-lock.db");
  const lock = takeLock(path, 0);
  overwrite(path, "garbage");
  expect([isLocked(path), takeLock(path, 0)]).toEqual([true, null]);
  lock?.release();
  const next = takeLock(path, 0);
  expect(next).not.toBeNull();
  next?.release();
});

test("F7: a file that a link leads to is not emptied: the lock is said to be damaged, and to be deleted", () => {
  const [folder, letter] = [tempDir(), join(tempDir(), "letter.txt")];
  const path = join(folder, "a-lock.db");
  writeFileSync(letter, "a letter");
  symlinkSync(letter, path);
  expect(() => takeLock(path, 0)).toThrowError(
    expect.objectContaining({
      code: "io",
      message: `this is not a lock file: ${path}`,
      hint: expect.stringMatching(/^Delete it/),
    }),
  );
  expect(readFileSync(letter, "utf8")).toBe("a letter");
});

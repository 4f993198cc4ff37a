import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "../../../src/cli/output/shell.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

/** What a shell makes of words, each of which it gives back with a zero byte after it. */
function readBack(shell: string, words: readonly string[]): string[] {
  const script = `printf '%s\\0' ${words.map((word) => shellWord(word, "linux")).join(" ")}`;
  return execFileSync(shell, ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

const HOSTILE = [
  "plain/path.ts",
  "with space",
  "it's",
  '"; rm -rf ~; echo "',
  "$(id) `id` $HOME",
  "a\nb",
  "\x1b]0;x\x07 and \u009b1m",
  "\u202eexe.\\'",
  "!history",
  "~",
  "天气",
  "*?[a]{b,c}",
  "",
];

test.each(["bash"])("%s reads every word as it was", (shell) => {
  expect(readBack(shell, HOSTILE)).toEqual(HOSTILE);
});

test("sh reads every word without control characters as it was", () => {
  const words = HOSTILE.filter((word) => !/[\p{Cc}\u202e]/u.test(word));
  expect(readBack("sh", words)).toEqual(words);
});

test("bash reads arbitrary words as they were", () => {
  const word = fc.string({ unit: "binary" }).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 20, maxLength: 40 }), (words) => {
      expect(readBack("bash", words)).toEqual(words);
    }),
    { numRuns: runs(20) },
  );
});

test("a word holds nothing that a terminal obeys", () => {
  for (const word of HOSTILE) expect(shellWord(word, "linux")).not.toMatch(/[\p{Cc}\u202e]/u);
});

test("Windows words stand in double quotes where need be", () => {
  expect(shellWord("C:\\a\\b.jsonl", "win32")).toBe("C:\\a\\b.jsonl");
  expect(shellWord("C:\\My Files\\b.jsonl", "win32")).toBe('"C:\\My Files\\b.jsonl"');
});

import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LONGEST_LINE, STEP_BYTES } from "../../../src/files/lines.ts";
import { LineScanner } from "../../../src/search/substring/line-scan.ts";
import { fc } from "../../helpers/drawn.ts";
import { sharedTempDir } from "../../helpers/temp-dir.ts";

const path = join(sharedTempDir(), "lines");
const finderIn = (bytes: Buffer) => (from: number) => bytes.indexOf("!", from);

type Found = [offset: number, length: number, beginning: string];

const found = (offset: number, line: string): Found => [offset, line.length, line.slice(0, 9)];

function scanned(scanner = new LineScanner()): Found[] {
  const all: Found[] = [];
  // The bytes are good until the next line is asked for.
  for (const { offset, bytes } of scanner.lines(path, finderIn)) {
    all.push(found(offset, bytes.toString("latin1")));
  }
  return all;
}

/** The shortest way: every line, and of these the ones with the sign. */
function naively(text: string): Found[] {
  let next = 0;
  return text.split("\n").flatMap((line) => {
    const offset = next;
    next += line.length + 1;
    return line.includes("!") ? [found(offset, line)] : [];
  });
}

test("the lines in which something is found are those of a split at every newline", () => {
  const scanner = new LineScanner();
  const text = fc.array(fc.constantFrom("\n", "!", "a", "\r", "!\n"), { maxLength: 30 });
  fc.assert(
    fc.property(text, (parts) => {
      writeFileSync(path, parts.join(""));
      expect(scanned(scanner)).toEqual(naively(parts.join("")));
    }),
  );
});

test.each([
  ["a step ends with a line", ["a".repeat(STEP_BYTES - 1), "!b", "c!"]],
  ["a step ends within a line", ["a".repeat(STEP_BYTES - 2), "!b", "c!"]],
  ["a line is longer than a step", ["!a", `${"b".repeat(STEP_BYTES + 5)}!`, "c", "!d"]],
  ["a line is longer than several", ["!a", `!${"b".repeat(5 * STEP_BYTES)}`, "!c"]],
])("they are found where %s, with the last newline and without", (_, lines) => {
  for (const text of [lines.join("\n"), `${lines.join("\n")}\n`]) {
    writeFileSync(path, text);
    expect(scanned()).toEqual(naively(text));
  }
});

test("A29: what stands in a line too long to be decoded is passed over, what follows it is not", () => {
  const end = LONGEST_LINE + 5;
  const fd = openSync(path, "w");
  writeSync(fd, "!", 10);
  writeSync(fd, "!\n!a\n", end - 1);
  closeSync(fd);
  expect(scanned()).toEqual([found(end + 1, "!a")]);
  const unfinished = openSync(path, "r+");
  ftruncateSync(unfinished, end);
  closeSync(unfinished);
  expect(scanned()).toEqual([]);
});

test("they are found in the longest line that is decoded, and behind it", () => {
  writeFileSync(path, "!");
  truncateSync(path, LONGEST_LINE);
  appendFileSync(path, "\r\n!a");
  expect(scanned().map(([offset]) => offset)).toEqual([0, LONGEST_LINE + 2]);
});

test("nothing is found where no file can be read", () => {
  expect([...new LineScanner().lines(join(path, "nowhere"), finderIn)]).toEqual([]);
});

test.skipIf(!existsSync("/proc/self/fd"))("the file is closed, read to its end or not", () => {
  writeFileSync(path, "!a\n!b\n");
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let at = 0; at < 5; at++) {
    scanned();
    for (const { offset } of new LineScanner().lines(path, finderIn)) if (offset === 0) break;
  }
  expect(open()).toBe(before);
});

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { STEP_BYTES } from "../../../../src/file/lines.ts";
import { LONGEST_NAME } from "../../../../src/format/name-finder.ts";
import { Inverter } from "../../../../src/sync/full-text/segments/inverter.ts";
import { RunReader } from "../../../../src/sync/full-text/segments/run-reader.ts";
import { fc } from "../../../helpers/drawn.ts";
import { runs } from "../../../helpers/fuzz.ts";

/** What the host is told. */
const told: string[] = [];
const note = (from: number, to: number) => void told.push(inverter.memory.toString("utf8", from, to));
const inverter = new Inverter({ foreign: note, name: note });

/** The words that were cut since the last time, in the order of their bytes, each with its list. */
function wordsOfRun(): [word: string, list: string][] {
  const memory = Buffer.alloc(inverter.size);
  const end = inverter.writeRun(memory);
  const found: [string, string][] = [];
  for (const run = new RunReader(memory, end, 0); !run.isOver; run.next()) {
    found.push([
      memory.toString("utf8", run.wordFrom + 1, run.wordTo),
      memory.toString("hex", run.from, run.to),
    ]);
  }
  return found;
}

/** All words that `cut` finds, where they stand, and what the host is told. */
function cutBy(cut: () => void): { words: [string, string][]; told: string[] } {
  told.length = 0;
  inverter.forgetWords();
  cut();
  inverter.finishEntry(0);
  return { words: wordsOfRun(), told: [...told] };
}

/** A text as it stands in JSON, with letters at either side of it. */
function cutWritten(written: string): void {
  const from = inverter.lines.byteOffset + 3;
  const size = inverter.lines.write(`abc${written}`) - 3;
  inverter.lines.fill("x", 3 + size, 3 + size + 80);
  inverter.cutEscaped(from, from + size);
}

/** Characters that are escaped, with what may stand beside them, so that escapes begin and end anywhere. */
const PIECES = ["\n", "\t", '"', "\\", "\\\\", "n", "nN", "word", "fooBar", "é", "天", "\u0301", " "];
const LONG = ["x".repeat(61), "y".repeat(2011)];
const TEXT = fc
  .array(fc.tuple(fc.constantFrom(...PIECES, ...LONG), fc.integer({ min: 1, max: 40 })), { maxLength: 30 })
  .map((pieces) => pieces.map(([piece, times]) => piece.repeat(piece.length > 60 ? 1 : times)).join(""));

test("the words of a text with escapes are those of the text", () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      const written = JSON.stringify(text).slice(1, -1);
      expect(cutBy(() => cutWritten(written))).toEqual(cutBy(() => inverter.cutText(text)));
    }),
    { numRuns: runs(500) },
  );
});

test("an escape is told from what follows a backslash that is escaped, wherever blocks end", () => {
  for (let before = 0; before < 70; before++) {
    for (const slashes of [1, 2, 3, 4, 63, 64, 65, 128, 129]) {
      const { words } = cutBy(() => cutWritten(`${" ".repeat(before)}${"\\".repeat(slashes)}nb`));
      expect([before, slashes, ...words.map(([word]) => word)]).toEqual([
        before,
        slashes,
        slashes % 2 === 1 ? "b" : "nb",
      ]);
    }
  }
});

test("a word is found whole, wherever blocks end, and without what stands beside the text", () => {
  for (let before = 0; before < 70; before++) {
    for (const length of [1, 4, 7, 8, 9, 11, 12, 13, 15, 16, 17, 63, 64, 65, 129, 300]) {
      const word = "Q7".repeat(150).slice(0, length);
      const { words } = cutBy(() => cutWritten(`${"-".repeat(before)}${word}`));
      expect([before, ...words.map(([found]) => found)]).toEqual([before, word.toLowerCase()]);
    }
  }
});

test("words are in the order of their bytes, however many begin with the same twelve", () => {
  const WORD = fc.tuple(
    fc.constantFrom("", "a", "abcdefghijkl", "abcdefghijklm"),
    fc.stringMatching(/^[a-c0]{1,9}$/),
  );
  fc.assert(
    fc.property(fc.array(WORD, { maxLength: 300 }), (pairs) => {
      const all = pairs.map(([begin, rest]) => begin + rest);
      const { words } = cutBy(() => inverter.cutText(all.join(" ")));
      expect(words.map(([word]) => word)).toEqual([...new Set(all)].sort());
    }),
    { numRuns: runs(200) },
  );
});

test("of an entry that has no room nothing is left, and there is as much room as before", () => {
  const many = (prefix: string) => Array.from({ length: 40_000 }, (_, at) => `${prefix}${at}`).join(" ");
  inverter.cutText("before and");
  expect(inverter.finishEntry(1)).toBe(2);
  inverter.cutText(`${many("a")} ${many("abcdefghijklm")}`);
  expect(inverter.finishEntry(2)).toBeNull();
  inverter.cutText(`${many("b")} and`);
  expect(inverter.finishEntry(3)).toBe(40_001);
  const words = wordsOfRun().map(([word]) => word);
  expect(words.length).toBe(40_002);
  expect(words.slice(0, 3)).toEqual(["and", "b0", "b1"]);
});

test("what the host is told are words that may hold compound names, and what is not all ASCII", () => {
  const longest = `${"z".repeat(LONGEST_NAME - 2)}Ab`;
  const text = `one Two threeFour FIVE x86Y éa aé z${longest} ${longest}`;
  expect(cutBy(() => inverter.cutText(text)).told).toEqual([
    "threeFour",
    "FIVE",
    "x86Y",
    "éa",
    "aé",
    longest,
  ]);
});

test("the host is told of a word that may hold a compound name once, as long as it is remembered", () => {
  const many = Array.from({ length: 60_000 }, (_, at) => `aB${"c".repeat(50)}${at}`).join(" ");
  expect(cutBy(() => inverter.cutText("fooBar FooBar fooBar foobar fooBar")).told).toEqual([
    "fooBar",
    "FooBar",
  ]);
  expect(
    cutBy(() => inverter.cutText(`fooBar ${many} fooBar`)).told.filter((word) => word === "fooBar"),
  ).toHaveLength(2);
});

test("it has room for a step of reading, and for a text with as many invalid bytes", () => {
  expect(inverter.lines.length).toBe(STEP_BYTES);
  expect([STEP_BYTES, STEP_BYTES + 1].map((length) => inverter.hasRoomFor("x".repeat(length)))).toEqual([
    true,
    false,
  ]);
});

test("without WebAssembly there is none, which is no error", () => {
  const module = JSON.stringify(
    new URL("../../../../build/src/sync/full-text/segments/inverter.js", import.meta.url),
  );
  const script = `console.log((await import(${module})).isInverterThere())`;
  const ask = (...argv: string[]) =>
    execFileSync(process.execPath, [...argv, "--input-type=module", "--eval", script], { encoding: "utf8" });
  expect([ask(), ask("--jitless")]).toEqual(["true\n", "false\n"]);
});

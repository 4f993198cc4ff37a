import { describe, expect, test } from "vitest";
import { spaced } from "../../src/search/fts/tokenizer.ts";
import { searchEntries } from "../../src/search/search.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOfSessions } from "../reports/indexed.ts";

describe("F3, I-12: any string whatever", () => {
  test("finds the text that it is, if it holds a letter or digit", () => {
    const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const text = words.join(" ").replace(/["\s-]+/g, " ");
        fc.pre(/[\p{L}\p{N}]/u.test(text));
        const { total } = searchEntries(indexOfSessions(session().user(text)), `"${text}"`);
        expect(total).toBe(1);
      }),
      { numRuns: runs(60) },
    );
  });
});

test("every letter and every digit there is makes a word", () => {
  withIndex(tempDir(), ({ search }) => {
    const insert = search.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
    search.transaction(() => {
      for (let code = 1; code < 0x110000; code++) {
        const character = String.fromCodePoint(code);
        if (/[\p{L}\p{N}]/u.test(character)) insert.run(code, spaced(character));
      }
    })();
    const wordless = search.prepare("SELECT id FROM entry_text_docsize WHERE hex(sz) = '00'").pluck().all();
    expect(wordless.map((code) => `U+${Number(code).toString(16)}`)).toEqual([]);
  });
});

test.each(["🯰🯱", "🄀", "ᦂᦱᧄ", "ᦱ"])("%s is found, and marked", (text) => {
  const { hits } = searchEntries(indexOfSessions(session().user(`a ${text} b`)), text);
  expect(hits.map(({ snippet, highlights: [range] }) => snippet.slice(...(range ?? [])))).toEqual([text]);
});

/** Characters of all the scripts that are written without spaces, in every block they have. */
const cjk = fc
  .oneof(
    ...[
      [0x4e00, 0x9fff],
      [0x3400, 0x4dbf],
      [0xf900, 0xfa6d],
      [0x20000, 0x2a6df],
      [0x2a700, 0x2b738],
      [0x3041, 0x3096],
      [0x30a1, 0x30fa],
      [0xff66, 0xff9d],
      [0xac00, 0xd7a3],
      [0x3131, 0x318e],
      [0x3105, 0x312d],
    ].map(([min = 0, max = 0]) => fc.integer({ min, max })),
  )
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{L}\p{N}]/u.test(character));

test("any stretch of a run of CJK characters finds it", () => {
  const run = fc.array(fc.oneof({ weight: 5, arbitrary: cjk }, fc.constantFrom("ー", "々", "〆", "ｰ")), {
    minLength: 1,
    maxLength: 10,
  });
  fc.assert(
    fc.property(
      run,
      fc.nat(),
      fc.nat(),
      fc.constantFrom("", "abc", "用", "。"),
      (characters, from, length, around) => {
        const start = from % characters.length;
        const stretch = characters.slice(start, start + 1 + (length % (characters.length - start))).join("");
        const one = indexOfSessions(session().user(around + characters.join("") + around));
        expect([stretch, searchEntries(one, stretch).total]).toEqual([stretch, 1]);
      },
    ),
    { numRuns: runs(60) },
  );
});

test("any part of a compound name finds it", () => {
  const part = fc.stringMatching(/^[a-z]{2,6}[0-9]?$/);
  const shape = fc.constantFrom<(parts: string[]) => string>(
    (parts) => parts.map((each, n) => (n === 0 ? each : capitalised(each))).join(""),
    (parts) => parts.map(capitalised).join(""),
    (parts) => parts.join("_"),
    (parts) => parts.join("."),
    (parts) => parts.join("-").toUpperCase(),
  );
  const before = fc.constantFrom("", "call ", "用", "(", "é ");
  fc.assert(
    fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), shape, before, (parts, write, around) => {
      const one = indexOfSessions(session().user(`${around}${write(parts)} ${around}`));
      for (const wanted of parts) expect([wanted, searchEntries(one, wanted).total]).toEqual([wanted, 1]);
    }),
    { numRuns: runs(60) },
  );
});

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

import { expect, test } from "vitest";
import { foldWord } from "../../../src/search/fts/tokenizer.ts";
import { fold } from "../../../src/search/query/folded.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

/** What composing makes one, or puts in another order; after ASCII, which is no such letter's base, marks stand alone. */
const IN_PARTS = /[^\p{M}\p{ASCII}]?\p{M}+|[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|./gsu;

/** Character by character, each with where it begins and ends. */
function foldedOneByOne(text: string): { text: string; spans: [number, number][] } {
  const spans: [number, number][] = [];
  let folded = "";
  let at = 0;
  for (const character of text.match(IN_PARTS) ?? []) {
    const plain = foldWord(character);
    const end = at + character.length;
    for (let i = 0; i < plain.length; i++) spans.push([at, end]);
    folded += plain;
    at = end;
  }
  return { text: folded, spans };
}

/** What the flag `i` of an expression makes of ASCII. */
function withoutCapitals(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

test("a folded text, and where it comes from, is what folding each character gives", () => {
  const character = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      "a",
      "B",
      " ",
      "é",
      "e\u0301",
      "İ",
      "한",
      "ﬁ",
      "ẞ",
      "🍐",
      "\u0301",
      "Σ",
      "ς",
      "की",
      "\u0e01\u0e48\u0e38",
      "\u1004\u103a\u1037",
      "\u00ad",
      "—",
    ),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), (characters) => {
      const text = characters.join("");
      const folded = fold(text);
      const expected = foldedOneByOne(text);
      expect(withoutCapitals(folded.text)).toBe(expected.text);
      let before = 0;
      for (const [index, [start, end]] of expected.spans.entries()) {
        const place = folded.toOriginal(index);
        expect(place >= Math.max(start, before) && place < end).toBe(true);
        before = place;
      }
      expect(folded.toOriginal(folded.text.length)).toBe(text.length);
    }),
    { numRuns: runs(2000) },
  );
});

test("every character stands for what folding it alone gives, whatever its neighbours are", () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    const folded = fold(`a${character}`);
    if (withoutCapitals(folded.text) !== `a${foldWord(character)}`) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

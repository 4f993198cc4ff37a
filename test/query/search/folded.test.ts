import fc from "fast-check";
import { expect, test } from "vitest";
import { foldWord } from "../../../src/format/words.ts";
import { fold } from "../../../src/query/search/folded.ts";
import { runs } from "../../helpers/fuzz.ts";

/** What composing makes one; after ASCII, which is no such letter's base, marks stand alone. */
const IN_PARTS =
  /[^\p{M}\p{ASCII}][\u0300-\u036f\u0653-\u0655\u3099\u309a]+|[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?|./gsu;

/** Character by character, each with its place. */
function foldedOneByOne(text: string): { text: string; places: number[] } {
  const places: number[] = [];
  let folded = "";
  let at = 0;
  for (const character of text.match(IN_PARTS) ?? []) {
    const plain = foldWord(character);
    for (let i = 0; i < plain.length; i++) places.push(at);
    folded += plain;
    at += character.length;
  }
  return { text: folded, places };
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
      for (const [index, place] of expected.places.entries()) {
        // Nothing begins or ends within a character.
        if (!/[\udc00-\udfff]/.test(folded.text[index] ?? "")) expect(folded.toOriginal(index)).toBe(place);
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

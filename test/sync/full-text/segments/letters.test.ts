import { expect, test } from "vitest";
import { LetterLessons } from "../../../../src/db/letter-lessons.ts";
import {
  CAPITAL,
  LEFT_OUT,
  LETTER,
  type Letters,
  OWN_WORD,
  SEPARATOR,
  SPECIAL,
} from "../../../../src/sync/full-text/segments/letters.ts";
import {
  buildTexts,
  DEFINITION,
  emptyFullText,
  imageOf,
  insertTexts,
  theAlphabet,
} from "../../../helpers/full-text-image.ts";

/** Of each character, in the words of the test. */
function lessons(letters: Letters, characters: string): string[] {
  return [...characters].map((character) => {
    const letter = letters.of(character.codePointAt(0) ?? 0);
    if (letter === SEPARATOR) return "ends a word";
    if (letter === LEFT_OUT) return "is left out";
    if (letter === SPECIAL) return "depends";
    const what = [(letter & CAPITAL) !== 0 ? " capital" : "", (letter & OWN_WORD) !== 0 ? " word" : ""];
    return String.fromCodePoint(letter & LETTER) + what.join("");
  });
}

test("what becomes of characters as they are written is what SQLite makes of them once they are respelt", () => {
  expect(lessons(theAlphabet().written, "éÉßΣ—中\u00adıᏸΆ👍\u{f0940}\u0301ᅡ")).toEqual([
    "e",
    "e capital",
    "ß",
    "σ capital",
    "ends a word",
    "中 word",
    "is left out",
    "i",
    "ᏸ",
    "α capital",
    "\u{ff44d} word",
    "ends a word",
    "depends",
    "depends",
  ]);
});

test("what becomes of characters that were respelt is what SQLite makes of them", () => {
  expect(lessons(theAlphabet().respelt, "éÉ—中\u{f0940}\ue000\u0301")).toEqual([
    "e",
    "e capital",
    "ends a word",
    "中",
    "\u{f0940}",
    "\ue000",
    "is left out",
  ]);
});

test("lessons are given in the order of what is asked about", () => {
  const lessons = new LetterLessons(DEFINITION);
  const letter = (text: string) => ({ kind: "letter", code: text.codePointAt(0) });
  expect(lessons.about(["x", "Y", " ", "", " 中 ", "ab", " a b ", "é"])).toEqual([
    letter("x"),
    letter("y"),
    { kind: "separator" },
    { kind: "left out" },
    { kind: "word", code: "中".codePointAt(0) },
    { kind: "other" },
    { kind: "other" },
    letter("e"),
  ]);
  lessons.close();
});

/** Code points in one text of the test below. */
const SOME = 1024;
/** Planes in which nothing is assigned, and nothing is planned to be. */
const [EMPTY_FROM, EMPTY_TO] = [0x40000, 0xe0000];

test("every character there is becomes what FTS5 makes of it, alone, at a word's beginning, within and at its end", () => {
  const [inserted, built] = [emptyFullText(), emptyFullText()];
  const texts: [number, string][] = [];
  for (let first = 0; first <= 0x10ffff; first += SOME) {
    if (first === EMPTY_FROM + SOME) first = EMPTY_TO;
    const codes = Array.from({ length: SOME }, (_, at) => first + at).filter(
      (code) => code < 0xd800 || code > 0xdfff,
    );
    const characters = codes.map((code) => String.fromCodePoint(code));
    const forms = characters.map((each) => `${each} ${each}a b${each}c d${each}`);
    if (forms.length > 0) texts.push([1 + first, forms.join(" ")]);
  }
  expect(texts.length).toBe(447);
  for (let at = 0; at < texts.length; at += 8) {
    insertTexts(inserted, texts.slice(at, at + 8));
    buildTexts(built, texts.slice(at, at + 8));
  }
  // Images of different ones would take minutes to be told apart.
  expect(JSON.stringify(imageOf(built)) === JSON.stringify(imageOf(inserted))).toBe(true);
  for (const each of [inserted, built]) each.close();
});

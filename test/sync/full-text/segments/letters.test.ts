import { expect, test } from "vitest";
import { LetterLessons } from "../../../../src/db/letter-lessons.ts";
import { PASSED_OVER, SEPARATOR } from "../../../../src/sync/full-text/segments/letters.ts";
import {
  buildTexts,
  DEFINITION,
  emptyFullText,
  imageOf,
  insertTexts,
  theLetters,
} from "../../../helpers/full-text-image.ts";

test("what becomes of characters is what SQLite makes of them", () => {
  const letters = theLetters();
  const becomes = [..."éßΣ—\u0301中\u{f0940}\u{1f600}"].map((each) =>
    letters.becomes(each.codePointAt(0) ?? 0),
  );
  const letter = (text: string) => text.codePointAt(0);
  expect(becomes).toEqual([
    letter("e"),
    letter("ß"),
    letter("σ"),
    SEPARATOR,
    PASSED_OVER,
    letter("中"),
    letter("\u{f0940}"),
    SEPARATOR,
  ]);
});

test("lessons are given in the order of the characters asked about", () => {
  const lessons = new LetterLessons(DEFINITION);
  const asked = [..."xyXY ·é\u0301"].map((each) => each.codePointAt(0) ?? 0);
  expect(lessons.about(asked)).toEqual([
    { letter: 120 },
    { letter: 121 },
    { letter: 120 },
    { letter: 121 },
    "separator",
    "separator",
    { letter: 101 },
    "passed over",
  ]);
  expect(lessons.about([0x2014])).toEqual(["separator"]);
  lessons.close();
});

/** Code points in one text of the test below. */
const SOME = 1024;

test("every character there is becomes what FTS5 makes of it, alone, at a word's beginning, within and at its end", () => {
  const [inserted, built] = [emptyFullText(), emptyFullText()];
  const texts: [number, string][] = [];
  for (let first = 0; first <= 0x10ffff; first += SOME) {
    const codes = Array.from({ length: SOME }, (_, at) => first + at).filter(
      (code) => code < 0xd800 || code > 0xdfff,
    );
    const characters = codes.map((code) => String.fromCodePoint(code));
    const forms = characters.map((each) => `${each} ${each}a b${each}c d${each}`);
    if (forms.length > 0) texts.push([1 + first, forms.join(" ")]);
  }
  expect(texts.length).toBe(1086);
  for (let at = 0; at < texts.length; at += 8) {
    insertTexts(inserted, texts.slice(at, at + 8));
    buildTexts(built, texts.slice(at, at + 8));
  }
  // Images of different ones would take minutes to be told apart.
  expect(JSON.stringify(imageOf(built)) === JSON.stringify(imageOf(inserted))).toBe(true);
  for (const each of [inserted, built]) each.close();
});

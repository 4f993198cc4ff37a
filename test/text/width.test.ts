import stringWidth from "string-width";
import { expect, test } from "vitest";
import { clustersOf, cut, widthOf } from "../../src/text/width.ts";
import { NARROW } from "../../src/text/wrap-words.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

const narrow = new RegExp(`[${NARROW}]`);
const narrowCharacters = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter(
  (each) => narrow.test(each),
);

test("what counts as narrow takes a column, and joins with nothing beside it", () => {
  const segmenter = new Intl.Segmenter();
  const isAlone = (each: string) =>
    ["a", "ы", "א", "ب", "天", each].every(
      (other) => [...segmenter.segment(other + each + other)].length === 3,
    );
  expect(narrowCharacters.length).toBeGreaterThan(1500);
  expect(narrowCharacters.filter((each) => stringWidth(each) !== 1 || !isAlone(each))).toEqual([]);
});

const pieces = fc.constantFrom(
  ...[
    "plain ",
    "Привет, мир ",
    "ελληνικά ",
    "עברית ",
    "العربية ",
    "tiếng Việt ",
    "tie\u0302\u0301ng ",
    "ภาษาไทย ",
    "हिन्दी ",
  ],
  ...[
    "天气 ",
    "ひらがな ",
    "한국어 ",
    "ｱｲｳ ",
    "👩‍👩‍👧",
    "🇩🇪",
    "✓ ✗ → ",
    "e\u0301",
    "\u200b",
    "\t",
    "ы\u0301",
    "①",
  ],
);

test("the width of a text is what the library says of it, where it counts every letter", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 300 }), (parts) => {
      // The library counts one letter of those that a virama joins.
      const text = parts.filter((each) => !/[\u094d]/.test(each)).join("");
      expect(widthOf(text)).toBe(stringWidth(text));
    }),
    { numRuns: runs(40) },
  );
});

test("a text is cut where a cluster ends, and what is left fits", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (parts, width) => {
      const text = parts.join("");
      const short = cut(text, width);
      expect(widthOf(short)).toBeLessThanOrEqual(width);
      if (short === text) return;
      const clusters = clustersOf(text).map((each) => each.text);
      const kept = clustersOf(short.slice(0, -1)).map((each) => each.text);
      expect(kept).toEqual(clusters.slice(0, kept.length));
    }),
    { numRuns: runs(100) },
  );
});

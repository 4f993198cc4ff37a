import fc from "fast-check";
import { expect, test } from "vitest";
import { textOf } from "../../src/format/text.ts";

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: "grapheme-ascii", maxLength: 400 }).map((text) => Buffer.from(text)),
  // A byte order mark, a lone surrogate, an overlong slash, a character cut short.
  fc
    .constantFrom([0xef, 0xbb, 0xbf], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf0, 0x9f])
    .map((b) => Buffer.from(b)),
);

test("any bytes give the text that Node's own decoder gives", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const bytes = Buffer.concat(pieces);
      expect(textOf(bytes)).toBe(bytes.toString("utf8"));
    }),
    { numRuns: 2000 },
  );
});

test("a slice of a larger buffer gives the text of the slice alone", () => {
  const bytes = Buffer.from(`vorher ${"äöü 日本語 🎉 ".repeat(30)}nachher`);
  expect(textOf(bytes.subarray(7, -7))).toBe("äöü 日本語 🎉 ".repeat(30));
});

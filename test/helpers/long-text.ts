import { fc } from "./drawn.ts";

/** Pieces of texts in sessions, some of them odd. */
const PIECES = [
  "a",
  "word",
  "parse_config(x)",
  "0123456789".repeat(9),
  " ",
  " ",
  "  ",
  "\n",
  "\n\n",
  "\t",
  "\r\n",
  "\u000b",
  '"',
  "\\",
  "/",
  "\\u0041",
  "\u001b[0m",
  "\0",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u1680",
  "\u2003",
  "\u2028",
  "\u202f",
  "\u205f",
  "\u3000",
  "\ufeff",
  "é",
  "ß",
  "天气",
  "カ",
  "\u1681",
  "\u2190",
  "🍐",
  "\ud83c",
  "\udf50",
  "\ufffd",
];

/** Texts of up to some thousands of characters, which end anywhere in a preview or long after it. */
export const longText: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.oneof(fc.constantFrom(1, 2), fc.nat(90), fc.nat(3000))), {
    maxLength: 8,
  })
  .map((pieces) =>
    pieces.map(([piece, times]) => piece.repeat(Math.min(times, 12_000 / piece.length))).join(""),
  );

import { describe, expect, test } from "vitest";
import { numberAt } from "../../../src/format/tape/tape-values.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 25 });
const decimals = fc
  .tuple(fc.constantFrom("", "-"), digits, digits)
  .map(([sign, whole, fraction]) => `${sign}${whole.replace(/^0+(?=\d)/, "")}.${fraction}`);

function numberOf(text: string): number {
  const bytes = Buffer.from(`:${text},`);
  return numberAt(bytes, 1, 1 + text.length);
}

describe("a number of JSON", () => {
  test.each(
    `0 -0 0.0 -0.0 1 -1 1e400 -1e400 1e-400 5e-324 1E5 1e+5 0e1 -0e-1 9007199254740983 9007199254740991 9007199254740992
    9007199254740993 90071992547409930 123456789012345678901234 0.1 0.30000000000000004
    0.0000000000000000000001 0.00000000000000000000001 8.5e15 1736608395087 0.0026850000000000003
    4503599627370497.5 1.7976931348623157e308 179769313486231580000`.split(/\s+/),
  )("%s is what JSON.parse reads in it", (text) => {
    expect(numberOf(text)).toBe(JSON.parse(text));
  });

  test("is the double that JSON.parse makes of any digits", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          decimals,
          fc.maxSafeInteger().map(String),
          fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
        ),
        (text) => {
          expect(numberOf(text)).toBe(JSON.parse(text));
        },
      ),
      { numRuns: runs(5000) },
    );
  });
});

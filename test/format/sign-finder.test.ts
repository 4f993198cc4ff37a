import { expect, test } from "vitest";
import { SignFinder } from "../../src/format/sign-finder.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

test("the signs found are those that looking for each of them finds, in any case", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "A", "B", "-", "é", "z"), maxLength: 40 });
  const sign = fc.string({ unit: fc.constantFrom("a", "b", "B", "-"), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(sign, { minLength: 1, maxLength: 8 }), text, (signs, looked) => {
      const expected = signs.flatMap((each, n) =>
        looked.toLowerCase().includes(each.toLowerCase()) ? [n] : [],
      );
      const found = [...(new SignFinder(signs).signsIn(looked) ?? [])].sort((a, b) => a - b);
      expect(found).toEqual(expected);
    }),
    { numRuns: runs(2000) },
  );
});

test("signs are found anywhere in a long text, among characters of two bytes too", () => {
  const finder = new SignFinder(["sk-", "token"]);
  for (const filler of ["x", "\u0142", "\u{1f350}"]) {
    for (const before of [0, 16_382, 16_383, 16_384, 40_000]) {
      expect(finder.signsIn(`${filler.repeat(before)}sk-${filler}`)).toEqual(new Set([0]));
    }
  }
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { SignFinder } from "../../src/format/sign-finder.ts";

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
    { numRuns: 2000 },
  );
});

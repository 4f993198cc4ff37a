import { expect, test } from "vitest";
import { TriggerScanner } from "../../src/text/secrets.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

test("the triggers found are those that looking for each of them finds, in any case", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "A", "B", "-", "é", "z"), maxLength: 40 });
  const trigger = fc.string({ unit: fc.constantFrom("a", "b", "B", "-"), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(trigger, { minLength: 1, maxLength: 8 }), text, (triggers, looked) => {
      const expected = triggers.flatMap((each, n) =>
        looked.toLowerCase().includes(each.toLowerCase()) ? [n] : [],
      );
      const found = [...(new TriggerScanner(triggers).triggersIn(looked) ?? [])].sort((a, b) => a - b);
      expect(found).toEqual(expected);
    }),
    { numRuns: runs(2000) },
  );
});

test("triggers are found anywhere in a long text, among characters of two bytes too", () => {
  const finder = new TriggerScanner(["sk-", "token"]);
  for (const filler of ["x", "\u0142", "\u{1f350}"]) {
    for (const before of [0, 16_382, 16_383, 16_384, 40_000]) {
      expect(finder.triggersIn(`${filler.repeat(before)}sk-${filler}`)).toEqual(new Set([0]));
    }
  }
});

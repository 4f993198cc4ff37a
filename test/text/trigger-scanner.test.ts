import { expect, test } from "vitest";
import { TriggerScanner } from "../../src/text/trigger-scanner.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

function foundIn(text: string, triggers: readonly string[]): string[] {
  const found: string[] = [];
  new TriggerScanner(triggers).visitTriggers(text, (trigger, at) => found.push(`${trigger} at ${at}`));
  return found;
}

function placesOf(part: string, text: string): number[] {
  return Array.from(text, (_, at) => at).filter((at) => text.startsWith(part, at));
}

test("the triggers found are those that looking for each of them finds, in any case", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "A", "B", "-", "é", "z"), maxLength: 40 });
  const trigger = fc.string({ unit: fc.constantFrom("a", "b", "B", "-"), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(trigger, { minLength: 1, maxLength: 8 }), text, (triggers, looked) => {
      const expected = triggers.flatMap((each, n) =>
        placesOf(each.toLowerCase(), looked.toLowerCase()).map((at) => `${n} at ${at}`),
      );
      expect(foundIn(looked, triggers).sort()).toEqual(expected.sort());
    }),
    { numRuns: runs(2000) },
  );
});

test("triggers are found anywhere in a long text, among characters of two bytes too", () => {
  for (const filler of ["x", "\u0142", "\u{1f350}"]) {
    for (const before of [0, 16_382, 16_383, 16_384, 40_000]) {
      const text = filler.repeat(before);
      expect(foundIn(`${text}sk-${filler}`, ["sk-", "token"])).toEqual([`0 at ${text.length}`]);
    }
  }
});

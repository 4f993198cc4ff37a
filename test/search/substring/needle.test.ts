import { describe, expect, it } from "vitest";
import { BytesFinder } from "../../../src/search/substring/needle.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

/** Few different characters of one to four bytes, so that pieces of what is looked for stand in many places. */
const text = fc
  .array(fc.constantFrom("e", "q", "Z", '"', "\\", "é", "分", "词", "🦊"))
  .map((all) => all.join(""));

describe("BytesFinder", () => {
  it("finds what indexOf finds, from every place on", () => {
    const cases = fc.tuple(text, text.filter((wanted) => wanted !== "").map(Buffer.from), text, fc.nat(40));
    fc.assert(
      fc.property(cases, ([before, wanted, after, from]) => {
        const bytes = Buffer.concat([Buffer.from(before), wanted, Buffer.from(after)]);
        const finder = new BytesFinder(wanted);
        expect(finder.next(bytes, from)).toBe(bytes.indexOf(wanted, from));
        expect(finder.next(Buffer.from(after), 0)).toBe(Buffer.from(after).indexOf(wanted));
      }),
      { numRuns: runs(2000) },
    );
  });

  it("passes over what the rest does not fit, and what the bytes end in", () => {
    const finder = new BytesFinder(Buffer.from("eeZe"));
    expect(finder.next(Buffer.from("Ze eZe eeZ"), 0)).toBe(-1);
    expect(finder.next(Buffer.from("Ze eZe eeZ eeZe"), 0)).toBe(11);
  });
});

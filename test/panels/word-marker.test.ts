import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { WordMarker } from "../../src/panels/draw.ts";
import { fc } from "../helpers/drawn.ts";

const theme = {
  fg: (_colour: string, text: string) => `\u001b[36m${text}\u001b[39m`,
  bold: (text: string) => `\u001b[1m${text}\u001b[22m`,
};
const found = (text: string): string => `\u001b[1m\u001b[36m${text}\u001b[39m\u001b[22m`;
const mark = (line: string, ...words: string[]): string => new WordMarker(words, theme).mark(line);

test("what was found is marked wherever it stands, whatever its case", () => {
  expect(mark("The tide table: tides of May", "tide")).toBe(
    `The ${found("tide")} table: ${found("tide")}s of May`,
  );
  expect(mark("Tide", "tide")).toBe(found("Tide"));
  expect(mark("a.b axb", "a.b")).toBe(`${found("a.b")} axb`);
  expect(mark("fix [a-z]* (now)", "[a-z]* (now)")).toBe(`fix ${found("[a-z]* (now)")}`);
  expect(mark("梨の木", "木")).toBe(`梨の${found("木")}`);
  expect(mark("nothing")).toBe("nothing");
});

test("a word of one letter or two is not marked within others", () => {
  expect(mark("to go: toad, into, to", "to")).toBe(`${found("to")} go: toad, into, ${found("to")}`);
});

test("the colours around it go on after it", () => {
  expect(mark("\u001b[2mdim \u001b[33mtide table\u001b[0m", "tide")).toBe(
    `\u001b[2mdim \u001b[33m${found("tide")}\u001b[2m\u001b[33m table\u001b[0m`,
  );
});

test("no mark changes what is read", () => {
  const word = fc.string({ unit: fc.constantFrom(..."aB. *\\-]({^$|/?梨é"), maxLength: 4 });
  const line = fc.array(fc.oneof(word, fc.constantFrom("\u001b[31m", "\u001b[0m")), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), line, (words, parts) => {
      const text = parts.join("");
      expect(stripVTControlCharacters(mark(text, ...words))).toBe(stripVTControlCharacters(text));
    }),
  );
});

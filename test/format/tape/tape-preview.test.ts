import { expect, test } from "vitest";
import { stringsIn } from "../../../src/format/content.ts";
import { beginningAt } from "../../../src/format/tape/tape-preview.ts";
import { foldedLine, PREVIEW_LENGTH } from "../../../src/text/preview.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { longText } from "../../helpers/long-text.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";
import { firstValue, taped } from "../taped.ts";

const RUNS = runs(1000);
const PATIENCE = { timeout: 120_000 + RUNS * 50 };

function beginningOf(line: Buffer | string): string {
  const tape = taped(line);
  return beginningAt(tape, firstValue(tape));
}

const shown = (text: string) => foldedLine(text, PREVIEW_LENGTH).toWellFormed();

test("the beginning of a text has the preview of the whole text, however it is written", PATIENCE, () => {
  fc.assert(
    fc.property(longText, longText, jsonStyle, (text, more, style) => {
      const beginning = beginningOf(written({ text }, { ...style, space: "" }));
      expect([shown(beginning), beginning === ""]).toEqual([shown(text), text === ""]);
      expect(shown(`${beginning} ${more}`)).toBe(shown(`${text} ${more}`));
      expect(stringsIn(beginning, PREVIEW_LENGTH)).toEqual(stringsIn(text, PREVIEW_LENGTH));
    }),
    { numRuns: RUNS },
  );
});

test("invalid bytes have the preview that they have within the whole line", PATIENCE, () => {
  const part = fc.oneof(
    fc.uint8Array({ min: 0x80, maxLength: 90 }),
    fc.constantFrom("a", " ", "天气").map((piece) => Buffer.from(piece.repeat(30))),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const line = Buffer.concat([Buffer.from('{"text":"'), ...parts, Buffer.from('"}')]);
      const { text } = JSON.parse(line.toString("utf8")) as { text: string };
      expect(shown(beginningOf(line))).toBe(shown(text));
    }),
    { numRuns: RUNS },
  );
});

test("it is short where the text has enough to show, even where none of it is ASCII", () => {
  for (const text of ["word ", "天气", "строка\n", "🍐"].map((piece) => piece.repeat(5000))) {
    expect(beginningOf(JSON.stringify({ text })).length).toBeLessThan(200);
  }
});

test("it is bounded where the text has nothing to show", () => {
  expect(beginningOf(JSON.stringify({ text: " ".repeat(1_000_000) })).length).toBeLessThan(20_000);
});

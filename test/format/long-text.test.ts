import { describe, expect, test } from "vitest";
import { keptOf, LONGEST_TEXT } from "../../src/format/content.ts";
import { longTextAt } from "../../src/format/tape/tape.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { longText } from "../helpers/long-text.ts";
import { jsonStyle, written } from "../helpers/written-json.ts";
import { firstValue, taped } from "./taped.ts";

const RUNS = runs(1000);
const PATIENCE = { timeout: 120_000 + RUNS * 50 };
const most = fc.oneof(fc.nat(40), fc.nat(20_000));

function longTextIn(line: Buffer | string, most: number): string {
  const tape = taped(line);
  return longTextAt(tape, firstValue(tape), most);
}

test("of a text that is too long there is a beginning that is, too, however it is written", PATIENCE, () => {
  fc.assert(
    fc.property(longText, most, jsonStyle, (text, most, style) => {
      const beginning = longTextIn(written({ text }, { ...style, space: "" }), most);
      expect(text.startsWith(beginning)).toBe(true);
      if (text.length <= most) expect(beginning).toBe(text);
      else expect(beginning.length).toBeGreaterThan(most);
      // What is taken of it is what would be taken of the whole text.
      expect(beginning.toWellFormed().slice(0, most)).toBe(text.toWellFormed().slice(0, most));
    }),
    { numRuns: RUNS },
  );
});

test("a beginning is not much longer than it has to be", () => {
  for (const piece of ["a", "\n", "é", "天", "🍐", "\u0001"]) {
    const line = JSON.stringify({ text: piece.repeat(10_000) });
    expect(longTextIn(line, 100).length).toBeLessThan(105 * piece.length);
  }
});

test("invalid bytes are what they are within the whole line", PATIENCE, () => {
  const part = fc.oneof(
    fc.uint8Array({ min: 0x80, maxLength: 90 }),
    fc.constantFrom("a", "\\n", "\\u00e9", "天气").map((piece) => Buffer.from(piece.repeat(20))),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.nat(80), (parts, most) => {
      const line = Buffer.concat([Buffer.from('{"text":"'), ...parts, Buffer.from('"}')]);
      const { text } = JSON.parse(line.toString("utf8")) as { text: string };
      const beginning = longTextIn(line, most);
      expect(text.startsWith(beginning)).toBe(true);
      expect(beginning.length > most || beginning === text).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test("what is kept of a text ends with a whole character", () => {
  const words = "a ".repeat(LONGEST_TEXT / 2).trimEnd();
  expect(keptOf("short")).toBe("short");
  expect(keptOf(`${words}🍐`)).toBe(`${words}\ufffd`);
  expect(keptOf(`${words}more`)).toHaveLength(LONGEST_TEXT);
});

describe("of data within a text a beginning is kept", () => {
  const random =
    fc.sample(fc.base64String({ minLength: 20_064, maxLength: 20_064 }), { seed: 7, numRuns: 1 })[0] ?? "";
  const uuids = fc.sample(fc.uuid(), { seed: 7, numRuns: 500 });

  test.each([
    ["on one line", random],
    ["on many lines", random.replace(/.{76}/g, "$&\n").trimEnd()],
    ["of hexadecimal digits", Buffer.from(random).toString("hex")],
    ["of one character", "x".repeat(9000)],
    ["of ids", uuids.join("\n")],
  ])("%s", (_, data) => {
    expect(keptOf(`Look: ${data} and say what it is.`)).toBe(
      `Look: ${data.slice(0, 256)}… and say what it is.`,
    );
  });

  test.each([
    ["short data", random.slice(0, 4000)],
    ["words", "The pear stands beside the plum. ".repeat(600)],
    ["a list of paths", "/home/ada/projects/orchard/src/trees/pear-tree.test.ts\n".repeat(200)],
    ["a text without spaces", "梨の木はどこですか".repeat(900)],
  ])("%s is kept as it is", (_, text) => {
    expect(keptOf(`Look: ${text}`)).toBe(`Look: ${text}`);
  });
});

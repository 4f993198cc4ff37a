import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/format/json.ts";
import { type ParsedLine, parseLine } from "../../../src/format/parse.ts";
import { parseLongLine } from "../../../src/format/tape/parse-long.ts";
import { Tape } from "../../../src/format/tape/tape.ts";
import { anyEntry, anyHeader } from "../../helpers/any-entry.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { longText } from "../../helpers/long-text.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";

const RUNS = runs(500);
const tape = new Tape();

/** As JSON, with the order of its fields, but without what it has of long texts beyond `most` units. */
function shortened(parsed: ParsedLine, most: number): string {
  const cut = (_name: string, value: JsonValue) => (typeof value === "string" ? value.slice(0, most) : value);
  return JSON.stringify(parsed, cut);
}

test("a long line is read as any other, but for the ends of its texts", {
  timeout: 120_000 + RUNS * 50,
}, () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), longText);
  const anyLine = fc.oneof({ weight: 8, arbitrary: anyEntry(text) }, anyHeader);
  fc.assert(
    fc.property(anyLine, jsonStyle, fc.integer({ min: 20, max: 400 }), (object, style, most) => {
      const line = Buffer.from(written(object, style));
      const parsed = parseLongLine(line, tape, most);
      expect(shortened(parsed, most)).toBe(shortened(parseLine(line), most));
    }),
    { numRuns: RUNS },
  );
});

test("of a long text only a beginning is read", () => {
  const line = Buffer.from(
    JSON.stringify({ type: "message", __proto__: null, id: "a", text: "x".repeat(1000) }),
  );
  expect(parseLongLine(line, tape, 10)).toEqual({
    kind: "entry",
    entry: { type: "message", id: "a", text: "x".repeat(12) },
  });
});

test.each(["", "5", "null", "{", '{"a":1} x', `[${"1,".repeat(50)}1]`])(
  "what is no entry is none: %s",
  (line) => {
    expect(parseLongLine(Buffer.from(line), tape, 1)).toEqual(parseLine(Buffer.from(line)));
  },
);

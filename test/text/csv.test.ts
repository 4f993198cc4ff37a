import { describe, expect, test } from "vitest";
import { formatDelimited, formatField } from "../../src/text/csv.ts";
import { fc } from "../helpers/drawn.ts";
import { withinReason } from "../helpers/within-reason.ts";

const CSV = { delimiter: ",", raw: false } as const;

describe("F9: a field that a spreadsheet would run", () => {
  test.each([
    "=1+1",
    "+cmd",
    "-cmd",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\0=1",
    "\n=1",
    "＝1",
    "-2+3",
    "\u001b[31m=1",
  ])("%j gets an apostrophe", (text) => {
    expect(formatField(text, CSV).replace(/^"/, "")).toMatch(/^'/);
  });

  test.each(["-5", "+1.5", "-1e9", ".5", "-0.25"])("%s is a number and stays", (text) => {
    expect(formatField(text, CSV)).toBe(text);
  });

  test("numbers stay numbers", () => {
    expect([-5, -0.5, 10n].map((value) => formatField(value, CSV))).toEqual(["-5", "-0.5", "10"]);
  });

  test("stays as it is when asked for raw", () => {
    expect(formatField("=1+1", { ...CSV, raw: true })).toBe("=1+1");
  });
});

test("fields are quoted as RFC 4180 says", () => {
  expect(formatField("a\rb", { ...CSV, raw: true })).toBe('"a\rb"');
  const rows = [
    ["x,y", "two\nlines"],
    [null, "plain"],
  ];
  expect([...formatDelimited(["a", 'b"c'], rows, CSV)]).toEqual(['a,"b""c"', '"x,y","two\nlines"', ",plain"]);
});

test("tabs separate, and are quoted within fields", () => {
  const lines = formatDelimited(["a", "b"], [["x\ty", "1,2"]], { delimiter: "\t", raw: false });
  expect([...lines][1]).toBe('"x\ty"\t1,2');
});

test("blobs are hexadecimal", () => {
  expect(formatField(Buffer.from([0, 255]), CSV)).toBe("00ff");
});

test("F9, I-13: no text comes out as a formula", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((rest) => `=${rest}`),
  );
  fc.assert(
    fc.property(text, (input) => {
      const field = formatField(input, CSV).replace(/^"/, "");
      return !/^[=+\-@\t\r\n\0]/.test(field) || Number.isFinite(Number(field));
    }),
  );
});

test("raw fields can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (input) => {
      const field = formatField(input, { ...CSV, raw: true });
      const read = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
      return read === input;
    }),
  );
});

test("digits without end that are no number are a field like any other", () => {
  const text = `${"1".repeat(300_000)}x`;
  expect(withinReason(() => formatField(text, CSV))).toBe(text);
});

import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readArrayStep } from "../../src/files/array-file.ts";
import type { Step } from "../../src/files/lines.ts";
import { fc } from "../helpers/drawn.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

const path = join(sharedTempDir(), "session.json");

function stepOf(text: string, size = Buffer.byteLength(text)): Step {
  writeFileSync(path, text);
  const fd = openSync(path, "r");
  try {
    return readArrayStep(fd, size);
  } finally {
    closeSync(fd);
  }
}

const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

test("the elements of an array, however it is laid out, each with its place in the file", () => {
  const element = fc.tuple(blank, fc.json(), blank);
  fc.assert(
    fc.property(blank, fc.array(element, { maxLength: 6 }), blank, (before, elements, after) => {
      const laidOut = elements.map(([left, json, right]) => left + json + right).join(",");
      const text = `${before}[${laidOut}]${after}`;
      const { lines, end } = stepOf(text);
      const bytes = Buffer.from(text);
      expect(lines.map((line) => line.bytes?.toString())).toEqual(elements.map(([, json]) => json));
      for (const [at, { offset, length, number, place, end: next }] of lines.entries()) {
        expect(bytes.subarray(offset, offset + length).toString()).toBe(elements[at]?.[1]);
        expect(number).toBe(bytes.subarray(0, offset).toString().split("\n").length);
        expect([place, next]).toEqual([at + 1, lines[at + 1]?.offset ?? bytes.length]);
      }
      expect(end).toBe(elements.length > 0 ? bytes.length : 0);
    }),
  );
});

test.each(["", "[", "{}", '{"a":[1]}', "[1", "1]", "[1]]x", "[1}", "[[1]", '["a]', '[1,"a]', "[1]\n[2"])(
  "%j is no array from its first byte to its last",
  (text) => {
    expect(stepOf(text)).toMatchObject({ lines: [], end: 0, atEnd: true });
  },
);

test("an array of which the end is not there any more has no elements", () => {
  expect(stepOf("[1,2]", 6).lines).toEqual([]);
});

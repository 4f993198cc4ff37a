import { expect, test } from "vitest";
import { runEnd, shortRunEnd } from "../../src/format/plain-runs.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

/** Mostly plain, for runs of some length; those that end one, and their neighbours, are frequent. */
const byte = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...Buffer.from("abc !#[]\x7f")) },
  { weight: 2, arbitrary: fc.nat(255) },
  fc.constantFrom(0x22, 0x5c, 0x00, 0x1f, 0xa2, 0xdc, 0x80, 0x9f, 0xff),
);

function nextEnd(line: Buffer, from: number): number {
  for (let at = from; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte < 0x20 || byte === 0x22 || byte === 0x5c) return at;
  }
  return line.length;
}

test("a run of plain bytes ends where going from byte to byte ends it, wherever the line stands in memory", () => {
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 40 }), fc.nat(7), fc.nat(3), (bytes, before, after) => {
      const memory = Buffer.from([...Array(before).fill(0x22), ...bytes, ...Array(after).fill(0x22)]);
      const line = memory.subarray(before, before + bytes.length);
      const words = new DataView(line.buffer, line.byteOffset, line.length);
      for (let from = 0; from <= line.length; from++) {
        const end = nextEnd(line, from);
        expect([runEnd(line, words, from), shortRunEnd(line, from)]).toEqual([end, end]);
      }
    }),
    { numRuns: runs(2000) },
  );
});

test.each(Array.from({ length: 256 }, (_none, byte) => byte))("byte %i ends a run or does not", (byte) => {
  const line = Buffer.from([0x61, 0x61, byte, 0x61, 0x61, 0x61]);
  const words = new DataView(line.buffer, line.byteOffset, line.length);
  expect(runEnd(line, words, 0)).toBe(nextEnd(line, 0));
});

import { fc } from "./drawn.ts";

/** A change to any bytes. */
export interface Edit {
  kind: "flip" | "cut" | "repeat" | "insert";
  /** The place, as the share of all bytes that come before it. */
  at: number;
  length: number;
  byte: number;
}

/** Draws at most `most` changes of at most `longest` bytes each. */
export function edits(most = 8, longest = 40): fc.Arbitrary<Edit[]> {
  const edit = fc.record({
    kind: fc.constantFrom("flip" as const, "cut" as const, "repeat" as const, "insert" as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(longest),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(0x0a, 0x0d, 0x22, 0x5c, 0x7b, 0x7d, 0x00, 0xc3)),
  });
  return fc.array(edit, { minLength: 1, maxLength: most });
}

export function edited(bytes: Buffer, { kind, at, length, byte }: Edit): Buffer {
  const from = Math.floor(at * bytes.length);
  const [before, part, after] = [
    bytes.subarray(0, from),
    bytes.subarray(from, from + length),
    bytes.subarray(from + length),
  ];
  switch (kind) {
    case "flip":
      return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(from + 1)]);
    case "cut":
      return Buffer.concat([before, after]);
    case "repeat":
      return Buffer.concat([before, part, part, after]);
    case "insert":
      return Buffer.concat([before, Buffer.alloc(length, byte), part, after]);
    default:
      return kind satisfies never;
  }
}

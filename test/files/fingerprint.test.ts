import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  EMPTY_FINGERPRINT,
  endsMatch,
  extendFingerprint,
  type Fingerprint,
  sameFingerprint,
  WINDOW_BYTES,
  wholeMatches,
} from "../../src/files/fingerprint.ts";
import { fc } from "../helpers/drawn.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

test.each(["length", "head", "tail", "whole"] as const)(
  "two fingerprints differ where %s differs",
  (part) => {
    const fingerprint = { length: 1, head: 2, tail: 3, whole: 4 };
    expect(sameFingerprint(fingerprint, { ...fingerprint })).toBe(true);
    expect(sameFingerprint(fingerprint, { ...fingerprint, [part]: 9 })).toBe(false);
  },
);

const path = join(sharedTempDir(), "file");

function withFile<T>(bytes: Uint8Array, use: (fd: number) => T): T {
  writeFileSync(path, bytes);
  const fd = openSync(path, "r");
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

function patterned(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) % 256));
}

function fingerprintOf(fd: number, length: number): Fingerprint {
  return extendFingerprint(fd, EMPTY_FINGERPRINT, length, null);
}

const lengths = fc.oneof(
  fc.nat(200),
  fc.integer({ min: WINDOW_BYTES - 3, max: WINDOW_BYTES + 3 }),
  fc.nat(20_000),
);

test("a fingerprint extended piece by piece is the one computed at once", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(lengths, fc.boolean()), { maxLength: 6 }), (pieces) => {
      const bytes = patterned(pieces.reduce((sum, [length]) => sum + length, 0));
      withFile(bytes, (fd) => {
        let grown = EMPTY_FINGERPRINT;
        for (const [length, given] of pieces) {
          const end = grown.length + length;
          grown = extendFingerprint(fd, grown, end, given ? bytes.subarray(grown.length, end) : null);
        }
        expect(grown).toEqual(fingerprintOf(fd, bytes.length));
      });
    }),
  );
});

describe("comparing every byte", () => {
  test("sees any byte that is another one", () => {
    const change = fc.tuple(lengths, fc.nat(), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(change, ([length, place, difference]) => {
        const bytes = patterned(length + 1);
        const before = withFile(bytes, (fd) => fingerprintOf(fd, bytes.length));
        const at = place % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(at) ^ difference, at);
        expect(withFile(bytes, (fd) => wholeMatches(fd, before))).toBe(false);
      }),
    );
  });

  test("holds while bytes are appended only", () => {
    const before = withFile(patterned(9000), (fd) => fingerprintOf(fd, 9000));
    expect(withFile(patterned(9500), (fd) => wholeMatches(fd, before))).toBe(true);
  });

  test("sees a file that became shorter", () => {
    const before = withFile(patterned(9000), (fd) => fingerprintOf(fd, 9000));
    expect(withFile(patterned(8999), (fd) => wholeMatches(fd, before))).toBe(false);
  });

  test("holds for the empty prefix of any file", () => {
    expect(withFile(patterned(10), (fd) => wholeMatches(fd, EMPTY_FINGERPRINT))).toBe(true);
  });
});

describe("comparing the ends", () => {
  const length = 3 * WINDOW_BYTES;
  const changedAt = (place: number) => {
    const bytes = patterned(length);
    const before = withFile(bytes, (fd) => fingerprintOf(fd, length));
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    return withFile(bytes, (fd) => endsMatch(fd, before));
  };

  test.each([
    ["first byte", 0],
    ["last byte of the head", WINDOW_BYTES - 1],
    ["first byte of the tail", length - WINDOW_BYTES],
    ["last byte", length - 1],
  ])("sees a change of the %s", (_name, place) => {
    expect(changedAt(place)).toBe(false);
  });

  test("does not look in between", () => {
    expect(changedAt(WINDOW_BYTES)).toBe(true);
  });

  test("holds while bytes are appended only", () => {
    const before = withFile(patterned(length), (fd) => fingerprintOf(fd, length));
    expect(withFile(patterned(length + 1), (fd) => endsMatch(fd, before))).toBe(true);
  });

  test("sees a file that became shorter than both ends", () => {
    const before = withFile(patterned(length), (fd) => fingerprintOf(fd, length));
    expect(withFile(patterned(5), (fd) => endsMatch(fd, before))).toBe(false);
  });
});

test("B11: a fingerprint vouches for the bytes that were read, not for those there now", () => {
  const read = Buffer.alloc(2 * WINDOW_BYTES, "a");
  const fingerprint = withFile(Buffer.alloc(2 * WINDOW_BYTES, "b"), (fd) =>
    extendFingerprint(fd, EMPTY_FINGERPRINT, read.length, read),
  );
  expect(withFile(read, (fd) => wholeMatches(fd, fingerprint))).toBe(true);
});

import { crc32 } from "node:zlib";
import { readFully } from "./lines.ts";
import type { Opened } from "./packed-file.ts";

/** How many bytes at each end of the indexed prefix are compared each time that a file is checked. */
export const WINDOW_BYTES = 4096;

/**
 * Proof that the first `length` bytes of a file are the ones that were read: CRC-32 of the first and last
 * `WINDOW_BYTES` of them, and of them all. CRC-32 because it can be continued from its last value: so the sum of the
 * whole prefix is kept up while only new bytes are ever read.
 */
export interface Fingerprint {
  /** Bytes. */
  length: number;
  head: number;
  tail: number;
  whole: number;
}

export const EMPTY_FINGERPRINT: Fingerprint = { length: 0, head: 0, tail: 0, whole: 0 };

export function sameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.length === b.length && a.head === b.head && a.tail === b.tail && a.whole === b.whole;
}

/**
 * The fingerprint of the prefix grown to `length`. `added` are the bytes that were indexed: so the fingerprint is of
 * them, and not of what the file holds a moment later. With null they are read again.
 */
export function extendFingerprint(
  fd: Opened,
  before: Fingerprint,
  length: number,
  added: Buffer | null,
): Fingerprint {
  const size = Math.min(WINDOW_BYTES, length);
  const crcOf = (from: number, to: number): number => grownCrc(fd, { from, to, known: before.length, added });
  return {
    length,
    head: before.length >= WINDOW_BYTES ? before.head : crcOf(0, size),
    tail: crcOf(length - size, length),
    whole: added ? crc32(added, before.whole) : continueCrc(fd, before.length, length, before.whole),
  };
}

/** The CRC-32 of a range. Its bytes from `known` on are taken from `added`, if given. -1 when the file ends sooner. */
function grownCrc(
  fd: Opened,
  { from, to, known, added }: { from: number; to: number; known: number; added: Buffer | null },
): number {
  if (added === null) return continueCrc(fd, from, to, 0);
  const crc = continueCrc(fd, from, known, 0);
  return crc === -1 ? -1 : crc32(added.subarray(Math.max(0, from - known), to - known), crc);
}

/** Whether both ends of the prefix are still the same. */
export function endsMatch(fd: Opened, expected: Fingerprint): boolean {
  const { head, tail } = windowsOf(fd, expected.length);
  return head === expected.head && tail === expected.tail;
}

/** Whether every byte of the prefix is still the same. Reads the whole prefix. */
export function wholeMatches(fd: Opened, expected: Fingerprint): boolean {
  return continueCrc(fd, 0, expected.length, 0) === expected.whole && endsMatch(fd, expected);
}

function windowsOf(fd: Opened, length: number): { head: number; tail: number } {
  const size = Math.min(WINDOW_BYTES, length);
  return { head: continueCrc(fd, 0, size, 0), tail: continueCrc(fd, length - size, length, 0) };
}

/** The CRC-32 `start` continued over the bytes from `from` to `to` of the file; -1 when the file ends sooner. */
export function continueCrc(fd: Opened, from: number, to: number, start: number): number {
  const buffer = Buffer.allocUnsafe(Math.min(1024 * 1024, Math.max(0, to - from)));
  let crc = start;
  for (let at = from; at < to; ) {
    const filled = readFully(fd, buffer, 0, Math.min(buffer.length, to - at), at);
    if (filled === 0) return -1;
    crc = crc32(buffer.subarray(0, filled), crc);
    at += filled;
  }
  return crc;
}

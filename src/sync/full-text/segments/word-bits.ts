/** Bytes that one number of bits stands for. */
export const BYTES_PER_BITS = 32;

export const ALL = -1;

/** Bytes read beyond the end of a text, whatever they are. */
export const READ_BEYOND = 64;

/*
 * Four bytes are looked at at once, as one number. Adding to a byte what takes a character's code to 0x80 sets the top
 * bit from that character on, as long as the byte had none: so of two such sums one tells a range.
 */
export const TOPS = 0x80808080 | 0;
const LOWER_BITS = 0x7f7f7f7f;
/** What makes small letters of capitals, and leaves digits as they are. */
export const SMALL = 0x20202020;
const FROM_A = 0x1f1f1f1f;
const BEYOND_Z = 0x05050505;
const FROM_0 = 0x50505050;
const BEYOND_9 = 0x46464646;
/** Multiplied with it, bits 0, 8, 16 and 24 come to stand side by side, from bit 21 on. */
const GATHER = 0x00204081;

/**
 * Which bytes of a text belong to words: ASCII letters and digits, and everything beyond ASCII, which has to be looked at
 * more closely. A bit for each byte, the first in the top bit of the first number. Bits beyond the end are of whatever
 * stands there.
 *
 * This runs over every byte of every text, and takes 0.6 ns for each; a loop that looks at them one by one takes 3.
 *
 * @returns how many numbers it came to
 */
export function markWords(view: DataView, from: number, to: number, bits: Int32Array): number {
  let count = 0;
  for (let at = from; at < to; at += BYTES_PER_BITS) {
    let marks = 0;
    for (let four = at; four < at + BYTES_PER_BITS; four += 4) {
      const bytes = view.getInt32(four);
      const lower = bytes & LOWER_BITS;
      const small = lower | SMALL;
      const letters = (small + FROM_A) & ~(small + BEYOND_Z);
      const digits = (lower + FROM_0) & ~(lower + BEYOND_9);
      const found = ((letters | digits | bytes) & TOPS) >>> 7;
      marks = (marks << 4) | ((Math.imul(found, GATHER) >>> 21) & 0xf);
    }
    bits[count++] = marks;
  }
  return count;
}

/** What is left of four bytes of which only so many are meant. */
export function maskOf(length: number): number {
  if (length >= 4) return ALL;
  return length <= 0 ? 0 : ALL << (32 - 8 * length);
}

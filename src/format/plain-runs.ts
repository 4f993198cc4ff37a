/** Where runs of plain bytes in the texts of JSON end: at a quote, a backslash or a control character. */

const [QUOTE, BACKSLASH, SPACE] = [0x22, 0x5c, 0x20];

/** By byte: 1 for those that end a run. */
const ENDS_RUN = new Uint8Array(256).fill(1, 0, SPACE);
ENDS_RUN[QUOTE] = 1;
ENDS_RUN[BACKSLASH] = 1;

const WORD_BYTES = 4;

/**
 * Where the run that begins at `from` ends; the end of the line where nothing ends it. Most of a line is such runs:
 * four bytes are looked at in one go, which takes half the time of going from byte to byte.
 *
 * @param words the bytes of the line
 */
export function runEnd(line: Buffer, words: DataView, from: number): number {
  const last = line.length - WORD_BYTES;
  let at = from;
  for (; at <= last; at += WORD_BYTES) {
    const ends = endsIn(words.getInt32(at, true));
    if (ends !== 0) return at + firstOf(ends);
  }
  return shortRunEnd(line, at);
}

/** The same from byte to byte, which takes less time for short runs. */
export function shortRunEnd(line: Buffer, from: number): number {
  let at = from;
  while (ENDS_RUN[line[at] ?? 0] === 0) at++;
  return at;
}

/**
 * Which of four bytes ends a run: the highest bit of the first that does is set, and no bit below it; 0 when none does.
 *
 * Subtracting a number from all four at once sets the highest bit of each byte that is less than the number, and may
 * set those of bytes above it. A plain byte is not less than 0x21 after flipping one bit, by which the quote and the
 * space change places, and not less than 1 after flipping the bits of a backslash.
 */
function endsIn(word: number): number {
  const turned = word ^ 0x02020202;
  const unslashed = word ^ 0x5c5c5c5c;
  return (((turned - 0x21212121) & ~turned) | ((unslashed - 0x01010101) & ~unslashed)) & 0x80808080;
}

/** The number of the byte in which the lowest bit is set. */
function firstOf(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

import { meet } from "./entry.ts";
import { foreign, name } from "./host.ts";
import { LONGEST_WORD } from "./memory.ts";
import { isRemembered } from "./remembered.ts";
import { findAscii, SHORT } from "./terms.ts";

/** Compound names have so many characters at most: `LONGEST_NAME` of `name-finder.ts`. */
const LONGEST_NAME: usize = 64;

/** Bytes that are looked at at once. */
const BLOCK: usize = 64;

/** The top bits of eight bytes: they are set beyond ASCII. */
const TOPS: u64 = 0x8080808080808080;
/** What makes small letters of eight ASCII capitals, and leaves digits as they are. */
const SMALL: u64 = 0x2020202020202020;
/** What tells capitals from all other letters and digits: this bit, and not the one below it. */
const CAPITALS: u64 = 0x4040404040404040;

/**
 * The words of a stretch of a text: runs of ASCII letters and digits, and of whatever is beyond ASCII. What is at either
 * side of the stretch belongs to none of them.
 */
export function cut(from: usize, to: usize): void {
  let open: usize = 0;
  for (let at = from; at < to; at += BLOCK) open = take(at, within(marks(at), to - at), open);
  if (open !== 0) word(open, to);
}

/**
 * The same of a text of JSON with escapes, none of them by number: all of those stand for characters that are no part of
 * words.
 */
export function cutEscaped(from: usize, to: usize): void {
  let open: usize = 0;
  let carried: u64 = 0;
  for (let at = from; at < to; at += BLOCK) {
    const found = slashes(at);
    let bits = marks(at);
    if ((found | carried) !== 0) {
      const escaped = escapedBits(found, carried);
      bits &= ~escaped;
      carried = (found & ~escaped) >> 63;
    }
    open = take(at, within(bits, to - at), open);
  }
  if (open !== 0) word(open, to);
}

/** The first so many bits of a block. */
function within(bits: u64, length: usize): u64 {
  return length < BLOCK ? bits & (((<u64>1) << (<u64>length)) - 1) : bits;
}

/** Which bytes of a block belong to words, the first one lowest: ASCII letters and digits, and everything beyond ASCII. */
function marks(at: usize): u64 {
  return (
    marked(v128.load(at)) |
    (marked(v128.load(at, 16)) << 16) |
    (marked(v128.load(at, 32)) << 32) |
    (marked(v128.load(at, 48)) << 48)
  );
}

function marked(bytes: v128): u64 {
  const small = v128.or(bytes, i8x16.splat(0x20));
  const letters = v128.and(i8x16.ge_u(small, i8x16.splat(0x61)), i8x16.le_u(small, i8x16.splat(0x7a)));
  const digits = v128.and(i8x16.ge_u(bytes, i8x16.splat(0x30)), i8x16.le_u(bytes, i8x16.splat(0x39)));
  return bitsOf(v128.or(v128.or(letters, digits), bytes));
}

/** The top bits of sixteen bytes. */
function bitsOf(bytes: v128): u64 {
  return <u64>(<u32>i8x16.bitmask(bytes));
}

/** Where the backslashes of a block are. */
function slashes(at: usize): u64 {
  return (
    slashed(v128.load(at)) |
    (slashed(v128.load(at, 16)) << 16) |
    (slashed(v128.load(at, 32)) << 32) |
    (slashed(v128.load(at, 48)) << 48)
  );
}

function slashed(bytes: v128): u64 {
  return bitsOf(i8x16.eq(bytes, i8x16.splat(0x5c)));
}

/** Which bytes stand after a backslash that begins an escape. `carried`: the first one, if it does. */
function escapedBits(found: u64, carried: u64): u64 {
  let escaped = carried;
  for (let left = found & ~carried; left !== 0; ) {
    const after = (left & (0 - left)) << 1;
    if (after === 0) break;
    escaped |= after;
    left &= ~(after | (after - 1));
  }
  return escaped;
}

/**
 * Takes the words that are marked in a block.
 *
 * @param open where a word begins that goes on here, or 0
 * @returns the same for what follows
 */
function take(block: usize, bits: u64, open: usize): usize {
  let left = bits;
  if (open !== 0) {
    const end = ctz(~left);
    if (end === BLOCK) return open;
    word(open, block + <usize>end);
    left &= ~(<u64>0) << end;
  }
  while (left !== 0) {
    const start = ctz(left);
    const end = start + ctz(~(left >> start));
    if (end >= BLOCK) return block + <usize>start;
    word(block + <usize>start, block + <usize>end);
    left &= ~(<u64>0) << end;
  }
  return 0;
}

function word(from: usize, to: usize): void {
  const length = <u32>(to - from);
  if (length > SHORT) {
    longWord(from, to);
    return;
  }
  let eight = load<u64>(from);
  let four: u64 = 0;
  if (length < 8) eight &= ((<u64>1) << (8 * length)) - 1;
  else four = load<u32>(from, 8) & (((<u64>1) << (8 * (length - 8))) - 1);
  if (((eight | four) & TOPS) !== 0) {
    foreign(from, to);
    return;
  }
  if (((capitalsOf(eight) & ~0xff) | capitalsOf(four)) !== 0 && !isRemembered(from, to)) name(from, to);
  const rest = length < 8 ? ((<u64>1) << (8 * length)) - 1 : ~(<u64>0);
  const beyond: u64 = length > 8 ? ((<u64>1) << (8 * (length - 8))) - 1 : 0;
  meet(findAscii(eight | (SMALL & rest), <u32>(four | (SMALL & beyond)), from, length));
}

function longWord(from: usize, to: usize): void {
  let all: u64 = 0;
  let capitals: u64 = 0;
  for (let at = from; at < to; at += 8) {
    const eight = load<u64>(at) & (to - at >= 8 ? ~(<u64>0) : ((<u64>1) << (8 * <u64>(to - at))) - 1);
    all |= eight;
    capitals |= at === from ? capitalsOf(eight) & ~0xff : capitalsOf(eight);
  }
  if ((all & TOPS) !== 0) {
    foreign(from, to);
    return;
  }
  if (capitals !== 0 && to - from <= LONGEST_NAME && !isRemembered(from, to)) name(from, to);
  const length = <u32>min(to - from, LONGEST_WORD);
  meet(findAscii(load<u64>(from) | SMALL, load<u32>(from, 8) | <u32>SMALL, from, length));
}

/** The bits of capitals among eight ASCII letters and digits. */
function capitalsOf(bytes: u64): u64 {
  return bytes & ~(bytes << 1) & CAPITALS;
}

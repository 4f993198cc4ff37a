import {
  BACKSLASH,
  isHexDigit,
  QUOTE,
  SLASH,
  SMALL_B,
  SMALL_F,
  SMALL_N,
  SMALL_R,
  SMALL_T,
  SMALL_U,
  SPACE,
} from "./characters.ts";
import { add, ESCAPED, NUMBERED, offsetOf, TEXT, within } from "./tape.ts";

/** Bytes that are looked at at once. */
const BLOCK: usize = 16;

/** Bytes of an escape of one character, and of one by number. */
const SHORT_ESCAPE: usize = 2;
const LONG_ESCAPE: usize = 6;

/** Adds the text whose quote is at `start`. Returns where the next byte is; 0 where there is no text. */
export function textEnd(start: usize): usize {
  const from = offsetOf(start + 1);
  let kind = TEXT;
  let at = runEnd(start + 1);
  while (load<u8>(at) === BACKSLASH) {
    const length = escapeLength(at + 1);
    if (length === 0) return 0;
    if (length === LONG_ESCAPE) kind = NUMBERED;
    else if (kind === TEXT) kind = ESCAPED;
    at = runEnd(at + length);
  }
  if (load<u8>(at) !== QUOTE) return 0;
  add(kind, from, offsetOf(at));
  return at + 1;
}

/** Where a run of plain bytes ends: at a quote, a backslash or a control character. One stands at the end of the line. */
function runEnd(from: usize): usize {
  let at = within(from);
  let ends = endsIn(at);
  while (ends === 0) {
    at = within(at + BLOCK);
    ends = endsIn(at);
  }
  return at + ctz(ends);
}

/** Which bytes of a block end a run, the first one lowest. */
function endsIn(block: usize): u32 {
  const bytes = v128.load(block);
  const quotes = i8x16.eq(bytes, i8x16.splat(QUOTE));
  const backslashes = i8x16.eq(bytes, i8x16.splat(BACKSLASH));
  const controls = i8x16.lt_u(bytes, i8x16.splat(SPACE));
  return i8x16.bitmask(v128.or(v128.or(quotes, backslashes), controls));
}

/** How many bytes the escape has whose second byte is at `second`; 0 where it is none. */
function escapeLength(second: usize): usize {
  switch (load<u8>(second)) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case SMALL_B:
    case SMALL_F:
    case SMALL_N:
    case SMALL_R:
    case SMALL_T:
      return SHORT_ESCAPE;
    case SMALL_U:
      return areHexDigits(second + 1) ? LONG_ESCAPE : 0;
    default:
      return 0;
  }
}

/** Of four bytes. */
function areHexDigits(from: usize): bool {
  for (let at = from; at < from + 4; at++) if (!isHexDigit(load<u8>(at))) return false;
  return true;
}

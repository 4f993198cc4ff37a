const [MINUS, POINT, ZERO] = [0x2d, 0x2e, 0x30];

/** 10^22 is the largest power of ten that a double holds exactly. */
const MOST_FRACTION_DIGITS = 22;
const POWERS_OF_TEN = Array.from({ length: MOST_FRACTION_DIGITS + 1 }, (_none, power) =>
  Number(`1e${power}`),
);

/**
 * The number that stands from `start` to `end`, as `JSON.parse` reads it. Most are computed from their digits here, which
 * takes a quarter of the time of `Number`: where both the digits and the power of ten by which they are divided are exact,
 * the quotient is the nearest double.
 */
export function numberAt(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start;
  let digits = 0;
  let point = end - 1;
  for (let at = first; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (isDigit(byte)) digits = digits * 10 + (byte - ZERO);
    else if (byte === POINT) point = at;
    else return Number(bytes.toString("latin1", start, end));
  }
  const fractionDigits = end - 1 - point;
  // A number of digits beyond the largest safe integer stays beyond it, however many follow.
  if (digits > Number.MAX_SAFE_INTEGER || fractionDigits > MOST_FRACTION_DIGITS)
    return Number(bytes.toString("latin1", start, end));
  const number = digits / (POWERS_OF_TEN[fractionDigits] ?? 1);
  return first > start ? -number : number;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte < ZERO + 10;
}

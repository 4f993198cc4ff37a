import { CASE, isDigit, MINUS, PLUS, POINT, SMALL_E, ZERO } from "./characters.ts";

/** Where the number that begins at `start` ends; 0 where there is none. */
export function numberEnd(start: usize): usize {
  const whole = load<u8>(start) === MINUS ? start + 1 : start;
  let at = load<u8>(whole) === ZERO ? whole + 1 : digitsEnd(whole);
  if (at === whole) return 0;
  if (load<u8>(at) === POINT) {
    const fraction = at + 1;
    at = digitsEnd(fraction);
    if (at === fraction) return 0;
  }
  return (load<u8>(at) | CASE) === SMALL_E ? exponentEnd(at + 1) : at;
}

function exponentEnd(sign: usize): usize {
  const byte = load<u8>(sign);
  const start = byte === PLUS || byte === MINUS ? sign + 1 : sign;
  const end = digitsEnd(start);
  return end === start ? 0 : end;
}

function digitsEnd(start: usize): usize {
  let at = start;
  while (isDigit(load<u8>(at))) at++;
  return at;
}

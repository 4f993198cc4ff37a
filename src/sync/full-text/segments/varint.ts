/** SQLite's numbers of variable length: 7 bits a byte, the highest first; all but the last byte have their top bit set. */

/** Bytes of the longest one that a whole number of JavaScript's can have. */
export const LONGEST_VARINT = 8;

/** Values from here on are beyond JavaScript's operations on bits. */
const WIDE = 2 ** 28;

/** Writes a whole number that is not negative, and returns where it ends. */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  if (value < 0x80) {
    bytes[at] = value;
    return at + 1;
  }
  if (value < 0x4000) {
    bytes[at] = (value >>> 7) | 0x80;
    bytes[at + 1] = value & 0x7f;
    return at + 2;
  }
  return putLong(bytes, at, value);
}

function putLong(bytes: Uint8Array, at: number, value: number): number {
  const end = at + varintLength(value);
  let rest = value;
  for (let place = end - 1; place >= at; place--) {
    bytes[place] = (rest % 0x80) | (place === end - 1 ? 0 : 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return end;
}

export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** The number that begins there. */
export function varintAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return first;
  const second = bytes[at + 1] ?? 0;
  if (second < 0x80) return ((first & 0x7f) << 7) | second;
  return longAt(bytes, at);
}

function longAt(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let place = at; ; place++) {
    const byte = bytes[place] ?? 0;
    value = value < WIDE / 0x80 ? (value << 7) | (byte & 0x7f) : value * 0x80 + (byte & 0x7f);
    if (byte < 0x80) return value;
  }
}

/** Where the number that begins there ends. */
export function afterVarint(bytes: Uint8Array, at: number): number {
  let end = at;
  while ((bytes[end] ?? 0) >= 0x80) end++;
  return end + 1;
}

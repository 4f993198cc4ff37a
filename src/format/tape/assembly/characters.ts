/* Characters of JSON, as the bytes that they are in UTF-8. */

export const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const PLUS: u8 = 0x2b;
export const COMMA: u8 = 0x2c;
export const MINUS: u8 = 0x2d;
export const POINT: u8 = 0x2e;
export const SLASH: u8 = 0x2f;
export const ZERO: u8 = 0x30;
export const COLON: u8 = 0x3a;
export const OPEN_LIST: u8 = 0x5b;
export const BACKSLASH: u8 = 0x5c;
export const CLOSE_LIST: u8 = 0x5d;
export const SMALL_A: u8 = 0x61;
export const SMALL_B: u8 = 0x62;
export const SMALL_E: u8 = 0x65;
export const SMALL_F: u8 = 0x66;
export const SMALL_N: u8 = 0x6e;
export const SMALL_R: u8 = 0x72;
export const SMALL_T: u8 = 0x74;
export const SMALL_U: u8 = 0x75;
export const OPEN_OBJECT: u8 = 0x7b;
export const CLOSE_OBJECT: u8 = 0x7d;

/** The bit by which a small letter and its capital differ. */
export const CASE: u8 = 0x20;

export function isDigit(byte: u8): bool {
  return byte >= ZERO && byte < ZERO + 10;
}

export function isHexDigit(byte: u8): bool {
  const small = byte | CASE;
  return isDigit(byte) || (small >= SMALL_A && small <= SMALL_F);
}

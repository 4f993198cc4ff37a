/* Kinds of characters, as the finder of identifiers tells them in UTF-8. */

export const OTHER = 0;
export const DIGIT = 1;
export const SMALL = 2;
export const CAPITAL = 3;
/** A letter that is neither small nor a capital, or a digit of another script. */
const LETTER = 4;
/** A byte of a character beyond ASCII. */
export const FOREIGN = 5;

/** By byte. */
export const KINDS = Uint8Array.from({ length: 0x100 }, (_, byte) =>
  byte < 0x80 ? kindOf(String.fromCharCode(byte)) : FOREIGN,
);

function kindOf(character: string): number {
  if (/[0-9]/.test(character)) return DIGIT;
  if (/\p{Ll}/u.test(character)) return SMALL;
  if (/\p{Lu}/u.test(character)) return CAPITAL;
  // In texts for the full text private characters stand for vowel signs (`tokenizer.ts`); those for emoji have spaces
  // around them. At all other marks the full text ends a word.
  return /[\p{L}\p{N}\u{f0000}-\u{fffff}]/u.test(character) ? LETTER : OTHER;
}

/** How many bytes the non-ASCII letter or digit that begins there has; 0 when it is none. */
export function foreignLetterAt(utf8: Uint8Array, at: number): number {
  return foreignKindAt(utf8, at) === OTHER ? 0 : sizeOf(utf8[at] ?? 0);
}

/** How many bytes the non-ASCII letter or digit that ends there has; 0 when it is none. */
export function foreignLetterBefore(utf8: Uint8Array, end: number): number {
  let at = end - 1;
  while (at > 0 && ((utf8[at] ?? 0) & 0xc0) === 0x80) at--;
  return foreignLetterAt(utf8, at);
}

/** By character: one more than its kind; 0 while that is not known. */
const FOREIGN_KINDS = new Uint8Array(0x110000);

/** The kind of the non-ASCII character that begins there; `OTHER` where no character begins. */
export function foreignKindAt(utf8: Uint8Array, at: number): number {
  const code = codeAt(utf8, at);
  FOREIGN_KINDS[code] ||= kindOf(String.fromCodePoint(code)) + 1;
  return (FOREIGN_KINDS[code] ?? 0) - 1;
}

/** How many bytes a character has, by its first one. */
export function sizeOf(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** The code point of the non-ASCII character that begins there; 0 where none begins. */
function codeAt(utf8: Uint8Array, at: number): number {
  const lead = utf8[at] ?? 0;
  if (lead < 0xc0) return 0;
  const second = (utf8[at + 1] ?? 0) & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = (utf8[at + 2] ?? 0) & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  const fourth = (utf8[at + 3] ?? 0) & 0x3f;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | fourth;
}

/** Characters of a text that are looked at: a secret goes on as it begins. */
export const JUDGED = 64;
/** In bits a character: what is random has at least this entropy, where it is 12 characters or longer. */
const RANDOM_ENTROPY = 2.9;
const HEX_ENTROPY = 2.5;

/**
 * Whether a text is no name that a person chose: letters and digits in turns, capital letters at any place, consonants alone.
 * Words, numbers and what is made of them (versions, dates, models, paths) change from one to the other seldom.
 */
export function looksRandom(text: string): boolean {
  const said = text.slice(0, JUDGED).replace(/%[\dA-F]{2}/g, "");
  const hasDigits = /\d/.test(said);
  const hasLetters = hasDigits ? /[a-z]/i.test(said) : /[a-z]/.test(said) && /[A-Z]/.test(said);
  if (said.length < 12 || !hasLetters) return false;
  const entropy = entropyOf(said);
  if (/^(?:0x)?[\da-f]+$/i.test(said)) return said.length >= 16 && entropy >= HEX_ENTROPY;
  if (entropy < RANDOM_ENTROPY) return false;
  const pieces = said.match(PIECE) ?? [];
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0) / pieces.length;
  if (!hasDigits) return said.length >= 16 && length < 2.4;
  const parts = said.split(/[-_.:/]/);
  if (Math.max(...parts.map((part) => part.length)) < 8) return false;
  return (
    length < 3.2 || parts.some((part) => part.length >= 12 && CHANGES.test(part)) || CONSONANTS.test(said)
  );
}

/** A word, a word in camel case, a number. */
const PIECE = /[A-Z]?[a-z]+|[A-Z]+|\d+/g;
/** From letters to digits and back, twice. */
const CHANGES = /(?:[a-z]\d.*){2}[a-z]|\d[a-z].*[a-z]\d+[a-z]/i;
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6}/;

const COUNTS = new Uint8Array(128);
/** By how often a character occurs in what is judged: its part of the entropy. */
const PARTS = Float64Array.from({ length: JUDGED + 1 }, (_, count) => count * Math.log2(Math.max(1, count)));

/** Shannon entropy, in bits a character, of a text of at most `JUDGED`. */
function entropyOf(text: string): number {
  COUNTS.fill(0);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) & 127;
    COUNTS[code] = (COUNTS[code] ?? 0) + 1;
  }
  let sum = 0;
  for (const count of COUNTS) sum += PARTS[count] ?? 0;
  return Math.log2(text.length) - sum / text.length;
}

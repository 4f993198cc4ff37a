/*
 * How texts and queries are cut into words for the full-text index. The index itself splits at everything that
 * is no letter or digit and folds case and diacritics; what is added here is what that misses.
 */

/** One Chinese, Japanese or Korean character, as part of a regular expression with the flag `u`. */
export const CJK_CHARACTER =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}〆ーｰ]";
const CJK = new RegExp(CJK_CHARACTER, "gu");

/** Cheap test, by UTF-16 units, for anything the expression above could match. */
const MAYBE_CJK =
  /[\u02ea\u02eb\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\ud81b\ud82b\ud82c\ud840-\ud8bf]/;

/**
 * Text as it is indexed and asked for: composed (NFC), and each Chinese, Japanese or Korean character a word
 * of its own, so that any run of them is a phrase.
 */
export function spaced(text: string): string {
  const composed = text.normalize("NFC");
  return MAYBE_CJK.test(composed) ? composed.replace(CJK, " $& ") : composed;
}

/** A capital after a small letter or digit, or the last of several capitals: where a compound name has a seam. */
const SEAM = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;
/** Longer runs of letters and digits are encoded data, not names. */
const LONGEST_NAME = 64;

/**
 * The compound names in a text (`sessionManager`, `parseHTTPResponse`), as they stand there. Names with `_`,
 * `-` or `.` are none: the index splits those by itself. Time is linear in the length of the text.
 */
export function* compoundNames(text: string): Generator<string> {
  const seams = new RegExp(SEAM, "g");
  for (let seam = seams.exec(text); seam !== null; seam = seams.exec(text)) {
    const start = wordEdge(text, seam.index, -1);
    const end = wordEdge(text, seam.index, 1) + 1;
    if (end - start <= LONGEST_NAME) yield text.slice(start, end);
    seams.lastIndex = end;
  }
}

/** The parts of a compound name, in lower case: `parseHTTPResponse` gives `parse`, `http`, `response`. */
export function partsOfName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
}

/** A word as the full-text index keeps it: without case and diacritics. */
export function foldWord(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The last position of the run of letters and digits around `from`, in one direction. */
function wordEdge(text: string, from: number, direction: 1 | -1): number {
  let at = from;
  while (isWordCode(text.charCodeAt(at + direction), text, at + direction)) at += direction;
  return at;
}

/** False for NaN, which is what lies beyond the ends. */
function isWordCode(code: number, text: string, at: number): boolean {
  if (code < 0x80)
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
  return /[\p{L}\p{N}\p{M}]/u.test(text.charAt(at));
}

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
const SEAM = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/g;
/** Longer runs of letters and digits are encoded data, not names. */
const LONGEST_NAME = 64;

/**
 * The parts of compound names in a text, each once, in lower case: `parseHTTPResponse` gives `parse`, `http`,
 * `response`. Names with `_`, `-` or `.` need no help: the index splits them.
 */
export function identifierParts(text: string): string[] {
  const parts = new Set<string>();
  SEAM.lastIndex = 0;
  for (let seam = SEAM.exec(text); seam !== null; seam = SEAM.exec(text)) {
    const start = wordEdge(text, seam.index, -1);
    const end = wordEdge(text, seam.index, 1) + 1;
    if (end - start <= LONGEST_NAME) for (const part of splitName(text.slice(start, end))) parts.add(part);
    SEAM.lastIndex = end;
  }
  return [...parts];
}

/** The last position of the run of ASCII letters and digits around `from`, in one direction. */
function wordEdge(text: string, from: number, direction: 1 | -1): number {
  let at = from;
  while (isWordCode(text.charCodeAt(at + direction))) at += direction;
  return at;
}

/** False for NaN, which is what lies beyond the ends. */
function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(" ");
}

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

/** Longer runs of letters and digits are encoded data, not names. */
const LONGEST_NAME = 64;

/**
 * The compound names in a text (`sessionManager`, `parseHTTPResponse`), as they stand there: words with a
 * capital after a small letter or digit, or a small letter after two capitals. Names with `_`, `-` or `.` are
 * none: the index splits those by itself.
 *
 * One pass over the characters, because this runs over every text there is: regular expressions that look
 * for the seams take more than twice as long.
 */
export function* compoundNames(text: string): Generator<string> {
  let start = 0;
  let hasSeam = false;
  let [before, last]: Kind[] = [OTHER, OTHER];
  for (let at = 0; at <= text.length; at++) {
    const kind = kindOf(text, at);
    if (kind === OTHER) {
      if (hasSeam && at - start <= LONGEST_NAME) yield text.slice(start, at);
      start = at + 1;
      hasSeam = false;
    } else if (kind === CAPITAL) {
      hasSeam ||= last === SMALL || last === DIGIT;
    } else if (kind === SMALL) {
      hasSeam ||= last === CAPITAL && before === CAPITAL;
    }
    before = last;
    last = kind;
  }
}

type Kind = 1 | 2 | 3 | 4 | 5;
/** What a character is to a compound name; `OTHER` ends a word, `LETTER` is one without a case that matters. */
const [OTHER, SMALL, CAPITAL, DIGIT, LETTER]: [1, 2, 3, 4, 5] = [1, 2, 3, 4, 5];

/** Kinds of UTF-16 units, 0 while not known. */
const KINDS = new Uint8Array(0x10000);

function kindOf(text: string, at: number): Kind {
  if (at >= text.length) return OTHER;
  const code = text.charCodeAt(at);
  const known = KINDS[code] as Kind | 0;
  if (known !== 0) return known;
  const kind = judge(String.fromCharCode(code));
  KINDS[code] = kind;
  return kind;
}

function judge(character: string): Kind {
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/[0-9]/.test(character)) return DIGIT;
  return /[\p{L}\p{N}\p{M}]/u.test(character) ? LETTER : OTHER;
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

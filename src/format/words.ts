/*
 * How texts and queries are cut into words for the full-text index. The index itself splits at everything that
 * is no letter or digit and folds case and diacritics; what is added here is what that misses.
 */

/** One Chinese, Japanese or Korean character, as part of a regular expression with the flag `u`. */
export const CJK_CHARACTER =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}〆ーｰﾞﾟ]";
/** One emoji without its modifiers, as part of a regular expression with the flag `u`. */
export const EMOJI = "(?:(?![©®™])\\p{Extended_Pictographic}|\\p{Regional_Indicator})";
/** Accents of letters that have none in their composed form, vowel points of Hebrew and Arabic. */
const MARK =
  "[\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed]";

/** Letters whose accents the full text would keep: it knows those of Latin letters only. */
const ACCENTED = "[\\u0386-\\u03ce\\u1f00-\\u1fffёЁ]";

/** What the full text would take for letters: private characters, and signs that are newer than its tables. */
const SIGN = "[\\p{Co}\\u{1f000}-\\u{1ffff}]";

const SPECIAL = new RegExp(`(${EMOJI})|(${CJK_CHARACTER})|((?=${MARK})\\p{Mn}|${ACCENTED})|${SIGN}`, "gu");

/** Where anything the expression above could match may begin, by UTF-16 units: those that a quick search can look for. */
const MAYBE_SPECIAL = [
  "\\u02ea\\u02eb\\u0300-\\u036f\\u0386-\\u03ce\\u0401\\u0451\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670",
  "\\u06d6-\\u06ed\\u1100-\\u11ff\\u1f00-\\u1fff\\u203c-\\u2bff\\u2e80-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\ue000-\\ufaff",
  "\\uff66-\\uffdc\\ud81b\\ud82b\\ud82c\\ud83c-\\ud83f\\ud840-\\ud8bf\\udb80-\\udbff",
].join("");

/**
 * Runs of such units, with the second halves of pairs. The expression by code points is asked about these only: over
 * whole texts it took a seventh of the time of filling the full text.
 */
const MAYBE_SPECIAL_RUN = new RegExp(`[${MAYBE_SPECIAL}][${MAYBE_SPECIAL}\\udc00-\\udfff]*`, "g");

/**
 * Text as it is indexed and asked for: composed (NFC), without accents that the full text would take for the end
 * of a word, and each Chinese, Japanese or Korean character and each emoji a word of its own, so that any run of them
 * is a phrase.
 */
export function spaced(text: string): string {
  return text.normalize("NFC").replace(MAYBE_SPECIAL_RUN, (run) => run.replace(SPECIAL, respell));
}

function respell(_found: string, emoji?: string, cjk?: string, accented?: string): string {
  if (accented !== undefined) return accented.normalize("NFD").replace(/\p{M}/gu, "");
  return emoji === undefined ? ` ${cjk ?? ""} ` : ` ${asLetter(emoji)} `;
}

/**
 * The full text passes over whatever is no letter or digit, private characters aside: an emoji becomes one of
 * those, U+F0000 and the lower 16 bits of its code, which differ between all emoji.
 */
function asLetter(emoji: string): string {
  return String.fromCodePoint(0xf0000 + ((emoji.codePointAt(0) ?? 0) & 0xffff));
}

/** Longer runs of letters and digits are encoded data, not names. */
const LONGEST_NAME = 64;

/** Where a compound name is sewn together. */
const SEAM = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/g;

/**
 * The compound names in a text (`sessionManager`, `parseHTTPResponse`), as they stand there: words with a
 * capital after a small letter or digit, or a small letter after two capitals. Names with `_`, `-` or `.` are
 * none: the index splits those by itself.
 *
 * This runs over every text there is: looking for the seams, and from them for the ends of the word, takes half the
 * time of one pass over all characters, and a third of that of an expression for whole names.
 */
export function* compoundNames(text: string): Generator<string> {
  for (let from = 0; ; ) {
    SEAM.lastIndex = from;
    if (!SEAM.test(text)) return;
    let start = SEAM.lastIndex - 2;
    let end = SEAM.lastIndex;
    while (start > from && isWordCharacter(text, start - 1)) start--;
    while (end < text.length && isWordCharacter(text, end)) end++;
    if (end - start <= LONGEST_NAME) yield text.slice(start, end);
    from = end;
  }
}

/** By UTF-16 unit: 0 while not known, 1 for letters, digits and their marks, 2 for the rest. */
const KINDS = new Uint8Array(0x10000);

function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  KINDS[code] ||= /[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(code)) ? 1 : 2;
  return KINDS[code] === 1;
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

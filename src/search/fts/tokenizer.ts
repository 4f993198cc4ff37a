/*
 * How texts and queries are cut into words for the full-text index. The index itself splits at everything that
 * is neither a letter nor a digit, and folds case and diacritics; what it misses is done here.
 */

/**
 * One character of the scripts that are written without spaces, as part of a regular expression with the flag `u`:
 * Chinese, Japanese and Korean ones, and Thai, Lao, Khmer and Burmese ones with their vowel signs.
 */
export const UNSPACED_CHARACTER =
  "(?:[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}〆ーｰﾞﾟ]" +
  "|(?=[\\p{L}\\p{N}\\p{M}])[\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}])";
/** One emoji without its modifiers, as part of a regular expression with the flag `u`. */
export const EMOJI = "(?:(?![©®™])\\p{Extended_Pictographic}|\\p{Regional_Indicator})";
/** The characters of which the full text makes words, as part of a set in a regular expression with the flag `u`. */
export const WORD_CHARACTERS = "\\p{L}\\p{N}\\p{M}\\p{Co}";
/** A word that nobody types: it stands between texts, and between words of which no phrase is to be made. */
export const BETWEEN = "\ue000";
/** Accents on letters for which there is no composed form, and vowel points of Hebrew and Arabic. */
const ACCENT = `[${[
  "\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u08d3-\\u08ff",
  "\\u0951-\\u0954\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\ufe20-\\ufe2f",
].join("")}]`;
/**
 * A mark that makes another letter of the one before it, as part of a regular expression with the flag `u`: vowel signs
 * of the scripts of India and its neighbours. Without them Hindi की, का and के would be one word. The characters listed
 * by code have become letters since the full text's tables were made.
 */
export const LETTER_MARK =
  `(?:(?!${ACCENT})(?=\\p{M})(?=[\\u0700-\\uffff\\u{10a00}-\\u{11fff}])[^\\p{Script=Common}\\p{Script=Inherited}]` +
  "|[\\u19b0-\\u19c0\\u19c8\\u19c9\\u1cf2\\u1cf3])";
/** Characters that nobody sees or types: soft hyphens, joiners, byte-order marks, selectors of variants. */
const INVISIBLE = "[\\u00ad\\u200d\\u2060\\ufe00-\\ufe0f\\ufeff]";
const SOFT_HYPHEN = "\u00ad";
/** Latin letters that no accent makes of another, and what is typed where there is no key for them. */
const STANDS_FOR: Readonly<Record<string, string>> = {
  ...{ ß: "ss", ẞ: "SS", æ: "ae", Æ: "AE", œ: "oe", Œ: "OE", þ: "th", Þ: "TH", ð: "d", Ð: "D" },
  ...{ ø: "o", Ø: "O", ł: "l", Ł: "L", đ: "d", Đ: "D", ħ: "h", Ħ: "H", ŧ: "t", Ŧ: "T", ı: "i" },
};
const STANDALONE = new RegExp(`[${Object.keys(STANDS_FOR).join("")}]`);
const EVERY_STANDALONE = new RegExp(STANDALONE, "g");

function withoutStandalone(text: string): string {
  return STANDALONE.test(text)
    ? text.replace(EVERY_STANDALONE, (letter) => STANDS_FOR[letter] ?? letter)
    : text;
}

/** Letters whose accents the full text would keep: it takes them off Latin letters only. */
const ACCENTED = "[\\u0386-\\u03ce\\u1f00-\\u1fffЀЁЍѐёѝ]";

/** Other ways to print Latin letters and digits, which nobody types: ligatures (of PDFs: `oﬃce`), and full width. */
const PRINTED = "[\\ufb00-\\ufb06\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a]";
const EVERY_PRINTED = new RegExp(PRINTED, "g");

/** Letters for which the full text's tables lack the capital or the small letter. */
const NEWLY_CASED = `(?:[${[
  "\\u037f\\u03f3\\u0528-\\u052f\\u13a0-\\u13fd\\u1c80-\\u1cbf\\u1d8e\\u2c2f\\u2c5f\\ua698-\\ua69b\\ua794-\\ua7dc\\ua7f5\\ua7f6",
  "\\uab53\\uab70-\\uabbf\\u{104b0}-\\u{104fb}\\u{10570}-\\u{105bc}\\u{10c80}-\\u{10cf2}\\u{10d50}-\\u{10d85}\\u{118a0}-\\u{118df}",
  "\\u{16e40}-\\u{16ed3}\\u{1e900}-\\u{1e943}",
].join("")}])`;

/** Signs that the full text would take for letters: private characters, and signs that are newer than its tables. */
const SIGN = "(?!\\p{N})[\\p{Co}\\u{1f000}-\\u{1ffff}]";

const SPECIAL = new RegExp(
  `(${EMOJI})|(${UNSPACED_CHARACTER})|((?=${ACCENT})\\p{Mn}|${INVISIBLE}|${ACCENTED})|(${LETTER_MARK})` +
    `|(${NEWLY_CASED})|(${PRINTED})|${SIGN}`,
  "gu",
);

/** Matches the UTF-16 units with which a match of the expression above can begin: looking for them is quick. */
const MAYBE_SPECIAL = new RegExp(
  `[${[
    "\\u02ea\\u02eb\\u0300-\\u036f\\u037f\\u0386-\\u03ce\\u03f3\\u0400\\u0401\\u040d\\u0450\\u0451\\u045d\\u0483-\\u0487\\u0528-\\u052f\\u0591-\\u05c7",
    "\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u0700-\\u109f\\u1100-\\u11ff\\u135d-\\u135f\\u13a0-\\u13fd\\u1700-\\u1cff\\u1d8e\\u1dc0-\\u1dff",
    "\\u1f00-\\u1fff\\u200d\\u203c-\\u2bff\\u2c2f\\u2c5f\\u2cef-\\u2cf1\\u2d7f\\u2de0-\\u9fff\\ua66f-\\ua67d\\ua698-\\ua6f1\\ua794-\\ua7dc\\ua7f5\\ua7f6",
    "\\ua802-\\uabff\\uac00-\\ud7ff\\ue000-\\ufb1e\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\uff66-\\uffdc\\ud801-\\ud807\\ud81b\\ud82b\\ud82c\\ud83a",
    "\\ud83c-\\ud83f\\ud840-\\ud8bf\\udb80-\\udbff",
  ].join("")}]`,
);

/**
 * Runs of units from U+02EA on: below that no character is special, and composing changes nothing, since it begins at
 * U+0300. The expressions above are tried on these runs only. On whole texts they took a seventh of the time of filling
 * the full text, and looking for `MAYBE_SPECIAL` first still took twice as long as this.
 */
const FOREIGN_RUN = /[^\0-\u02e9]+/g;
const FOREIGN = /[^\0-\u02e9]/;

/**
 * Text as it is indexed and searched for: composed (NFC), without invisible characters, without accents at which the
 * full text would end a word, with l for ł and ss for ß, and with small letters in the place of capitals that it does not
 * know. Each emoji, and each character of a script without spaces, is a word of its own, so that any run of them can be
 * found as a phrase.
 */
export function spaced(text: string): string {
  const visible = text.includes(SOFT_HYPHEN) ? text.replaceAll(SOFT_HYPHEN, "") : text;
  const plain = withoutStandalone(visible);
  return FOREIGN.test(plain) ? plain.normalize("NFC").replace(FOREIGN_RUN, respellRun) : plain;
}

/** What each character becomes: trying the expression once for each takes half the time of trying it on runs. */
const RESPELT = new Map<string, string>();

function respellRun(run: string): string {
  if (!MAYBE_SPECIAL.test(run)) return run;
  let respelt = "";
  for (const character of run) respelt += RESPELT.get(character) ?? learn(character);
  return respelt;
}

function learn(character: string): string {
  const respelt = character.replace(SPECIAL, respell);
  RESPELT.set(character, respelt);
  return respelt;
}

function respell(found: string, ...groups: (string | undefined)[]): string {
  const [emoji, unspaced, plain, mark, newlyCased, printed] = groups;
  if (plain !== undefined) return plain.normalize("NFD").replace(/[\p{M}\p{Cf}]/gu, "");
  if (mark !== undefined) return asLetter(mark);
  if (newlyCased !== undefined) return smallLetter(newlyCased);
  if (printed !== undefined) return typed(printed);
  const isLetter = unspaced !== undefined && !/\p{M}/u.test(found);
  return ` ${isLetter ? found : asLetter(emoji ?? unspaced ?? "")} `;
}

function typed(printed: string): string {
  return printed.normalize("NFKC");
}

/** Added to the codes of supplementary marks, which would otherwise get the codes of other marks. */
const SUPPLEMENTARY = 0x3400;

/**
 * Makes a private character of an emoji or a mark: the full text passes over whatever is neither a letter, a digit nor
 * a private character. It is U+F0000 plus the lower 16 bits of the code, which differ between all of them. An empty
 * text stays empty.
 */
function asLetter(character: string): string {
  const code = character.codePointAt(0);
  if (code === undefined) return "";
  const isSupplementaryMark = code >= 0x10a00 && code < 0x12000;
  return String.fromCodePoint(0xf0000 + (code & 0xffff) + (isSupplementaryMark ? SUPPLEMENTARY : 0));
}

/** Almost all words are ASCII. */
const ASCII_ONLY = /^[\0-\x7f]*$/;

/** A word as the full-text index keeps it: without case and diacritics. */
export function foldWord(word: string): string {
  if (ASCII_ONLY.test(word)) return word.toLowerCase();
  const plain = word.normalize("NFC").replace(LEFT_OUT, "").replace(EVERY_PRINTED, typed);
  return withoutStandalone(plain).replace(/./gsu, foldLetter);
}

/** Characters that `spaced` leaves out. */
const LEFT_OUT = new RegExp(`(?!${LETTER_MARK}|${UNSPACED_CHARACTER})\\p{M}|${INVISIBLE}`, "gu");
/** Letters that lose their accents; й and آ are letters of their own. */
const FOLDED = new RegExp(`\\p{Script=Latin}|${ACCENTED}`, "u");

function foldLetter(letter: string): string {
  return smallLetter(FOLDED.test(letter) ? letter.normalize("NFD").replace(/\p{M}/gu, "") : letter);
}

/** In lower case, also ς, ſ and µ, which share their capital with another letter. */
function smallLetter(letter: string): string {
  const capital = letter.toUpperCase();
  return (capital.length === letter.length ? capital : letter).toLowerCase();
}

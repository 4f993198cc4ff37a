/*
 * How texts and queries are cut into words for the full-text index. The index itself splits at everything that
 * is no letter or digit and folds case and diacritics; what is added here is what that misses.
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
/** Accents of letters that have none in their composed form, vowel points of Hebrew and Arabic. */
const ACCENT = `[${[
  "\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u08d3-\\u08ff",
  "\\u0951-\\u0954\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\ufe20-\\ufe2f",
].join("")}]`;
/**
 * A mark that makes another letter of the one before it, as part of a regular expression with the flag `u`: vowel signs
 * of the scripts of India and its neighbours. Without them Hindi की, का and के were one word.
 */
export const LETTER_MARK = `(?:(?!${ACCENT})(?=\\p{M})(?=[\\u0700-\\uffff\\u{10a00}-\\u{11fff}])[^\\p{Script=Common}\\p{Script=Inherited}])`;
/** Nobody sees them, nobody types them: soft hyphens, joiners, marks of byte order. */
const INVISIBLE = "[\\u00ad\\u200d\\u2060\\ufeff]";
const SOFT_HYPHEN = "\u00ad";

/** Letters whose accents the full text would keep: it knows those of Latin letters only. */
const ACCENTED = "[\\u0386-\\u03ce\\u1f00-\\u1fffЀЁЍѐёѝ]";

/** What the full text would take for letters: private characters, and signs that are newer than its tables. */
const SIGN = "[\\p{Co}\\u{1f000}-\\u{1ffff}]";

const SPECIAL = new RegExp(
  `(${EMOJI})|(${UNSPACED_CHARACTER})|((?=${ACCENT})\\p{Mn}|${INVISIBLE}|${ACCENTED})|(${LETTER_MARK})|${SIGN}`,
  "gu",
);

/** Where anything the expression above could match may begin, by UTF-16 units: those that a quick search can look for. */
const MAYBE_SPECIAL = new RegExp(
  `[${[
    "\\u02ea\\u02eb\\u0300-\\u036f\\u0386-\\u03ce\\u0400\\u0401\\u040d\\u0450\\u0451\\u045d\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a",
    "\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u0700-\\u109f\\u1100-\\u11ff\\u135d-\\u135f\\u1700-\\u1cff\\u1dc0-\\u1dff\\u1f00-\\u1fff\\u200d\\u203c-\\u2bff",
    "\\u2cef-\\u2cf1\\u2d7f\\u2de0-\\u9fff\\ua66f-\\ua67d\\ua69e-\\ua6f1\\ua802-\\uabff\\uac00-\\ud7ff\\ue000-\\ufb1e\\ufe20-\\ufe2f\\ufeff",
    "\\uff66-\\uffdc\\ud802-\\ud807\\ud81b\\ud82b\\ud82c\\ud83c-\\ud83f\\ud840-\\ud8bf\\udb80-\\udbff",
  ].join("")}]`,
);

/**
 * Units that are special to nobody: they are below every special one, and below U+0300, where the first stand that
 * composing changes. The expressions above are asked about the runs of others only; over whole texts they took a
 * seventh of the time of filling the full text, and a search for all that may be special still twice that of this.
 */
const FOREIGN_RUN = /[^\0-\u02e9]+/g;
const FOREIGN = /[^\0-\u02e9]/;

/**
 * Text as it is indexed and asked for: composed (NFC), without what nobody sees and accents that the full text would take
 * for the end of a word, and each character of a script without spaces and each emoji a word of its own, so that any run
 * of them is a phrase.
 */
export function spaced(text: string): string {
  const visible = text.includes(SOFT_HYPHEN) ? text.replaceAll(SOFT_HYPHEN, "") : text;
  return FOREIGN.test(visible) ? visible.normalize("NFC").replace(FOREIGN_RUN, respellRun) : visible;
}

/** What each character is respelled to: asking the expression once for each takes half the time of asking it for runs. */
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

function respell(found: string, emoji?: string, unspaced?: string, plain?: string, mark?: string): string {
  if (plain !== undefined) return plain.normalize("NFD").replace(/[\p{M}\p{Cf}]/gu, "");
  if (mark !== undefined) return asLetter(mark);
  const isLetter = unspaced !== undefined && !/\p{M}/u.test(found);
  return ` ${isLetter ? found : asLetter(emoji ?? unspaced ?? "")} `;
}

/** Distance of supplementary marks from the others, of which they would have the codes. */
const SUPPLEMENTARY = 0x3400;

/**
 * The full text passes over whatever is no letter or digit, private characters aside: an emoji or a mark becomes one of
 * those, U+F0000 and the lower 16 bits of its code, which differ between all of them; nothing becomes nothing.
 */
function asLetter(character: string): string {
  const code = character.codePointAt(0);
  if (code === undefined) return "";
  const isSupplementaryMark = code >= 0x10a00 && code < 0x12000;
  return String.fromCodePoint(0xf0000 + (code & 0xffff) + (isSupplementaryMark ? SUPPLEMENTARY : 0));
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
  return word.normalize("NFC").replace(UNHEARD, "").replace(/./gsu, foldLetter);
}

/** All that `spaced` leaves out. */
const UNHEARD = new RegExp(`(?!${LETTER_MARK}|${UNSPACED_CHARACTER})\\p{M}|${INVISIBLE}`, "gu");
/** Letters that are folded to those without accents; й and آ are letters of their own. */
const FOLDED = new RegExp(`\\p{Script=Latin}|${ACCENTED}`, "u");

function foldLetter(letter: string): string {
  return smallLetter(FOLDED.test(letter) ? letter.normalize("NFD").replace(/\p{M}/gu, "") : letter);
}

/** Of ς, ſ and µ too, which have a capital in common with other letters. Turkish ı has one as well, but stays. */
function smallLetter(letter: string): string {
  const capital = letter.toUpperCase();
  return (capital.length === letter.length && letter !== "ı" ? capital : letter).toLowerCase();
}

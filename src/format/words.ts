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
const MAYBE_SPECIAL = new RegExp(
  `[${[
    "\\u02ea\\u02eb\\u0300-\\u036f\\u0386-\\u03ce\\u0401\\u0451\\u0483-\\u0487\\u0591-\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670",
    "\\u06d6-\\u06ed\\u1100-\\u11ff\\u1f00-\\u1fff\\u203c-\\u2bff\\u2e80-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\ue000-\\ufaff",
    "\\uff66-\\uffdc\\ud81b\\ud82b\\ud82c\\ud83c-\\ud83f\\ud840-\\ud8bf\\udb80-\\udbff",
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
 * Text as it is indexed and asked for: composed (NFC), without accents that the full text would take for the end
 * of a word, and each Chinese, Japanese or Korean character and each emoji a word of its own, so that any run of them
 * is a phrase.
 */
export function spaced(text: string): string {
  return FOREIGN.test(text) ? text.normalize("NFC").replace(FOREIGN_RUN, respellRun) : text;
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

import { describe, expect, test } from "vitest";
import { foldWord, LETTER_MARK, spaced, UNSPACED_CHARACTER } from "../../../src/search/fts/tokenizer.ts";
import { connect } from "../../../src/store/native.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

const LETTER_MARKS = new RegExp(`^(?:${LETTER_MARK}|(?=\\p{M})${UNSPACED_CHARACTER})$`, "u");

describe("characters of scripts without spaces", () => {
  test.each([
    ["Chinese", "天气", " 天  气 "],
    ["Hiragana", "はな", " は  な "],
    ["Katakana with a long vowel", "コーヒー", " コ  ー  ヒ  ー "],
    ["Katakana of half width with a long vowel", "ｺｰﾋｰ", " ｺ  ｰ  ﾋ  ｰ "],
    ["Hangul", "한국", " 한  국 "],
    ["Hangul letters", "ㅋㅋ", " ㅋ  ㅋ "],
    ["Bopomofo", "ㄅㄆ", " ㄅ  ㄆ "],
    ["the iteration mark", "人々", " 人  々 "],
    ["the closing mark", "〆切", " 〆  切 "],
    ["the ideographic zero", "二〇", " 二  〇 "],
    ["an extension of Chinese", "𠀀𪜶", " 𠀀  𪜶 "],
    ["old Kana", "𛀁𛀂", " 𛀁  𛀂 "],
    ["compatibility ideographs", "豈", " 豈 ".normalize("NFC")],
    ["Thai with its vowel signs and tones", "ที่", " ท  \u{f0e35}  \u{f0e48} "],
    ["Lao", "ລາວ", " ລ  າ  ວ "],
    ["Khmer", "ខ្មែរ", " ខ  \u{f17d2}  ម  \u{f17c2}  រ "],
    ["Burmese", "မြန်", " မ  \u{f103c}  န  \u{f103a} "],
  ])("are words of their own: %s", (_script, text, expected) => {
    expect(spaced(text)).toBe(expected);
  });

  test("stand apart from the letters beside them", () => {
    expect(spaced("use天气API")).toBe("use 天  气 API");
  });

  test("are the same word composed or not", () => {
    expect(spaced("가".normalize("NFD"))).toBe(spaced("가"));
  });
});

test.each(["", "plain words", "grüne", "عربي", "बस", "© 2026 → ─┐"])(
  "a text without any is left as it is: %j",
  (text) => {
    expect(spaced(text)).toBe(text);
  },
);

test("no letter of these scripts is passed over", () => {
  const scripts =
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]$/u;
  const missed: string[] = [];
  for (let code = 0; code < 0x40000; code++) {
    const character = String.fromCodePoint(code);
    if (!scripts.test(character) || !/[\p{L}\p{N}]/u.test(character)) continue;
    const whole = character.normalize("NFC");
    if (spaced(character) !== [...whole].map((part) => ` ${part} `).join("")) missed.push(character);
  }
  expect(missed).toEqual([]);
});

test("every emoji is a letter of its own, and no two are the same", () => {
  const letters = new Map<string, number>();
  for (let code = 0; code < 0x20000; code++) {
    const character = String.fromCodePoint(code);
    if (!/[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(character) || /[©®™]/.test(character))
      continue;
    const letter = spaced(character);
    expect([code, letter]).toEqual([code, expect.stringMatching(/^ \p{Co} $/u)]);
    expect([code, letters.get(letter)]).toEqual([code, undefined]);
    letters.set(letter, code);
  }
  expect(letters.size).toBeGreaterThan(1000);
});

test("every mark of a letter is a letter, no two are the same, and it ends no word", () => {
  const letters = new Map<string, number>();
  for (let code = 0x700; code < 0x12000; code++) {
    const character = String.fromCodePoint(code);
    if (!LETTER_MARKS.test(character) || character !== character.normalize("NFC")) continue;
    const letter = spaced(`a${character}b`).replaceAll(" ", "");
    expect([code, letter]).toEqual([code, expect.stringMatching(/^a\p{Co}b$/u)]);
    expect([code, letters.get(letter)]).toEqual([code, undefined]);
    letters.set(letter, code);
  }
  expect(letters.size).toBeGreaterThan(1000);
});

test.each([
  ["a private character", "main\ue0a0branch", "main  branch"],
  ["a private character of the last planes", "a\u{f0350}b", "a  b"],
  ["a sign newer than the full text's tables", "a\u{1fb00}b", "a  b"],
  ["a colour of skin", "👍🏽", " \u{ff44d}   "],
  ["an accent that cannot be composed", "x\u030dy", "xy"],
  ["a vowel point", "שָׁלוֹם", "שלום"],
  ["an accent of Greek", "κόσμε ἀρχή", "κοσμε αρχη"],
  ["the two points of ё, unlike й", "ещё мой", "еще мой"],
  ["a stress of Bulgarian", "ѝ Ѐ", "и Е"],
  ["a hyphen nobody sees", "Wörter\u00adbuch", "Wörterbuch"],
  ["a selector of a variant", "na\ufe0fme 1\ufe0f\u20e3", "name 1\u20e3"],
  ["the point that ı has not", "ışık", "işik"],
  ["a joiner of letters, of words, a mark of byte order", "क्\u200dष a\u2060b \ufeffc", "क\u{f094d}ष ab c"],
])("%s is no letter of the words around it", (_what, text, expected) => {
  expect(spaced(text)).toBe(expected);
});

/** Emoji, marks, private and invisible characters, letters that lose their accents, letters newer than the tables. */
const RESPELT = new RegExp(
  [
    "[\\p{Extended_Pictographic}\\p{Regional_Indicator}\\p{Co}\\p{M}\\u{1f000}-\\u{1ffff}]",
    "[\\u00ad\\u200d\\u2060\\ufeff]",
    "[\\u0386-\\u03ce\\u1f00-\\u1fffЀЁЍѐёѝ]",
    "[ßæœþðøłđħŧı]",
    "[\\u19b0-\\u19c0\\u19c8\\u19c9\\u1cf2\\u1cf3\\ufb00-\\ufb06\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a]",
  ].join("|"),
  "u",
);

/** Small letters whose capital has another one: ᲀ and в have В. */
const SMALL_OF_ANOTHER = /[\u1c80-\u1c8f\u13a0-\u13fd]/;

test("every other character stays as it is, but for spaces around it", () => {
  const changed: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code).normalize("NFC");
    if (RESPELT.test(character) || character === " " || character !== character.toLowerCase()) continue;
    if (SMALL_OF_ANOTHER.test(character)) continue;
    if (spaced(character).replaceAll(" ", "") !== character) changed.push(code.toString(16));
  }
  expect(changed).toEqual([]);
});

test("is what comes of replacing each character by itself, whatever stands beside it", () => {
  const special = fc.constantFrom(..."가한\u0301e\u0301天ｱﾞ👍🏽🇩🇪🀄é\ue0a0\ud83d\udc4d—“ё×÷©™ʰˇ");
  const unit = fc.oneof(special, fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(fc.array(unit), (characters) => {
      const text = characters.join("").normalize("NFC");
      expect(spaced(characters.join(""))).toBe([...text].map((each) => spaced(each)).join(""));
    }),
    { numRuns: runs(1000) },
  );
});

test.each([
  ["ΟΔΌΣ", "οδός"],
  ["ſtraſſe", "STRASSE"],
  ["oﬃce ﬂow", "office flow"],
  ["ＡＰＩ１２３", "api123"],
  ["Straße", "STRASSE"],
  ["STRAẞE", "straße"],
  ["Łódź", "LODZ"],
  ["Smørrebrød Ærø", "smorrebrod aero"],
  ["Œuvre", "oeuvre"],
  ["Đà Nẵng", "da nang"],
  ["Þór", "Thor"],
  ["Ħal Ġdid", "hal gdid"],
  ["10 µm", "10 μm"],
  ["İstanbul", "istanbul"],
  ["ışık", "IŞIK"],
  ["ᲒᲐᲛᲐᲠᲯᲝᲑᲐ", "გამარჯობა"],
  ["мой".normalize("NFD"), "МОЙ"],
  ["한글".normalize("NFD"), "한글"],
  ["WÖRTER\u00adBUCH", "wörterbuch"],
])("%s and %s are the same word", (one, other) => {
  expect(foldWord(one)).toBe(foldWord(other));
});

test("ASCII is folded as everything else is", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("");
  expect(foldWord(ascii)).toBe(foldWord(`${ascii}é`).slice(0, -1));
});

test.each([
  ["की", "का"],
  ["мой", "мои"],
  ["が", "か"],
])("%s and %s are not", (one, other) => {
  expect(foldWord(one)).not.toBe(foldWord(other));
});

test("a letter is the same word in any case to the full text, whichever of its forms its tables know", () => {
  const database = connect(":memory:", {});
  database.exec(`CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE terms USING fts5vocab('texts', 'instance')`);
  const insert = database.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)");
  const cased: number[] = [];
  const forms = new Set<number>();
  for (let code = 0; code <= 0x10ffff; code++) {
    const letter = String.fromCodePoint(code);
    const others = /\p{L}/u.test(letter) ? otherCases(letter) : [];
    if (others.length > 0) cased.push(code);
    for (const form of others.length > 0 ? [code, ...others] : []) forms.add(form);
  }
  database.transaction(() => {
    for (const code of forms) insert.run(code, spaced(`a${String.fromCodePoint(code)}z`));
  })();
  const terms = new Map(
    database.prepare("SELECT doc, group_concat(term, ' ') FROM terms GROUP BY doc").raw().all() as [
      number,
      string,
    ][],
  );
  const differing = cased.filter((code) =>
    otherCases(String.fromCodePoint(code)).some((other) => terms.get(other) !== terms.get(code)),
  );
  database.close();
  expect(cased.length).toBeGreaterThan(2800);
  expect(differing.map((code) => code.toString(16))).toEqual([]);
});

/** The codes of a letter's small letter and capital, where that is another single character. */
function otherCases(letter: string): number[] {
  return [letter.toLowerCase(), letter.toUpperCase()]
    .filter((other) => other !== letter && [...other].length === 1)
    .map((other) => other.codePointAt(0) ?? 0);
}

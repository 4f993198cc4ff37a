import { describe, expect, test, vi } from "vitest";
import { cutSnippet } from "../../../src/search/hits/snippet.ts";
import { type Matcher, wordMatcher } from "../../../src/search/query/matcher.ts";
import { parseSearchQuery } from "../../../src/search/query/search-query.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

/** The snippet with what matched between brackets. */
function shown(texts: string | string[], query: string): string {
  const { text, highlights } = cutSnippet([texts].flat(), matcherOf(query));
  return highlights.reduceRight(
    (marked, [start, end]) => `${marked.slice(0, start)}[${marked.slice(start, end)}]${marked.slice(end)}`,
    text,
  );
}

test("it begins and ends with whole words where it is cut out, if they are not too long", () => {
  const { text } = cutSnippet([`${"some import ".repeat(20)}pear`], matcherOf("pear"));
  expect(text).toMatch(/^(some|import) /);
  for (let length = 1; length < 12; length++) {
    const cut = cutSnippet([`pear${"-".repeat(length)}${" some import".repeat(20)}`], matcherOf("pear"));
    expect(cut.text).toMatch(/ (some|import)$/);
    expect(cut.text.length).toBeGreaterThan(170);
  }
  const long = cutSnippet([`${"x".repeat(100)} pear`], matcherOf("pear"));
  expect(long.text).toMatch(/^x+ pear$/);
});

function matcherOf(query: string): Matcher {
  const parsed = parseSearchQuery(query);
  return parsed === null ? () => ({ ranges: [], areExact: true }) : wordMatcher(parsed);
}

describe("what matched is marked", () => {
  test.each<[string, string, string, string]>([
    ["in any case", "The Pear tree", "pear", "The [Pear] tree"],
    ["wherever it stands", "pear, pear; Pear", "pear", "[pear], [pear]; [Pear]"],
    ["every word of the query", "a pear and a quince", "quince pear", "a [pear] and a [quince]"],
    ["words in a row as one", "the pear-tree", '"pear tree"', "the [pear-tree]"],
    ["what overlaps as one", "the pear-tree house", 'pear "pear tree" "tree house"', "the [pear-tree house]"],
    ["the beginning of a word", "pruning trees", "prun*", "[prun]ing trees"],
    ["that beside a whole word", "a pear for pruning", "pear prun*", "a [pear] for [prun]ing"],
    ["nothing that was to be left out", "a plum, no quince", "pear -quince OR plum", "a [plum], no quince"],
    ["though it has accents", "un café noir", "cafe", "un [café] noir"],
    [
      "though the accents are characters of their own",
      "un cafe\u0301 noir",
      "caf\u00e9",
      "un [cafe\u0301] noir",
    ],
    ["behind characters of two units", "🍐🍐 pear", "pear", "🍐🍐 [pear]"],
    ["behind letters that change length with their case", "İİİ pear", "pear", "İİİ [pear]"],
    ["in Chinese", "今天天气很好", "天气", "今天[天气]很好"],
    ["in Korean", "대한민국만세", "민국", "대한[민국]만세"],
    ["in Japanese", "コーヒーを", "ヒー", "コー[ヒー]を"],
    ["a part of a compound name", "new sessionManager()", "manager", "new session[Manager]()"],
    ["a part of a name with signs", "my_session_file", "session", "my_[session]_file"],
    [
      "Thai, its marks in either order",
      "\u0e01\u0e48\u0e38\u0e07",
      "\u0e01\u0e38\u0e48\u0e07",
      "[\u0e01\u0e48\u0e38\u0e07]",
    ],
    [
      "Burmese, the same",
      "\u1001 \u1004\u103a\u1037\u1015 \u1001",
      "\u1004\u103a\u1037\u1015",
      "\u1001 [\u1004\u103a\u1037\u1015] \u1001",
    ],
    ["a letter under marks of its own", "a \u0e01\u0e48\u0e38 b", "\u0e01", "a [\u0e01]\u0e48\u0e38 b"],
    ["a name with signs whole", "see foo.bar_baz here", "foo.bar_baz", "see [foo.bar_baz] here"],
    ["though the query has characters that mean something", "a c++ b", "c++", "a [c]++ b"],
  ])("%s: %s by %s", (_what, text, query, expected) => {
    expect(shown(text, query)).toBe(expected);
  });

  test.each<[string, string, string, string]>([
    ["a stretch inside of a longer word", "start of art", "art", "start of [art]"],
    ["the beginning of a longer word", "artful art", "art", "artful [art]"],
    ["the end of a longer word", "smart art", "art", "smart [art]"],
  ])("and not %s", (_what, text, query, expected) => {
    expect(shown(text, query)).toBe(expected);
  });
});

describe("a snippet", () => {
  test("is cut around the first match", () => {
    const { text, highlights } = cutSnippet(
      [`${"x ".repeat(500)}pear${" y".repeat(500)}`],
      matcherOf("pear"),
    );
    expect(text.length).toBeLessThanOrEqual(240);
    expect(highlights).toEqual([[text.indexOf("pear"), text.indexOf("pear") + 4]]);
  });

  test("is cut around the word that matched, not around one that only holds it", () => {
    expect(shown(`start ${"x ".repeat(500)}art here`, "art")).toContain("[art] here");
  });

  test("is of the first text that matched", () => {
    expect(shown(["nothing", "a pear", "pears and a pear"], "pear")).toBe("a [pear]");
  });

  test("is of the first text with a longer word where none has the word itself", () => {
    expect(shown(["nothing", "pears", "more pears"], "pear")).toBe("[pear]s");
  });

  test("is the beginning where nothing matched", () => {
    expect(shown(["an apple", "a plum"], "pear")).toBe("an apple");
  });

  test("is empty where there is no text", () => {
    expect(shown([], "pear")).toBe("");
  });

  test("is one line", () => {
    expect(shown("a\n\tpear\r\nb", "pear")).toBe("a  [pear]  b");
  });

  test("never begins or ends with half a character", () => {
    const { text } = cutSnippet([`${"🍐".repeat(100)}x pear${"🍐".repeat(200)}`], matcherOf("pear"));
    expect(text).toBe(Buffer.from(text).toString());
  });
});

test("what is marked is the word asked for, wherever it stands in whatever text", () => {
  const filler = fc
    .string({ unit: "grapheme", maxLength: 30 })
    .map((text) => text.replace(/[\p{L}\p{N}\p{M}]/gu, "·"));
  const word = fc.constantFrom("pear", "Pear", "PEAR", "péar", "pe\u0301ar");
  fc.assert(
    fc.property(fc.array(fc.tuple(filler, word), { minLength: 1, maxLength: 5 }), filler, (parts, end) => {
      const text = parts.map(([before, found]) => `${before} ${found} `).join("") + end;
      const snippet = cutSnippet([text], matcherOf("pear"));
      const marked = snippet.highlights.map(([start, stop]) => snippet.text.slice(start, stop));
      expect(marked.length).toBeGreaterThan(0);
      for (const each of marked)
        expect(each.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()).toBe("pear");
    }),
    { numRuns: runs(200) },
  );
});

test.each([
  [
    "one two, three (four) FIVE… six seven",
    '"two three four five six"',
    "one [two, three (four) FIVE… six] seven",
  ],
  ["a a a a a b, a a a a b", '"a a a a b"', "a [a a a a b], [a a a a b]"],
  ["🍐🍐🍐🍐🍐🍎", "🍐🍐🍐🍐🍎", "🍐[🍐🍐🍐🍐🍎]"],
  ["一二，三四五 六七八", "二三四五六七", "一[二，三四五 六七]八"],
  ["one two three four fives", '"one two three four five*"', "[one two three four five]s"],
  ["one two three four xfive", '"one two three four five"', "one two three four xfive"],
])("of many words in a row all are marked: %s", (text, query, expected) => {
  expect(shown(text, query)).toBe(expected);
});

test("a long passage is not looked for by one expression, which would take seconds to be made ready", () => {
  const passage = Array.from({ length: 800 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("");
  const asked = vi.spyOn(RegExp.prototype, "exec");
  const { ranges } = matcherOf(passage)(`前${passage}后`, 100);
  expect(ranges).toEqual([[1, 801]]);
  const lengths = (asked.mock.contexts as RegExp[]).map(({ source }) => source.length);
  expect(Math.max(...lengths)).toBeLessThan(4000);
});

test("of a long text only what matches near the first match is gathered", () => {
  const matcher = matcherOf("pear art");
  const { ranges, areExact } = matcher(`start ${"x ".repeat(100)}${"pear ".repeat(5000)}`, 50);
  expect([ranges.length, ranges[0], areExact]).toEqual([10, [206, 210], true]);
  expect(matcher("start start", 50)).toEqual({
    ranges: [
      [2, 5],
      [8, 11],
    ],
    areExact: false,
  });
});

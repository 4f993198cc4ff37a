import { describe, expect, test } from "vitest";
import { NameFinder } from "../../src/format/name-finder.ts";
import { wordsOfName } from "../../src/format/words.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

function namesIn(text: string): string[] {
  return new NameFinder().newIn(text);
}

/** What names are found by, each once. */
function wordsIn(text: string): string[] {
  return [...new Set(namesIn(text).flatMap(wordsOfName))];
}

/** The definition, in one expression. */
function namesByDefinition(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}\u{f0000}-\u{fffff}]/u);
  return words.filter((word) => [...word].length <= 64 && /[\p{Ll}0-9]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(word));
}

describe("what a compound name is found by", () => {
  test.each([
    ["sessionManager", ["session", "manager"]],
    ["SessionManager", ["session", "manager"]],
    ["parseHTTPResponse", ["parse", "http", "response", "parsehttp", "httpresponse"]],
    ["HTTPServer", ["http", "server"]],
    ["handleGitHubError", ["handle", "git", "hub", "error", "handlegit", "github", "huberror"]],
    ["iOSApp", ["i", "os", "app", "ios", "osapp"]],
    ["utf8Decoder", ["utf8", "decoder"]],
    ["getURL", ["get", "url"]],
    ["iPhone", ["i", "phone"]],
    ["x.sessionManager(parseHTTP)", ["session", "manager", "parse", "http"]],
    ["fooBar fooBar barFoo", ["foo", "bar"]],
    ["größenÄnderung", ["größen", "änderung"]],
    ["caféManager getÉtat", ["café", "manager", "get", "état"]],
    ["файлЧтение, ЧтениеHTTPФайла", ["файл", "чтение", "http", "файла", "чтениеhttp", "httpфайла"]],
    ["1\u20e3SessionManager", ["session", "manager"]],
    ["abc天气 ПриветМИР ÄÖÜ", ["привет", "мир"]],
    ["aBetween\u{f0940}Marks", ["a", "between\u{f0940}marks"]],
    ["𐐀pearTree𐐨", ["𐐨pear", "tree𐐨"]],
  ])("are the parts of %s, and each two in a row", (text, parts) => {
    expect(wordsIn(text)).toEqual(parts);
  });

  test.each(["", "word", "snake_case", "kebab-case", "CONSTANT", "Word", "123", "天气"])(
    "is nothing in %j",
    (text) => {
      expect(wordsIn(text)).toEqual([]);
    },
  );

  test("is each part alone where there are more than eight: that is encoded data", () => {
    expect(wordsIn("aBcDeFgHiJkLmNoPq")).toEqual(["a", "bc", "de", "fg", "hi", "jk", "lm", "no", "pq"]);
    expect(wordsIn("aBcDeFgHiJkLmNo")).toContain("lmno");
  });

  test("is not looked for in runs longer than names are", () => {
    expect(wordsIn(`${"aB".repeat(33)} sessionManager`)).toEqual(["session", "manager"]);
  });

  test("is found in names as long as names are", () => {
    expect(wordsIn(`${"a".repeat(60)}Bcde`)).toEqual(["a".repeat(60), "bcde"]);
  });
});

/** UTF-8 that counts how often a byte of it is looked at. */
function counted(text: string): { utf8: Buffer; looks: () => number } {
  let looks = 0;
  const utf8 = new Proxy(Buffer.from(text), {
    get(bytes, name) {
      if (typeof name === "string" && /^\d/.test(name)) looks++;
      const value: unknown = Reflect.get(bytes, name, bytes);
      return typeof value === "function" ? value.bind(bytes) : value;
    },
  });
  return { utf8, looks: () => looks };
}

test.each([
  ["one run of base64 of a megabyte", Buffer.alloc(750_000, 0xa7).toString("base64")],
  ["a megabyte of seams", "aB".repeat(500_000)],
  ["a megabyte of capitals", `${"A".repeat(1_000_000)}b`],
  ["a megabyte of short names", "fooBar ".repeat(150_000)],
])("looks at a character a few times at most: %s", (_name, text) => {
  const { utf8, looks } = counted(text);
  new NameFinder().newBetween(utf8, 0, utf8.length);
  expect(looks()).toBeGreaterThanOrEqual(text.length - 1);
  expect(looks()).toBeLessThan(4 * text.length);
});

/** Words of few letters: many of them have the same length, and the same sum (`Aa` and `BB`). */
const WORD = fc.string({ unit: fc.constantFrom(..."aABBCb1éÉж天_ .\u0301\u{1d400}"), maxLength: 9 });

test("all names are found, each once, whatever was found before", () => {
  fc.assert(
    fc.property(fc.array(WORD, { maxLength: 60 }), (texts) => {
      const finder = new NameFinder();
      expect(texts.flatMap((text) => finder.newIn(text))).toEqual([
        ...new Set(texts.flatMap(namesByDefinition)),
      ]);
    }),
    { numRuns: runs(500) },
  );
});

test("the names of a text are those of its definition, whatever stands in it", () => {
  const texts = fc.array(fc.oneof(WORD, fc.string({ unit: "binary" })), { maxLength: 30 });
  fc.assert(
    fc.property(texts, (words) => {
      const text = words.join(" ");
      expect(namesIn(text)).toEqual([...new Set(namesByDefinition(text))]);
    }),
    { numRuns: runs(500) },
  );
});

test("names of the same sum are all found, and found once", () => {
  const halves = ["Aa", "BB"];
  const names = Array.from({ length: 4096 }, (_, at) =>
    ["aB", ...Array.from({ length: 12 }, (_, bit) => halves[(at >> bit) & 1])].join(""),
  );
  const finder = new NameFinder();
  expect([finder.newIn(names.join(" ")), finder.newIn(names.join(" "))]).toEqual([names, []]);
});

test("what was forgotten is found again", () => {
  const finder = new NameFinder();
  finder.newIn("fooBar");
  finder.forget();
  expect(finder.newIn("fooBar fooBar")).toEqual(["fooBar"]);
});

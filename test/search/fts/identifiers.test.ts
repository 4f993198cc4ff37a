import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { IdentifierFinder, wordsOf } from "../../../src/search/fts/identifiers.ts";
import { BETWEEN } from "../../../src/search/fts/tokenizer.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

/** With `|` for what no phrase spans. */
function partsIn(text: string, finder = new IdentifierFinder()): string {
  return finder.partsIn(Buffer.from(text)).join(" ").replaceAll(BETWEEN, "|");
}

function wordsIn(text: string, finder?: IdentifierFinder): string[] {
  return partsIn(text, finder).match(/[^ |]+/g) ?? [];
}

/** The definition of identifiers, in one expression. */
function identifiersByDefinition(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}\u{f0000}-\u{fffff}]/u);
  return words.filter((word) => [...word].length <= 64 && /[\p{Ll}0-9]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u.test(word));
}

/** Each word where it comes first, and one `|` for all that stands between two of them. */
function partsByDefinition(text: string): string {
  const identifiers = [...new Set(identifiersByDefinition(text))].map(wordsOf);
  const words = identifiers.filter((each) => each.length > 0).flatMap((each) => [BETWEEN, ...each]);
  const firsts = words.map((word, at) => (word === BETWEEN || words.indexOf(word) < at ? "|" : word));
  return firsts.filter((word, at) => word !== "|" || firsts[at - 1] !== "|").join(" ");
}

describe("what an identifier is found by", () => {
  test.each([
    ["sessionManager", "| session | manager"],
    ["SessionManager", "| session | manager"],
    ["parseHTTPResponse", "| parse parsehttp http httpresponse response"],
    ["HTTPServer", "| http | server"],
    ["handleGitHubError", "| handle handlegit git github hub huberror error"],
    ["iOSApp", "| i ios os osapp app"],
    ["utf8Decoder", "| utf8 | decoder"],
    ["getURL", "| get | url"],
    ["iPhone", "| i | phone"],
    ["x.sessionManager(parseHTTP)", "| session | manager | parse | http"],
    ["fooBar fooBar barFoo", "| foo | bar |"],
    ["getGitHubUser, setGitHubUser", "| get getgit git github hub hubuser user | set setgit |"],
    ["größenÄnderung", "| grossen | anderung"],
    ["caféManager getÉtat", "| cafe | manager | get | etat"],
    ["файлЧтение, ЧтениеHTTPФайла", "| файл | чтение | чтениеhttp http httpфайла файла"],
    ["1\u20e3SessionManager", "| session | manager"],
    ["abc天气 ПриветМИР ÄÖÜ", "| привет | мир"],
    ["aBetween\u{f0940}Marks", "| a | between\u{f0940}marks"],
    ["𐐀pearTree𐐨", "| 𐐨pear | tree𐐨"],
  ])("are the parts of %s, with each two in a row between them", (text, parts) => {
    expect(partsIn(text)).toBe(parts);
  });

  test.each(["", "word", "snake_case", "kebab-case", "CONSTANT", "Word", "123", "天气"])(
    "is nothing in %j",
    (text) => {
      expect(wordsIn(text)).toEqual([]);
    },
  );

  test.each([
    ["of more than eight parts", "readOneTwoThreeFourFiveSixSevenEight"],
    ["of parts of less than 2.5 letters on average", "toGoInOnAtMyDo"],
    ["with more than one part of a single letter after the first", "mapXThenYAxis"],
    ["without two small letters in a row", "aBcDeFgHiJkLmN"],
  ])("is nothing where it looks like encoded data: %s", (_what, text) => {
    expect(wordsIn(text)).toEqual([]);
  });

  test("is found in short names, however short the parts are", () => {
    expect(wordsIn("toDo")).toEqual(["to", "do"]);
    expect(wordsIn("aaAb")).toEqual(["aa", "ab"]);
  });

  test("is what the first 500 of an entry have, each entry by itself", () => {
    const identifiers = Array.from(
      { length: 600 },
      (_, at) => `getThing${String.fromCharCode(97 + (at % 26))}${at}`,
    );
    const finder = new IdentifierFinder();
    expect(wordsIn(identifiers.join(" "), finder)).toHaveLength(1 + 500);
    expect(wordsIn(identifiers.slice(500).join(" "), finder)).toHaveLength(1 + 100);
  });

  test("is not looked for in runs longer than names are", () => {
    expect(wordsIn(`${"aB".repeat(33)} sessionManager`)).toEqual(["session", "manager"]);
  });

  test("is found in names as long as names are", () => {
    expect(wordsIn(`${"a".repeat(60)}Bcde`)).toEqual(["a".repeat(60), "bcde"]);
  });
});

/** Bytes as random as digests are, in base64. */
function base64Of(bytes: number): string {
  const digests = Array.from({ length: Math.ceil(bytes / 32) }, (_, at) =>
    createHash("sha256").update(String(at)).digest(),
  );
  return Buffer.concat(digests).toString("base64");
}

describe("an identifier in encoded data", () => {
  const inLines = base64Of(48_000).replace(/(.{76})/g, "$1\n");

  test.each([
    ["on one line", base64Of(48_000)],
    ["in lines", inLines],
    ["in lines of 64 characters", base64Of(48_000).replace(/(.{64})/g, "$1\r\n")],
    ["for addresses", base64Of(48_000).replaceAll("+", "-").replaceAll("/", "_")],
  ])("is not looked for: %s", (_name, text) => {
    // By chance a stretch may look like a name.
    expect(wordsIn(text).length).toBeLessThan(text.length / 500);
  });

  test("is found beside it", () => {
    expect(wordsIn(`sessionManager ${inLines}\ngetElement: ${base64Of(90)}.`)).toEqual(
      expect.arrayContaining(["session", "manager", "element"]),
    );
  });

  test("is found in a path, an address, a name as long as data", () => {
    const long =
      "docs/Web/JavaScript/Reference/Global_Objects/Int16Array/forEach/getSpanByIdObservabilityTraces";
    expect(wordsIn(long)).toEqual(expect.arrayContaining(["script", "array", "each", "span", "traces"]));
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
  ["a megabyte of base64 in lines", base64Of(750_000).replace(/(.{76})/g, "$1\n")],
  ["a megabyte of seams", "aB".repeat(500_000)],
  ["a megabyte of capitals", `${"A".repeat(1_000_000)}b`],
  ["a megabyte of short names", "fooBar ".repeat(150_000)],
])("looks at a character a few times at most: %s", (_name, text) => {
  const { utf8, looks } = counted(text);
  new IdentifierFinder().partsIn(utf8);
  expect(looks()).toBeGreaterThanOrEqual(text.length - 1);
  expect(looks()).toBeLessThan(4 * text.length);
});

/** Words of few letters: many of them have the same length, and the same sum (`Aa` and `BB`). */
const WORD = fc.string({ unit: fc.constantFrom(..."aABBCb1éÉж天_ .\u0301\u{1d400}"), maxLength: 9 });

test("identifiers are found whatever was found before, and whatever stands beside them", () => {
  const texts = fc.array(fc.oneof(WORD, fc.string({ unit: "binary" })), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 5 }), (entries) => {
      const finder = new IdentifierFinder();
      for (const words of entries) {
        const text = words.join(" ").toWellFormed();
        expect(partsIn(text, finder)).toBe(partsByDefinition(text));
      }
    }),
    { numRuns: runs(500) },
  );
});

test("identifiers of the same sum are all found", () => {
  const halves = ["Aa", "BB"];
  const identifiers = Array.from({ length: 400 }, (_, at) =>
    ["readAll", ...Array.from({ length: 9 }, (_, bit) => halves[(at >> bit) & 1])].join(""),
  );
  const finder = new IdentifierFinder();
  const text = identifiers.join(" ");
  const expected = partsByDefinition(text);
  expect([partsIn(text, finder), partsIn(text, finder)]).toEqual([expected, expected]);
});

test("more identifiers than are remembered are found again", () => {
  const finder = new IdentifierFinder();
  const letters = (at: number) =>
    at.toString(26).replace(/[0-9]/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");
  for (let entry = 0; entry < 150; entry++) {
    const text = Array.from({ length: 400 }, (_, at) => `fooBar${letters(entry * 400 + at)}`).join(" ");
    expect(wordsIn(text, finder)).toHaveLength(401);
  }
  expect(wordsIn("fooBar fooBar", finder)).toEqual(["foo", "bar"]);
});

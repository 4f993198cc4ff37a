import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NameFinder } from "../../src/format/name-finder.ts";
import { partsOfName } from "../../src/format/words.ts";

function namesIn(text: string): string[] {
  return new NameFinder().newIn(text);
}

/** Each part once, as a search for parts finds them. */
function identifierParts(text: string): string[] {
  return [...new Set(namesIn(text).flatMap(partsOfName))];
}

/** The definition, in one expression. */
function namesByDefinition(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}\p{M}]|[\u{10000}-\u{10ffff}]/u);
  return words.filter((word) => word.length <= 64 && /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/.test(word));
}

describe("the parts of a compound name", () => {
  test.each([
    ["sessionManager", ["session", "manager"]],
    ["SessionManager", ["session", "manager"]],
    ["parseHTTPResponse", ["parse", "http", "response"]],
    ["HTTPServer", ["http", "server"]],
    ["utf8Decoder", ["utf8", "decoder"]],
    ["getURL", ["get", "url"]],
    ["iPhone", ["i", "phone"]],
    ["x.sessionManager(parseHTTP)", ["session", "manager", "parse", "http"]],
    ["fooBar fooBar barFoo", ["foo", "bar"]],
    ["größenÄnderung", []],
  ])("of %s", (text, parts) => {
    expect(identifierParts(text)).toEqual(parts);
  });

  test.each(["", "word", "snake_case", "kebab-case", "CONSTANT", "Word", "123", "天气"])(
    "are none in %j",
    (text) => {
      expect(identifierParts(text)).toEqual([]);
    },
  );

  test("are not looked for in runs longer than names are", () => {
    expect(identifierParts(`${"aB".repeat(33)} sessionManager`)).toEqual(["session", "manager"]);
  });

  test("are found in names as long as names are", () => {
    expect(identifierParts(`${"a".repeat(60)}Bcde`)).toEqual(["a".repeat(60), "bcde"]);
  });
});

/** A string that counts how often a character of it is looked at. */
class CountedText extends String {
  looks = 0;
  override charCodeAt(index: number): number {
    this.looks++;
    return super.charCodeAt(index);
  }
}

test.each([
  ["one run of base64 of a megabyte", Buffer.alloc(750_000, 0xa7).toString("base64")],
  ["a megabyte of seams", "aB".repeat(500_000)],
  ["a megabyte of capitals", `${"A".repeat(1_000_000)}b`],
  ["a megabyte of short names", "fooBar ".repeat(150_000)],
])("looks at a character a few times at most: %s", (_name, text) => {
  const counted = new CountedText(text);
  identifierParts(counted as unknown as string);
  expect(counted.looks).toBeLessThan(3 * text.length);
});

/** Words of few letters: many of them have the same length, and the same sum (`Aa` and `BB`). */
const WORD = fc.string({ unit: fc.constantFrom(..."aABBCb1é天_ .\u{1d400}"), maxLength: 9 });

test("all names are found, each once, whatever was found before", () => {
  fc.assert(
    fc.property(fc.array(WORD, { maxLength: 60 }), (texts) => {
      const finder = new NameFinder();
      expect(texts.flatMap((text) => finder.newIn(text))).toEqual([
        ...new Set(texts.flatMap(namesByDefinition)),
      ]);
    }),
    { numRuns: 500 },
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

import { describe, expect, test } from "vitest";
import { ScratchText } from "../../../src/db/scratch-text.ts";
import { indexedText } from "../../../src/format/indexed-text.ts";
import { foldWord, wordsOfName } from "../../../src/format/words.ts";
import { glanceFor } from "../../../src/query/search/glance.ts";
import { parseSearchQuery, toMatchExpression } from "../../../src/query/search/search-query.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { session } from "../../helpers/session-builder.ts";
import { indexOfSessions } from "../indexed.ts";

const NAMES = ["fooBar", "BarBaz2", "HTTPFoo", "abFoo"];
const WORDS = [
  "a",
  "ab",
  "abc",
  "Foo",
  "bar",
  "2",
  "foo2",
  "é",
  "éa",
  "ae\u0301",
  "ſ",
  "K",
  "ß",
  "用",
  "🙂",
  "İ",
  "ı",
  "Å",
  "ﬁ",
  "①",
  "Ｆ",
  "ñ",
  "й",
];
const SEAMS = [" ", ".", "_", "-", "\n", "", "→", "—", "…", "│", "\u2028", "\u00ad", "\u200d", "\u0301", "·"];

const piece = fc.constantFrom(...NAMES, ...WORDS, ...SEAMS, " ", " ");
const texts = fc.array(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  {
    minLength: 1,
    maxLength: 2,
  },
);

const word = fc.constantFrom(...NAMES, ...WORDS, "f", "b", "ba", "baz", "http");
const term = fc
  .tuple(
    fc.constantFrom("", "", "-"),
    fc.array(word, { minLength: 1, maxLength: 2 }),
    fc.constantFrom(" ", ".", "→", "é"),
    fc.constantFrom("", "*"),
  )
  .map(([sign, words, seam, star]) => `${sign}"${words.join(seam)}"${star}`);
const query = fc
  .array(fc.array(term, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
  .map((alternatives) => alternatives.map((terms) => ["a", ...terms].join(" ")).join(" OR "));

const namesOf = (part: string, prefix: boolean) =>
  NAMES.filter((name) =>
    wordsOfName(name).some((each) => (prefix ? each.startsWith(part) : each === part)),
  ).map(foldWord);

const entryOf = (said: string[]) => ({
  type: "message",
  message: { role: "assistant", content: said.map((text) => ({ type: "text", text })) },
});

describe("at a glance", () => {
  test("nothing is left out that the full text finds", () => {
    const { reader } = indexOfSessions(session().user("pear"));
    const scratch = new ScratchText(reader);
    let leftOut = 0;
    fc.assert(
      fc.property(texts, query, (said, asked) => {
        const text = indexedText(entryOf(said)) ?? "";
        const parsed = parseSearchQuery(asked);
        if (!glanceFor(parsed)(text)) return;
        leftOut++;
        scratch.fill(new Map([[1, text]]));
        expect([...scratch.keysOf(toMatchExpression(parsed, namesOf))]).toEqual([]);
      }),
      { numRuns: runs(3000) },
    );
    expect(leftOut).toBeGreaterThan(runs(500));
    scratch.close();
  });

  test.each([
    ["pear -c*", "a pear in a can", true],
    ["pear -c*", "a pear, not a scan", false],
    ["pear -can", "pear_can", true],
    ["pear -can", "a pear for a canary", false],
    ['"pear t"*', "a pear and a tree", true],
    ['"pear t"*', "a pear → tree", false],
    ["tree*", "a pear", true],
    ["tree*", "the pearTree", false],
    ["tree*", "a poiré", true],
    ["tree*", "un trée", false],
    ['"pear t"*', "a pear，用 tree", false],
    ["pear OR plum -tree", "no fruit", true],
    ["pear OR plum -tree", "plum tree", true],
    ["pear OR plum -tree", "pear tree", false],
  ])("%s of %j: left out %j", (asked, text, isOut) => {
    expect(glanceFor(parseSearchQuery(asked))(text)).toBe(isOut);
  });
});

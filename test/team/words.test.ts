import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { IndexedText } from "../../src/search/fts/indexed-text.ts";
import { parseSearchQuery, toMatchExpression } from "../../src/search/query/search-query.ts";
import { connect } from "../../src/store/native.ts";
import { toTsquery } from "../../src/team/ask/tsquery.ts";
import { toVectors } from "../../src/team/words.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

let team: PGlite;
const local = connect(":memory:", {});
const indexed = new IndexedText();

beforeAll(async () => {
  team = await PGlite.create();
  await team.exec("CREATE TABLE entry_text (entry integer, part integer, words tsvector)");
  local.exec(`CREATE VIRTUAL TABLE entry_text USING fts5(text, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2')`);
});

beforeEach(async () => {
  await team.exec("TRUNCATE entry_text");
  local.exec("INSERT INTO entry_text (entry_text) VALUES ('delete-all')");
});

afterAll(async () => {
  await team.close();
  local.close();
});

async function hold(entry: number, texts: readonly string[]): Promise<number> {
  const parts = toVectors(texts);
  for (const [part, { words }] of parts.entries())
    await team.query("INSERT INTO entry_text VALUES ($1, $2, $3::tsvector)", [entry, part, words]);
  const text = indexed.of(texts);
  if (text !== null) local.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)").run(entry, text);
  return parts.length;
}

async function teamHits(query: string): Promise<number[]> {
  const parsed = parseSearchQuery(query);
  if (parsed === null) return [];
  const { whole, parted, condition } = toTsquery(parsed);
  const { rows } = await team.query<{ entry: number }>(
    `SELECT entry FROM entry_text WHERE words @@ $1::tsquery UNION ALL
     SELECT entry FROM unnest($2::text[]) WITH ORDINALITY q(query, nth) JOIN entry_text ON words @@ query::tsquery
     GROUP BY entry HAVING ${condition((nth) => `bool_or(nth = ${nth})`)} ORDER BY 1`,
    [whole, parted],
  );
  return rows.map(({ entry }) => entry);
}

function localHits(query: string): number[] {
  const parsed = parseSearchQuery(query);
  if (parsed === null) return [];
  const sql = "SELECT rowid FROM entry_text WHERE entry_text MATCH ? ORDER BY rowid";
  return local.prepare(sql).pluck().all(toMatchExpression(parsed)) as number[];
}

const word = fc.constantFrom(
  "fig",
  "Figs",
  "pear",
  "pear_tree",
  "getUserName",
  "user",
  "é",
  "天气",
  "👍",
  "don't",
  "a\0b",
  "½",
  "9",
);
const said = fc.array(
  fc.array(word, { maxLength: 6 }).map((words) => words.join(" ")),
  { maxLength: 3 },
);
const term = fc.oneof(
  word,
  word.map((each) => `${each.slice(0, 2)}*`),
  fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => `"${words.join(" ")}"`),
  fc.array(word, { minLength: 2, maxLength: 3 }).map((words) => `"${words.join(" ")}"*`),
);
const query = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: term },
    term.map((each) => `-${each}`),
    fc.constantFrom("OR", "(", ")", "NOT", "-("),
  ),
  { minLength: 1, maxLength: 8 },
);

test("finds what the local full text finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(said, { maxLength: 8 }),
      fc.array(query, { minLength: 5, maxLength: 5 }),
      async (entries, queries) => {
        await team.exec("TRUNCATE entry_text");
        local.exec("INSERT INTO entry_text (entry_text) VALUES ('delete-all')");
        for (const [at, texts] of entries.entries()) await hold(at + 1, texts);
        for (const each of queries.map((parts) => parts.join(" "))) {
          if (!isQuery(each)) continue;
          expect([each, await teamHits(each)]).toEqual([each, localHits(each)]);
        }
      },
    ),
    { numRuns: runs(60) },
  );
}, 120_000);

function isQuery(text: string): boolean {
  try {
    parseSearchQuery(text);
    return true;
  } catch {
    return false;
  }
}

test("long texts are found by words and phrases of any part, and by words of several", async () => {
  const long = Array.from({ length: 45_000 }, (_, at) => `w${at}`);
  expect(await hold(1, [long.join(" "), "the end"])).toBeGreaterThan(4);
  await hold(2, ["w1 w2"]);
  const queries = [
    "w1 w44999",
    "w1 -w44999",
    "-w1 w2",
    '"w9999 w10000 w10001"',
    '"w44999 the"',
    "w1 OR nowhere",
    "(w5 nowhere) OR w44000",
  ];
  const phrases = [9_950, 10_000, 19_000, 29_870].map((at) => `"${long.slice(at, at + 150).join(" ")}"`);
  for (const each of [...queries, ...phrases])
    expect([each, await teamHits(each)]).toEqual([each, localHits(each)]);
  expect(await teamHits(phrases[0] ?? "")).toEqual([1]);
});

test("a word that stands very often in a long text is found in phrases, wherever", async () => {
  const zeros = Array.from({ length: 5000 }, () => "0");
  expect(await hold(1, [`${zeros.join(" ")} fig ${zeros.join(" ")}`])).toBeGreaterThan(30);
  for (const each of ['"0 fig 0"', '"0 0 0 0 fig"', '"fig fig"', "fig NOT 0", '"0 0 0 0 0 0"*'])
    expect([each, await teamHits(each)]).toEqual([each, localHits(each)]);
});

test.each([
  ["40,000 letters", "x".repeat(40_000), `${"x".repeat(9000)}*`],
  ["3,000 letters beyond ASCII", "ж".repeat(3000), "ж".repeat(3000)],
  [
    "many of them",
    Array.from({ length: 900 }, (_, at) => `${at}${"y".repeat(3000)}`).join(" "),
    `899${"y".repeat(3000)}`,
  ],
])("a word of %s is held", async (_what, text, looked) => {
  await hold(1, [text]);
  expect(await teamHits(looked)).toEqual([1]);
});

test("a query of thousands of words in a row is answered", async () => {
  await hold(1, ["天".repeat(12_000)]);
  expect(await teamHits("天".repeat(9000))).toEqual([1]);
  expect(await teamHits(`${"天".repeat(500)}气`)).toEqual([]);
});

test("texts that are no words have an empty vector, and no text has none", () => {
  expect(toVectors(["→ —", "…"])).toEqual([{ text: "→ —\u001e…", words: "" }]);
  expect(toVectors([])).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { isImpossible } from "../../../src/query/search/impossible.ts";
import { searchEntries } from "../../../src/query/search/search.ts";
import { type NamesOf, parseSearchQuery, toMatchExpression } from "../../../src/query/search/search-query.ts";
import { session } from "../../helpers/session-builder.ts";
import { indexOfSessions } from "../indexed.ts";

const IMPOSSIBLE = ["pear -pear", "pear -pe*", "p* -p*", "pe* -p*", "PEAR -Pe*", '"ripe pear" -pe*'];
const MORE = [
  '"ripe pe"* -pe*',
  '"pear tree" -tree',
  "pear.tree -pear",
  "plum pear -x -p*",
  "manager -man*",
  '"ripe pear"* -ripe',
];
const POSSIBLE = [
  "pear -pearl",
  "p* -pe*",
  "pe* -pear",
  "pear -apple",
  'pear -"pear tree"',
  "pear -pear.",
  "pear* -pear",
  '"ripe pear"* -pear',
];
const UNKNOWN = ["天气 -天*", "péar -pé*", "manager -man.*"];

describe("a query that leaves out what it looks for", () => {
  test("is told from others", () => {
    const told = (query: string) => parseSearchQuery(query).map(isImpossible);
    for (const query of [...IMPOSSIBLE, ...MORE]) expect([query, told(query)]).toEqual([query, [true]]);
    for (const query of [...POSSIBLE, ...UNKNOWN]) expect([query, told(query)]).toEqual([query, [false]]);
  });

  test("is one for which the full text finds nothing", () => {
    const words = ["pear", "Pearl", "ripe pear", "pear tree", "plum", "pear.tree", "péar", "manager", "天气"];
    const names = ["sessionManager", "pearTree", "ripePear", "plum_pear", "managerPear", "treePear"];
    const said = [...words, ...names].flatMap((one) =>
      ["", "plum", "ripe"].map((other) => `${one} ${other}`),
    );
    const index = indexOfSessions(said.reduce((built, text) => built.user(text), session()));
    const namesOf: NamesOf = (part, prefix) =>
      index.reader
        .prepare(
          `SELECT name FROM search.compound_names WHERE part ${prefix ? "GLOB @part || '*'" : "= @part"}`,
        )
        .pluck()
        .all({ part }) as string[];
    const count = index.reader
      .prepare("SELECT count(*) FROM search.entry_text WHERE entry_text MATCH ?")
      .pluck();
    for (const query of [...IMPOSSIBLE, ...MORE]) {
      expect([query, count.get(toMatchExpression(parseSearchQuery(query), namesOf))]).toEqual([query, 0]);
      expect([query, searchEntries(index, query).total]).toEqual([query, 0]);
    }
    expect(searchEntries(index, "pear* -pear").hits.map(({ snippet }) => snippet)).toContain("Pearl plum");
  });

  test("does not take away its alternatives", () => {
    const index = indexOfSessions(session().user("pear").user("plum").user("pear plum"));
    expect(searchEntries(index, "pear -pe* OR plum").total).toBe(2);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import type { Index } from "../../../src/db/open.ts";
import type { Condition } from "../../../src/query/conditions.ts";
import { findByManyNames, type ManyNamesSearch } from "../../../src/query/search/many-names.ts";
import { namesIn } from "../../../src/query/search/name-lookup.ts";
import { searchEntries } from "../../../src/query/search/search.ts";
import { parseSearchQuery, toMatchExpression } from "../../../src/query/search/search-query.ts";
import type { SearchSort } from "../../../src/query/search/search-sort.ts";
import { findByWords } from "../../../src/query/search/word-hits.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { session } from "../../helpers/session-builder.ts";
import { indexOfSessions } from "../indexed.ts";

const PARTS = ["get", "User", "List", "Naïve"];
/** Words of which many, some, few and no names are made, and phrases. */
const TERMS = [
  "get",
  "user",
  "list",
  "naive",
  "plum",
  "pear",
  "us*",
  "l*",
  "getUser",
  '"plum pear"',
  "nothing",
];

/** 4,800 names of two or three parts and a number, eight in each entry, with some words. */
function sessionsOfNames() {
  return Array.from({ length: 4 }, (_, n) => {
    const built = session({ id: `s${n}`, timestamp: `2026-01-0${1 + ((n * 3) % 4)}T00:00:00Z` });
    for (let each = 0; each < 150; each++) {
      const names = Array.from({ length: 8 }, (_, at) => {
        const number = (n * 150 + each) * 8 + at;
        const [first = "", second = "", third = ""] = [1, 7, 31].map(
          (by) => PARTS[Math.floor(number / by) % 4],
        );
        return `${first}${second}${number % 3 === 0 ? third : ""}X${number}`;
      });
      const said = ["plum", "pear", "plum pear", ""][(n + each) % 4];
      if (each % 3 === 0) built.assistant({ text: `${names.join(" ")} ${said}` });
      else built.user(`${said} ${names.slice(each % 8).join(" ")}`);
    }
    return n === 0 ? built.fork({ id: "fork" }).user("getUser pear") : built;
  });
}

let index: Index;

function searchFor(query: string, options: Partial<ManyNamesSearch> = {}): ManyNamesSearch {
  const base = { conditions: [], roots: undefined, sort: "relevance" as SearchSort, limit: 20, now: 0 };
  return { ...base, query: parseSearchQuery(query), namesOf: namesIn(index), ...options };
}

/** The same by one expression. */
function byExpression(search: ManyNamesSearch) {
  return findByWords(index, { ...search, expression: toMatchExpression(search.query, search.namesOf) });
}

const term = fc.tuple(fc.constantFrom(...TERMS), fc.boolean());
const alternative = fc
  .tuple(fc.constantFrom(...TERMS), fc.array(term, { maxLength: 3 }))
  .map(([first, others]) => [first, ...others.map(([text, isOut]) => (isOut ? `-${text}` : text))].join(" "));
const query = fc.array(alternative, { minLength: 1, maxLength: 2 }).map((each) => each.join(" OR "));
const conditions = fc.constantFrom<Condition[]>(
  [],
  [{ sql: "e.role = ?", values: ["assistant"] }],
  [
    { sql: "e.line % 50 = ?", values: [1] },
    { sql: "s.session_id <> ?", values: ["s1"] },
  ],
);

beforeEach(() => {
  index = indexOfSessions(...sessionsOfNames());
});

describe("a query for parts of very many names", () => {
  test("finds what one expression finds, in the same order, however many names are asked for at once", () => {
    const sort = fc.constantFrom<SearchSort>("relevance", "newest", "oldest");
    const asked = fc.record({ query, conditions, sort, limit: fc.constantFrom(3, 20, 2000) });
    fc.assert(
      fc.property(asked, fc.constantFrom(7, 500), ({ query, ...options }, atOnce) => {
        const search = searchFor(query, { ...options, many: -1, atOnce });
        expect(findByManyNames(index, search)).toEqual(byExpression(search));
      }),
      { numRuns: runs(15) },
    );
  });

  test("is left to one expression where there are not so many", () => {
    expect(findByManyNames(index, searchFor("plum pear"))).toBeNull();
    expect(findByManyNames(index, searchFor("get", { many: 5000 }))).toBeNull();
  });

  test("asks for a thousand of them at once", () => {
    const built = session();
    for (let each = 0; each < 250; each++) {
      const names = Array.from({ length: 20 }, (_, at) => `getUserX${each * 20 + at}`);
      built.user(`${names.join(" ")} ${each % 2 === 0 ? "plum" : ""}`);
    }
    const many = indexOfSessions(built);
    const longest = longestExpression(many);
    expect(searchEntries(many, "get user plum").total).toBe(125);
    expect(longest.stop()).toBeLessThan(1100);
  });
});

/** Counts the alternatives of each expression that a connection is asked. */
function longestExpression({ reader }: Index): { stop(): number } {
  const prototype = Object.getPrototypeOf(reader.prepare("SELECT 1")) as Record<
    string,
    (...values: unknown[]) => unknown
  >;
  let longest = 0;
  const originals = ["get", "all", "iterate"].map((name) => [name, prototype[name]] as const);
  for (const [name, original] of originals) {
    prototype[name] = function (this: object, ...values: unknown[]): unknown {
      for (const value of values) longest = Math.max(longest, String(value).split(" OR ").length);
      return original?.apply(this, values);
    };
  }
  return {
    stop() {
      for (const [name, original] of originals) if (original !== undefined) prototype[name] = original;
      return longest;
    },
  };
}

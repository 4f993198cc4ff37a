import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inTime } from "../../../src/filters/where.ts";
import { findHighFanout, type HighFanoutSearch } from "../../../src/search/find/high-fanout-prefixes.ts";
import { findByWords } from "../../../src/search/find/word-search.ts";
import {
  parseSearchQuery,
  type SearchQuery,
  toMatchExpression,
} from "../../../src/search/query/search-query.ts";
import type { SearchSort } from "../../../src/search/query/search-sort.ts";
import type { Index } from "../../../src/store/open.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "../../reports/indexed.ts";

function parsed(query: string): SearchQuery {
  return parseSearchQuery(query) ?? { kind: "all", of: [] };
}

const WORDS = [
  "pear",
  "Pearl",
  "plum",
  "mango",
  "peach tree",
  "sessionManager",
  "sessionmanager",
  "session_file",
  "天气",
  "péage",
];

/** Sessions on all days of a year in which all these words are said in all mixtures, and forks of some of them. */
function manySessions() {
  return Array.from({ length: 24 }, (_, n) => {
    const time = Date.parse("2026-01-01T00:00:00Z") + ((n * 7) % 24) * 86_400_000;
    const built = session({ id: `s${n}`, cwd: `/work/${n % 3}`, timestamp: new Date(time).toISOString() });
    for (let each = 0; each < 30; each++) {
      const said = WORDS.filter((_word, which) => (n * 31 + each * 17 + which * which * 5) % 7 < 2).join(" ");
      if (each % 2 === 0) built.user(said || "nothing");
      else built.assistant({ text: said || "nothing", thinking: each % 5 === 0 ? "pondering" : undefined });
    }
    return n % 4 === 0
      ? built.fork({ id: `f${n}`, timestamp: "2026-03-01T00:00:00Z" }).user("perhaps")
      : built;
  });
}

/** Hundreds of names that `tree` is a part of. */
function manyNames(): Index {
  const letters = Array.from("abcdefghijkl");
  const names = letters.flatMap((a) =>
    letters.flatMap((b) => letters.map((c) => `tree${a.toUpperCase()}${b}${c}`)),
  );
  return indexOfSessions(
    ...Array.from({ length: 12 }, (_, n) => {
      const day = String(1 + ((n * 5) % 12)).padStart(2, "0");
      const built = session({ id: `s${n}`, timestamp: `2026-01-${day}T00:00:00Z` });
      for (let at = n; at < names.length; at += 24) {
        const said = ["tree", "sea", "plum"][(n + Math.floor(at / 24)) % 24] ?? "plum sun";
        built.user(`${names[at]} ${names[at + 12]} ${said}`);
      }
      return built;
    }),
  );
}

const LONG = Number.POSITIVE_INFINITY;

function searchFor(query: string, options: Partial<HighFanoutSearch> = {}): HighFanoutSearch {
  const base = {
    conditions: [],
    roots: undefined,
    sort: "newest" as SearchSort,
    limit: 5,
    now: 0,
    mostHolders: 0,
    mostMs: LONG,
  };
  return { ...base, query: parsed(query), ...options };
}

/** The same from the full text itself, newest first. */
function byFullText(index: Index, search: HighFanoutSearch) {
  return findByWords(index, { ...search, expression: toMatchExpression(search.query) });
}

const keysOf = (found: { groups: { key: number }[][] } | null) =>
  found?.groups.map((group) => group.map(({ key }) => key));

const QUERIES = [
  "p*",
  "pe*",
  "pea*",
  "s*",
  "man*",
  "天*",
  '"peach tr"*',
  "pear s*",
  "p* s*",
  "p* -plum",
  "plum -pe*",
  "pear -s*",
  "plum -s* -t*",
  "p* -s*",
  "mango -s* OR plum -s*",
  "pear p* -f*",
  "天 -p*",
  "PE* -S*",
  "session* session",
  "man* -man",
  "pe* -man OR man*",
  "pe* OR s*",
  "manager pe*",
  "天 p*",
  "péa*",
  "pond*",
  "nothingatall p*",
  "zzz*",
  '"pear pl"*',
  '"plum 天"* pe*',
  '"mango s"* -p*',
  'pear -"mango s"*',
  '"pear p"* OR s*',
  '"session m"*',
  'mango -"mango s"*',
  'mango -"mango p"*',
];

describe("hits of a high-fanout prefix", () => {
  const index = () => indexOfSessions(...manySessions());

  test("are those of the full text, whatever else is asked for", () => {
    const all = index();
    for (const query of QUERIES) {
      for (const sort of ["newest", "oldest"] as const) {
        for (const limit of [1, 5, 100_000]) {
          const search = searchFor(query, { sort, limit });
          const expected = byFullText(all, search);
          const found = findHighFanout(all, search);
          if (found === null) {
            expect(query).toBe("zzz*");
            continue;
          }
          expect([query, sort, limit, keysOf(found)]).toEqual([query, sort, limit, keysOf(expected)]);
          expect(found.total).toBeLessThanOrEqual(expected.total);
          if (found.totalIs === "exact")
            expect([query, limit, found.total]).toEqual([query, limit, expected.total]);
        }
      }
    }
  });

  test("are those that conditions and roots let through", () => {
    const all = index();
    for (const search of [
      searchFor("p*", { conditions: [{ sql: "e.role = ?", values: ["assistant"] }] }),
      searchFor("p*", { conditions: [{ sql: "s.cwd = ?", values: ["/work/1"] }] }),
      searchFor("pear p*", {
        conditions: [{ sql: "e.timestamp < ?", values: [Date.parse("2026-01-05")] }],
      }),
      searchFor("p*", { roots: ["/nowhere"] }),
    ]) {
      expect(keysOf(findHighFanout(all, search))).toEqual(keysOf(byFullText(all, search)));
    }
  });

  test("are all those of a time, wherever they stand", () => {
    const all = manyNames();
    const [since, until] = [Date.parse("2026-01-04"), Date.parse("2026-01-06")];
    const conditions = inTime("e.timestamp", { since, until });
    for (const query of ["tree -p*", "p*", "tree s* -p*"]) {
      for (const sort of ["newest", "oldest"] as const) {
        for (const time of [{}, { since }, { until }, { since, until }]) {
          const search = searchFor(query, { sort, conditions, time, limit: 500 });
          const expected = keysOf(byFullText(all, search));
          expect(expected).not.toEqual([]);
          expect([query, sort, time, keysOf(findHighFanout(all, search))]).toEqual([
            query,
            sort,
            time,
            expected,
          ]);
        }
      }
    }
  });

  test("come by the relevance of the rest of the query, where it has few", () => {
    const all = indexOfSessions(
      session()
        .user(`quince pear ${"and so on ".repeat(50)}`)
        .user("quince pear")
        .user("quince alone")
        .user("pear alone"),
    );
    const found = findHighFanout(all, searchFor("quince p*", { sort: "relevance" }));
    expect([found?.totalIs, found?.groups.map(([first]) => first?.key)]).toEqual(["exact", [2, 1]]);
    expect(found?.groups[0]?.[0]?.score).toBeGreaterThan(found?.groups[1]?.[0]?.score ?? Number.NaN);
  });

  test("are at least as many as the total says when there were enough of them", () => {
    const found = findHighFanout(index(), searchFor("p*", { limit: 2 }));
    expect([found?.totalIs, found?.groups.length]).toEqual(["atLeast", 2]);
  });

  test("are those found until the time was over, and may be more", () => {
    const found = findHighFanout(index(), searchFor("p*", { mostMs: 0 }));
    expect(found).toEqual({ total: 0, totalIs: "atLeast", groups: [] });
  });

  test("are left to the full text where all are wanted, and where no prefix has so many words", () => {
    const all = index();
    const unlimited = searchFor("p*", { limit: Number.POSITIVE_INFINITY });
    const few = searchFor("p*", { mostHolders: 100_000 });
    const whole = searchFor("pear");
    expect([unlimited, few, whole].map((search) => findHighFanout(all, search))).toEqual(Array(3).fill(null));
  });

  test("E9: are left to the full text where a file has changed or is gone", () => {
    const root = tempDir();
    const path = session().user("pear").writeBelow(root);
    const all = indexOf(root);
    const found = () => findHighFanout(all, searchFor("p*"));
    const before = keysOf(found());
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"message"', '"another"'));
    const changed = found();
    rmSync(path);
    expect([before, changed, found()]).toEqual([[[1]], null, null]);
  });
});

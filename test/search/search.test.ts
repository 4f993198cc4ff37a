import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type SearchOptions, searchEntries } from "../../src/search/search.ts";
import type { Index } from "../../src/store/open.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "../reports/indexed.ts";

/** An index of one session in which a person said these things, one after the other. */
function indexOfTexts(...texts: string[]): Index {
  const built = session();
  for (const text of texts) built.user(text);
  return indexOfSessions(built);
}

/** Which of the texts are found, by their place. */
function placesFound(index: Index, query: string, options: SearchOptions = {}): number[] {
  const { hits } = searchEntries(index, query, { limit: 0, ...options });
  return hits.map(({ line }) => line - 2).toSorted((a, b) => a - b);
}

describe("a query", () => {
  const texts = [
    "the pear tree",
    "a pear and a quince",
    "tree of the pear",
    "quinces and trees",
    'say "pear" OR else',
  ];
  test.each<[string, string, number[]]>([
    ["asks for all of its words", "pear tree", [0, 2]],
    ["asks in any case", "PEAR Tree", [0, 2]],
    ["asks for words in a row between quotes", '"pear tree"', [0]],
    ["leaves out what a dash stands before", "pear -tree", [1, 4]],
    ["looks for what two dashes stand before", "pear --tree", [0, 2]],
    ["leaves out words in a row", 'pear -"pear tree"', [1, 2, 4]],
    ["asks for beginnings with a star", "quin*", [1, 3]],
    ["asks for alternatives with OR", "quince OR quinces", [1, 3]],
    ["binds alternatives less tightly than words", "pear tree OR quinces", [0, 2, 3]],
    ["takes a small or for a word", "pear or", [4]],
    ["takes an unclosed quote to the end", '"pear tree', [0]],
    ["passes over what has no letter, digit or emoji", "pear & --- !!! →", [0, 1, 2, 4]],
    ["passes over an empty alternative", "quinces OR", [3]],
    ["takes OR by itself for a word", "OR", [4]],
    ["takes OR between signs for a word", "& OR OR", [4]],
    ["of nothing finds nothing", "  ", []],
    ["of signs finds nothing", "?! ... →", []],
    ["takes other words of the full text's own language as words", "pear NEAR", []],
    ["asks for both with AND", "pear AND tree", [0, 2]],
    ["leaves out with NOT", "pear NOT tree", [1, 4]],
    ["takes NOT by itself for a word", "NOT", []],
    ["passes over operators at the ends", "AND pear tree NOT", [0, 2]],
    ["takes operators in quotes for words", 'pear "OR"', [4]],
    ["takes parentheses for a group", "(tree OR quince) pear", [0, 1, 2]],
    ["leaves out a group", "pear -(tree OR quince)", [4]],
    ["leaves out a group of words that must all be there", "pear -(tree of)", [0, 1, 4]],
    ["puts groups into groups", "((tree OR (quince pear)) -(of)) the", [0]],
    ["takes what is left out of alternatives", "pear (tree OR -quince)", [0, 2, 4]],
    ["takes a parenthesis within a word for a sign", "tree(pear)", []],
    ["takes one that nothing opens for a sign", "pear) tree)", [0, 2]],
    ["closes at the end what is open", "quince (pear", [1]],
    ["closes a group after a beginning", "(quinc*) trees", [3]],
    ["closes a group before signs", "(quince OR tree), pear", [0, 1, 2]],
    ["takes curly quotes for quotes", "“pear tree”", [0]],
    ["leaves out a word of one letter with NOT", "pear NOT a", [0, 2, 4]],
    ["takes one in quotes after a dash", 'pear -"a"', [0, 2, 4]],
    ["takes a column of the full text as a word", "text : pear", []],
  ])("%s: %s", (_what, query, places) => {
    expect(placesFound(indexOfTexts(...texts), query)).toEqual(places);
  });

  test("that only says what must not be there is refused", () => {
    expect(() => searchEntries(indexOfTexts("a"), "-pear")).toThrow(
      expect.objectContaining({ code: "usage" }),
    );
  });

  test.each([
    ["pear -i", /-i is no option of search/],
    ["pear -1", /-1 is no option of search/],
    ["(pear -n)", /-n is no option/],
    [`${"(".repeat(20)}pear`, /nested 16 deep/],
    [Array.from({ length: 65 }, (_, n) => `w${n}`).join(" OR "), /at most 64 alternatives/],
    ["(pear role:user)", /role:user cannot stand in parentheses/],
    ["pear OR role:user", /role:user cannot stand beside OR/],
  ])("that is a trap is refused: %s", (query, message) => {
    expect(() => searchEntries(indexOfTexts("pear"), query)).toThrow(message);
  });

  test("of more words than anybody types is asked for the rarest of them, and says which are left out", () => {
    const rare = Array.from({ length: 64 }, (_, n) => `rare${n}`);
    const common = ["at", "the", "error"];
    const index = indexOfTexts(rare.join(" "), `${common.join(" ")} ${rare.join(" ")}`, ...common, ...common);
    const { hits, leftOut } = searchEntries(index, [...common, ...rare].join("\n"));
    expect(hits.map(({ line }) => line - 2).toSorted()).toEqual([0, 1]);
    expect(leftOut.toSorted()).toEqual(common.toSorted());
    expect(searchEntries(index, rare.join(" ")).leftOut).toEqual([]);
    expect(searchEntries(index, `${rare.join(" ")} -the`).hits.map(({ line }) => line)).toEqual([2]);
  });

  test("of as many words as that is answered", () => {
    const words = Array.from({ length: 64 }, (_, n) => `w${n}`).join(" ");
    expect(placesFound(indexOfTexts(words), words)).toEqual([0]);
  });
});

describe("a name in code is found", () => {
  const texts = [
    "new SessionManager(parseHTTPResponse)",
    "session_manager.open_file",
    "foo.bar_baz",
    "使用sessionManager来管理",
  ];
  test.each<[string, string, number[]]>([
    ["whole", "sessionmanager", [0, 3]],
    ["by its first part", "session", [0, 1, 3]],
    ["by its last part", "manager", [0, 1, 3]],
    ["by a part in capitals", "http", [0]],
    ["by the beginning of a part", "mana*", [0, 1, 3]],
    ["by several parts", "parse response", [0]],
    ["by a part in brackets", "(manager)", [0, 1, 3]],
    ["by a part before a question mark", "manager?", [0, 1, 3]],
    ["by a part between quotes of another kind", "“manager”", [0, 1, 3]],
    ["by the beginning of a part with a sign", '"(mana"*', [0, 1, 3]],
    ["as it is written", "foo.bar_baz", [2]],
    ["with its parts in a row", "bar_baz", [2]],
    ["not with its parts the other way round", "baz_bar", []],
    ["though the part is left out with a dash", "open -manager", []],
  ])("%s: %s", (_what, query, places) => {
    expect(placesFound(indexOfTexts(...texts), query)).toEqual(places);
  });

  test("though very many others have the same part", () => {
    const names = Array.from({ length: 3000 }, (_, n) => `getThing${n.toString(36).toUpperCase()}x`);
    expect(placesFound(indexOfTexts(...names), "thing", { limit: 1 })).toHaveLength(1);
    expect(searchEntries(indexOfTexts(...names), "get*").total).toBe(3000);
  });
});

describe("a word is found", () => {
  test.each<[string, string, string]>([
    ["without its accents", "un café noir", "cafe"],
    ["with accents it has not", "un cafe noir", "café"],
    ["composed or not", "un cafe\u0301 noir", "caf\u00e9"],
    ["in capitals of another script", "ПРИВЕТ мир", "привет"],
    ["in Greek", "Καλημέρα ΚΌΣΜΕ", "κόσμε"],
    ["in German", "an der Straße", "strasse"],
    ["in German with ss for ß", "an der Strasse", "straße"],
    ["in German capitals", "AN DER STRASSE", "Straße"],
    ["in German capitals that are new", "STRAẞE", "strasse"],
    ["printed with ligatures", "the oﬃce workﬂow", "office workflow"],
    ["typed with ligatures", "the office", "oﬃce"],
    ["in letters of full width", "ＨＴＴＰ ４０４", "http 404"],
    ["by the beginning of a word with ligatures", "ﬁnally", "fin*"],
    ["by the beginning of a word in German", "Straßenbahn", "stras*"],
    ["in Turkish", "IŞIK açık", "ışık"],
    ["in Turkish capitals", "ışık açık", "IŞIK"],
    ["in capitals that are new", "ᲒᲐᲛᲐᲠᲯᲝᲑᲐ", "გამარჯობა"],
    ["as a part of a name in Russian", "файлЧтение", "чтение"],
    ["as a part of a name with accents", "caféManager", "manager"],
    ["as a part of a name behind a key", "1️⃣SessionManager", "session"],
    ["in Arabic", "مرحبا بالعالم", "مرحبا"],
    ["in Hebrew", "שלום עולם", "שלום"],
    ["with digits", "error E1234 in x86_64", "e1234"],
    ["as a number", "port 8080", "8080"],
    ["beside a NUL", "before\0after", "after"],
    ["beside half a character", "half \ud83c end", "end"],
    ["of Chinese in the middle of a run", "今天天气很好", "天气"],
    ["of one Chinese character", "今天天气很好", "很"],
    ["of Chinese beside Latin letters", "用Python写代码", "写代码"],
    ["of Latin letters beside Chinese", "用Python写代码", "python"],
    ["of Japanese in mixed scripts", "コーヒーを飲みます", "ヒーを飲"],
    ["of Korean in the middle of a word", "대한민국만세", "민국"],
    ["of Korean that was not composed", "대한민국".normalize("NFD"), "한민"],
    ["of Katakana of half width", "ｺｰﾋｰ", "ｰﾋ"],
    ["of Bopomofo", "ㄅㄆㄇ", "ㄆㄇ"],
    ["that is an emoji", "the 🍐 tree", "🍐"],
    ["that is an emoji beside letters", "ripe🍐pears", "pears"],
    ["that is an emoji with a colour of skin", "good 👍🏽 work", "👍"],
    ["that is a row of emoji", "🍐🍎🍇", "🍎🍇"],
    ["that is a flag", "from 🇨🇭", "🇨🇭"],
    ["that is a sign of the older kind", "⚠️ mind the gap", "⚠"],
  ])("%s: %s by %s", (_what, text, query) => {
    expect(placesFound(indexOfTexts(text), query)).toEqual([0]);
  });

  test("in no other order of its characters", () => {
    expect(placesFound(indexOfTexts("天气"), "气天")).toEqual([]);
  });

  test("never across two texts of one entry", () => {
    const built = session().assistant({
      content: [
        { type: "text", text: "last" },
        { type: "text", text: "first" },
      ],
    });
    expect(placesFound(indexOfSessions(built), '"last first"')).toEqual([]);
  });
});

describe("hits", () => {
  const daily = () => {
    const built = session({ timestamp: "2026-01-01T00:00:00.000Z" });
    for (let day = 1; day <= 30; day++)
      built.at(`2026-01-${String(day).padStart(2, "0")}T00:00:00.000Z`).user("pear");
    return indexOfSessions(built);
  };

  test("are twenty unless told, and the total counts all", () => {
    const { total, hits } = searchEntries(daily(), "pear");
    expect([total, hits.length]).toEqual([30, 20]);
  });

  test.each<[SearchOptions, number, string | undefined]>([
    [{ limit: 3, sort: "newest" }, 3, "2026-01-30T00:00:00.000Z"],
    [{ limit: 0, sort: "oldest" }, 30, "2026-01-01T00:00:00.000Z"],
    [{ limit: 1, sort: "relevance" }, 1, "2026-01-30T00:00:00.000Z"],
  ])("are limited and sorted as told: %j", (options, length, first) => {
    const { hits } = searchEntries(daily(), "pear", { ...options, now: Date.parse("2026-02-01") });
    expect([hits.length, hits[0]?.timestamp]).toEqual([length, first]);
  });

  test("with what a person said come before what a tool printed", () => {
    const built = session().toolResult("the pear").user("the pear").assistant({ text: "the pear" });
    const { hits } = searchEntries(indexOfSessions(built), "pear");
    expect(hits.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
    expect(hits.map(({ score }) => score).toSorted((a, b) => b - a)).toEqual(hits.map(({ score }) => score));
  });

  test("weigh less the older they are: two thirds after a quarter of a year, but never next to nothing", () => {
    const now = Date.parse("2026-06-01T00:00:00.000Z");
    const ages = [-10, 0, 10, 30, 90, 365, 3650];
    const built = session();
    for (const days of ages.toReversed()) {
      built.at(new Date(now - days * 24 * 60 * 60 * 1000).toISOString()).user("pear");
    }
    const { hits } = searchEntries(indexOfSessions(built), "pear", { sort: "relevance", now });
    const newest = hits[0]?.score ?? Number.NaN;
    const [later, today, ...older] = hits.map(({ score }) => score / newest);
    expect([later, today]).toEqual([1, 1]);
    expect(older).toEqual([...older].sort((a, b) => b - a));
    expect(older[0]).toBeLessThan(1);
    expect(older[2]).toBeCloseTo(2 / 3, 1);
    expect(older.at(-1)).toBeGreaterThan(1 / 3);
  });

  test("say where they are", () => {
    const root = tempDir();
    const built = session({ id: "s", cwd: "/p" })
      .user("first")
      .assistant({ toolCalls: [{ name: "bash" }] });
    const parentId = built.lastId;
    const path = built.toolResult("a pear").writeBelow(root);
    const { hits } = searchEntries(indexOf(root), "pear");
    expect(hits).toEqual([
      {
        session: { id: "s", path, cwd: "/p", title: "first" },
        handle: "s:4",
        entryId: built.lastId,
        parentId,
        line: 4,
        type: "message",
        role: "toolResult",
        tool: "bash",
        speaker: "result of bash",
        timestamp: "2025-11-20T10:00:03.000Z",
        snippet: "a pear",
        highlights: [[2, 6]],
        onBranch: true,
        score: expect.any(Number),
        copies: [],
      },
    ]);
  });

  test("know whether they are on the branch that is gone on with", () => {
    const built = session().user("root");
    const root = built.lastId;
    built.user("pear one").assistant().branchFrom(root).user("pear two").assistant();
    const { hits } = searchEntries(indexOfSessions(built), "pear", { sort: "oldest" });
    expect(hits.map(({ onBranch }) => onBranch)).toEqual([false, true]);
  });

  test("know it in a session whose ids are damaged", () => {
    const built = session().user("pear", { id: "a", parentId: "b" }).user("pear", { id: "b", parentId: "a" });
    built.user("pear", { id: "c", parentId: "gone" });
    const { hits } = searchEntries(indexOfSessions(built), "pear", { sort: "oldest" });
    expect(hits.map(({ onBranch }) => onBranch)).toEqual([false, false, true]);
  });

  test("know it where several entries have one id, of which the last is meant", () => {
    const built = session().user("pear 1", { id: "root" }).user("pear 2", { id: "twice" });
    built.branchFrom("root").user("pear 3", { id: "twice" }).user("pear 4", { id: "leaf" });
    const { hits } = searchEntries(indexOfSessions(built), "pear", { sort: "oldest" });
    expect(hits.map(({ onBranch }) => onBranch)).toEqual([true, false, true, true]);
  });

  test("of a session of version 1 have ids by line", () => {
    const { hits } = searchEntries(indexOfSessions(session({ version: 1 }).user("x").user("pear")), "pear");
    expect(hits).toMatchObject([{ entryId: "v1-3", parentId: "v1-2", snippet: "pear" }]);
  });

  test("are cut out of what the file says, of every version, however far into it they stand", () => {
    for (const version of [1, 2, 3] as const) {
      const built = session({ version })
        .user("x")
        .user(`${"and so on ".repeat(100)}a pear`);
      const [hit] = searchEntries(indexOfSessions(built), "pear").hits;
      expect([version, hit?.snippet]).toEqual([version, expect.stringMatching(/so on a pear$/)]);
    }
  });

  test("are of the roots asked for", () => {
    const root = tempDir();
    for (const name of ["a", "ab"]) session({ id: name }).user("pear").write(`${root}/${name}/1.jsonl`);
    const index = indexOf(root);
    const { total, hits } = searchEntries(index, "pear", { roots: [`${root}/a`] });
    expect([
      total,
      hits.map((hit) => hit.session.id),
      searchEntries(index, "pear", { roots: [] }).total,
    ]).toEqual([1, ["a"], 0]);
  });

  test("E9: whose file has changed or is gone show what the index remembers", () => {
    const root = tempDir();
    const path = session()
      .user(`pear ${"x".repeat(100)}`)
      .writeBelow(root);
    const index = indexOf(root);
    const snippetNow = () => searchEntries(index, "pear").hits.map(({ snippet }) => snippet.slice(0, 6));
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"message"', '"another"'));
    const changed = snippetNow();
    rmSync(path);
    expect([changed, snippetNow()]).toEqual([["pear x"], ["pear x"]]);
  });
});

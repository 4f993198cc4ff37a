import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { searchEntries } from "../../src/search/search.ts";
import { openIndex } from "../../src/store/open.ts";
import { SessionNodes } from "../../src/store/tables/entry-nodes.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";
import { indexOfSessions } from "../reports/indexed.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");
const token = `ghp_${"Ab3dEf6hIj".repeat(4)}`;

describe("copies of one entry in forks", () => {
  const family = () => {
    const parent = session({ id: "parent", timestamp: "2026-01-01T00:00:00Z" }).user("a pear").assistant();
    const child = parent.fork({ id: "child", timestamp: "2026-01-02T00:00:00Z" }).user("another pear");
    const grandchild = child.fork({ id: "grandchild", timestamp: "2026-01-03T00:00:00Z" }).assistant();
    return indexOfSessions(grandchild, child, parent);
  };
  const places = (sort: "relevance" | "newest" | "oldest", limit = 0) =>
    searchEntries(family(), "pear", { sort, limit }).hits.map((hit) => [
      hit.snippet,
      ...[hit, ...hit.copies].map((each) => `${each.session.id}:${each.line}`),
    ]);
  const original = ["a pear", "parent:2", "child:2", "grandchild:2"];
  const later = ["another pear", "child:4", "grandchild:4"];

  test.each(["newest", "oldest", "relevance"] as const)("are one hit, %s first", (sort) => {
    const expected = sort === "oldest" ? [original, later] : [later, original];
    expect(sort === "relevance" ? places(sort).toSorted() : places(sort)).toEqual(
      sort === "relevance" ? expected.toSorted() : expected,
    );
  });

  test("are one hit with their original: in the limit, and in the total", () => {
    const { hits, total } = searchEntries(family(), "pear", { limit: 1, sort: "oldest" });
    expect([hits.length, hits[0]?.copies.length, total]).toEqual([1, 2, 2]);
  });

  test("are one hit where the full text counts in some of them what an alternative leaves out", () => {
    const parent = session({ id: "a" }).user("apple pear").user("pear");
    const index = indexOfSessions(parent, parent.fork({ id: "b", timestamp: "2026-11-19T10:00:00Z" }));
    const { hits, total } = searchEntries(index, "fig -pear OR pear", { now: NOW });
    expect([total, hits.map(({ copies }) => copies.length)]).toEqual([2, [1, 1]]);
    expect(searchEntries(index, "fig -pear OR pear", { limit: 1, now: NOW }).hits).toEqual(hits.slice(0, 1));
  });

  test("are named only where the filter lets them", () => {
    const index = indexOfSessions(
      session({ id: "a", cwd: "/a" }).user("pear"),
      session({ id: "a", cwd: "/a" }).user("pear").fork({ id: "b", cwd: "/b" }).user("x"),
    );
    const { hits } = searchEntries(index, "pear project:/b");
    expect(hits.map(({ session: { id }, copies }) => [id, copies])).toEqual([["b", []]]);
  });

  test("of the same time are shown in the session in which their money counts", () => {
    // By UTF-16 units the folders would stand the other way round.
    const [first, second] = ["/\uff21", "/\u{1f600}"];
    const timestamp = "2026-11-03T10:00:00.000Z";
    const original = session({ id: "a", cwd: second, timestamp }).assistant({ text: "pear" });
    const index = indexOfSessions(original, original.fork({ id: "b", cwd: first, timestamp }));
    const counted = listSessions(index).sessions.filter(({ inherited }) => inherited.requests === 0);
    const shown = searchEntries(index, "pear").hits.map((hit) => hit.session);
    expect([counted, shown].map((each) => each.map(({ cwd }) => cwd))).toEqual([[first], [first]]);
  });

  test("are no entries that have only the id in common", () => {
    const built = ["a", "b"].map((id) =>
      session({ id })
        .at(`2026-01-0${id === "a" ? 1 : 2}`)
        .user("pear", { id: "0" }),
    );
    expect(searchEntries(indexOfSessions(...built), "pear").hits.map(({ copies }) => copies)).toEqual([
      [],
      [],
    ]);
  });
});

describe("a condition in the query", () => {
  const index = () =>
    indexOfSessions(
      session({ id: "old", cwd: "/work/old", timestamp: "2026-01-01T00:00:00Z" })
        .user("pear")
        .label(session({ id: "old" }).user("pear").lastId ?? "", "Todo")
        .assistant({ text: "pear", model: "claude-sonnet-4-5", toolCalls: [{ name: "bash" }] })
        .toolResult("pear", { isError: true }),
      session({ id: "new", cwd: "/work/new", timestamp: "2026-11-19T00:00:00Z" })
        .user("pear")
        .assistant({ text: "pear", model: "gpt-5.5", provider: "openai" })
        .compaction("pear")
        .name("called pear"),
    );
  const found = (query: string) =>
    searchEntries(index(), query, { now: NOW, timezone: "UTC", limit: 0, sort: "oldest" }).hits.map(
      (hit) => `${hit.session.id} ${hit.role ?? hit.type}`,
    );
  test.each<[string, string[]]>([
    ["pear role:user", ["old user", "new user"]],
    ["role:assistant pear model:SONNET", ["old assistant"]],
    ["pear provider:openai", ["new assistant"]],
    ["pear tool:bash", ["old assistant", "old toolResult"]],
    ["pear label:todo", ["old user"]],
    ["pear has:error", ["old toolResult"]],
    ["pear type:compaction", ["new compaction"]],
    ["pear has:compaction", ["new compaction"]],
    ["pear since:2w role:user", ["new user"]],
    ["pear until:2026-02 role:user", ["old user"]],
    ["pear project:/work/new role:user", ["new user"]],
    ['pear project:"/work" role:user', ["old user", "new user"]],
    ["pear named:yes role:user", ["new user"]],
    ["pear named:no role:user", ["old user"]],
    ["pear origin:interactive role:user", ["old user", "new user"]],
    ["pear origin:fork", []],
    ["pear limit:1", ["old user"]],
    ["pear limit:1 sort:newest", ["new session_info"]],
    ["pear sort:time:asc limit:1", ["old user"]],
    ["pear sort:newest:desc limit:1", ["new session_info"]],
    ["pear sort:newest:asc limit:1", ["old user"]],
    ['"role:user"', []],
  ])("%s", (query, expected) => {
    expect(found(query)).toEqual(expected);
  });

  test.each([
    "role:user",
    "model:sonnet",
    "provider:openai",
    "tool:bash",
    "label:todo",
    "has:error",
    "has:branch",
    "type:compaction",
    "since:2w",
    "until:2026-02",
    "project:/work/new",
    "named:yes",
    "origin:interactive",
    "origin:fork",
  ])("with a dash leaves out what it would keep without: %s", (condition) => {
    const [all, kept] = [found("pear"), found(`pear ${condition}`)];
    expect(found(`pear -${condition}`)).toEqual(all.filter((hit) => !kept.includes(hit)));
    expect(found(`pe* -${condition}`)).toEqual(found(`pear -${condition}`));
  });

  test("with a dash may stand several times, and beside others", () => {
    expect(found("pear -role:user -role:toolResult project:/work/old")).toEqual(["old assistant"]);
    expect(found("pear role:user -role:user")).toEqual([]);
  });

  test("with a dash keeps what has no time, whatever time is left out", () => {
    const timeless = indexOfSessions(session().customMessage("x", "pear", {}, { timestamp: "whenever" }));
    const kept = searchEntries(timeless, "pear -since:1970 -until:2100").hits;
    expect(kept.map(({ timestamp }) => timestamp)).toEqual([null]);
  });

  test("goes before the same in the options, and the others stay", () => {
    const { hits } = searchEntries(index(), "pear role:user", {
      filter: { role: "assistant", project: "/work/old" },
    });
    expect(hits.map((hit) => [hit.session.id, hit.role])).toEqual([["old", "user"]]);
  });

  test.each([
    "pear has:everything",
    "pear since:whenever",
    "pear limit:-1",
    "pear sort:best",
    "pear project:here",
    "pear -has:everything",
    "pear -since:whenever",
    "pear -limit:5",
    "pear -sort:newest",
  ])("that makes no sense is told: %s", (query) => {
    expect(() => searchEntries(index(), query)).toThrow(expect.objectContaining({ code: "usage" }));
  });
});

describe("what stands around a hit", () => {
  const branching = () => {
    const built = session().user("first").assistant({ text: "second" });
    const fork = built.lastId;
    built.user("left").assistant({ text: "left pear" }).user("left end");
    return indexOfSessions(
      built
        .branchFrom(fork)
        .user("right")
        .name("not said")
        .assistant({ text: "right pear" })
        .toolResult("right end"),
    );
  };
  const around = (context: number) =>
    searchEntries(branching(), "pear", { context, sort: "oldest" }).hits.map((hit) => [
      ...(hit.context?.before.map(({ text }) => text) ?? []),
      `[${hit.snippet}${hit.onBranch ? "" : ", other branch"}]`,
      ...(hit.context?.after.map(({ text }) => text) ?? []),
    ]);

  test("is what was said before and after on the same branch", () => {
    expect(around(2)).toEqual([
      ["second", "left", "[left pear, other branch]", "left end"],
      ["second", "right", "[right pear]", "right end"],
    ]);
  });

  test("is what an entry says in the first place: thinking and calls where there is nothing else, pictures never", () => {
    const call = { name: "read", arguments: { path: "src/a.ts" } };
    const built = session()
      .assistant({ thinking: "hm", text: "said", toolCalls: [call] })
      .assistant({ content: [{ type: "thinking", thinking: "only hm" }] })
      .assistant({ content: [{ type: "toolCall", id: "c", ...call }] })
      .user([{ type: "image", data: "AAAA", mimeType: "image/png" }])
      .user("pear");
    const [hit] = searchEntries(indexOfSessions(built), "pear", { context: 4 }).hits;
    expect(hit?.context?.before.map(({ text }) => text)).toEqual(["said", "only hm", "read src/a.ts"]);
  });

  test("is never cut in the middle of a character", () => {
    const index = indexOfSessions(
      session()
        .user(`a${"🍐".repeat(200)}`)
        .assistant({ text: "pear" }),
    );
    const [hit] = searchEntries(index, "pear", { context: 1 }).hits;
    expect(hit?.context?.before.map(({ text }) => text)).toEqual([`a${"🍐".repeat(119)}`]);
  });

  test("is as much as was asked for", () => {
    expect([around(1)[0], around(9)[0]]).toEqual([
      ["left", "[left pear, other branch]", "left end"],
      ["first", "second", "left", "[left pear, other branch]", "left end"],
    ]);
  });

  test("is found without a walk through the session for each hit, in a damaged session too", () => {
    const steps = vi.spyOn(SessionNodes.prototype, "parentOf");
    const built = session().name("", { id: "twice" }).name("", { id: "twice" });
    for (let n = 0; n < 200; n++) built.user(`pear ${n}`);
    const { hits } = searchEntries(indexOfSessions(built), "pear", { context: 1, limit: 0 });
    expect(
      hits.flatMap(({ context }) => [...(context?.before ?? []), ...(context?.after ?? [])]),
    ).toHaveLength(398);
    expect(steps.mock.calls.length).toBeGreaterThan(200);
    expect(steps.mock.calls.length).toBeLessThan(5 * 200);
  });

  test("is not there unless it is asked for", () => {
    expect(searchEntries(branching(), "pear").hits.map((hit) => "context" in hit)).toEqual([false, false]);
  });

  test("says who, when and where", () => {
    const [hit] = searchEntries(branching(), "pear", { context: 1, sort: "newest" }).hits;
    expect(hit?.context?.after).toEqual([
      {
        entryId: expect.any(String),
        line: 10,
        type: "message",
        role: "toolResult",
        tool: "bash",
        timestamp: expect.stringContaining("2025-11-20T"),
        text: "right end",
      },
    ]);
  });
});

/** With so many lines. */
function longKey(kind: string, lines: number): string {
  return `-----BEGIN ${kind}-----\n${`${"Ab3dEf6hIj".repeat(6)}Ab3d\n`.repeat(lines)}-----END ${kind}-----`;
}

describe("secrets", () => {
  const index = () =>
    indexOfSessions(
      session()
        .user(`title ${token}`)
        .assistant({ text: `a pear and ${token} and more` }),
    );

  test("are masked in snippets, titles and neighbours", () => {
    const [hit] = searchEntries(index(), "pear", { context: 1 }).hits;
    expect([hit?.snippet, hit?.session.title, hit?.context?.before[0]?.text]).toEqual([
      "a pear and [masked GitHub token] and more",
      "title [masked GitHub token]",
      "title [masked GitHub token]",
    ]);
  });

  test("are shown where that is asked for", () => {
    const [hit] = searchEntries(index(), "pear", { context: 1, reveal: true }).hits;
    expect([hit?.snippet, hit?.session.title, hit?.context?.before[0]?.text]).toEqual([
      `a pear and ${token} and more`,
      `title ${token}`,
      `title ${token}`,
    ]);
  });

  test("are found, and the mask is what matched", () => {
    const { hits } = searchEntries(index(), token, { filter: { role: "assistant" } });
    expect(hits.map(({ snippet, highlights }) => highlights.map(([a, b]) => snippet.slice(a, b)))).toEqual([
      ["[masked GitHub token]"],
    ]);
  });

  test("are marked once, however much of them matched, together with what matched before and after them", () => {
    const marked = (needle: string) =>
      searchEntries(index(), needle, { substring: true, filter: { role: "assistant" } }).hits.map(
        ({ snippet, highlights }) => highlights.map(([a, b]) => snippet.slice(a, b)),
      );
    expect(marked("3dEf6hIj")).toEqual([["[masked GitHub token]"]]);
    expect(marked("pear and ghp_Ab3")).toEqual([["pear and [masked GitHub token]"]]);
    expect(marked("6hIj and more")).toEqual([["[masked GitHub token] and more"]]);
  });

  test("are masked wherever they stand in a long text", () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"Ab3dEf6hIj".repeat(60)}\n-----END PRIVATE KEY-----`;
    for (const secret of [token, key]) {
      for (const before of [0, 100, 500, 5000, 20_000]) {
        const text = `${"and so on ".repeat(before / 10)}${secret} a pear ${"and so on ".repeat(1000)}`;
        const [hit] = searchEntries(indexOfSessions(session().user(text)), "pear").hits;
        const [[start, end] = [0, 0]] = hit?.highlights ?? [];
        expect(hit?.snippet).toMatch(/\[masked [^\]]+\] a pear and so on/);
        expect(hit?.snippet).not.toMatch(/Ab3dEf|PRIVATE/);
        expect(hit?.snippet.slice(start, end)).toBe("pear");
      }
    }
  });

  test("that the snippet holds a part of are masked", () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"Ab3dEf6hIj".repeat(60)}\n-----END PRIVATE KEY-----`;
    const inKey = indexOfSessions(session().user(`${key} pear`));
    expect(searchEntries(inKey, "pear").hits[0]?.snippet).toBe("[masked private key] pear");
  });

  test.each([
    ["a token of the web", `Authorization: Bearer ${"Ab3dEf6hIj".repeat(120)}`],
    ["a key of several thousand characters", longKey("PGP PRIVATE KEY BLOCK", 180)],
  ])("that are long are masked before what matched, and around it: %s", (_what, secret) => {
    const [hit] = searchEntries(indexOfSessions(session().user(`${secret} pear`)), "pear").hits;
    expect(hit?.snippet).toMatch(/^(Authorization: Bearer )?\[masked [a-z ]+\] pear$/);
  });

  test("that a neighbour, a title or a preview cuts off are masked", () => {
    const before = "and so on ".repeat(10);
    const built = session()
      .user(`${before}${token}`)
      .user("a pear")
      .user(`${before}${longKey("PRIVATE KEY", 50)}`);
    const [hit] = searchEntries(indexOfSessions(built), "pear", { context: 1 }).hits;
    expect(hit?.session.title).toBe(`${before}[masked GitHub token]`);
    expect(hit?.context?.after[0]?.text).toBe(`${before}[masked private key]`);
  });
});

describe("a word that stands in very many entries", () => {
  const many = () => {
    const built = session({ timestamp: "2026-01-01T00:00:00Z" });
    for (let n = 0; n < 21_000; n++) built.user(n % 1000 === 0 ? `pear and plum ${n}` : `pear ${n}`);
    return built;
  };

  test("is answered newest first, exactly, whatever the sort and the filter", () => {
    const index = indexOfSessions(
      many(),
      session({ id: "later", timestamp: "2026-02-01T00:00:00Z", cwd: "/later" }).user("a pear"),
    );
    const snippets = (query: string, options = {}) =>
      searchEntries(index, query, { limit: 2, ...options }).hits.map(({ snippet }) => snippet);
    expect(snippets("pear")).toEqual(["a pear", "pear 20999"]);
    expect(snippets("pear", { sort: "oldest" })).toEqual(["pear and plum 0", "pear 1"]);
    expect(snippets("pear role:user until:2026-01-15")).toEqual(["pear 20999", "pear 20998"]);
    expect(snippets("pear plum", { sort: "newest" })).toEqual(["pear and plum 20000", "pear and plum 19000"]);
    expect(snippets("pear project:/later")).toEqual(["a pear"]);
    expect(snippets("pear", { roots: ["/nowhere"] })).toEqual([]);
    expect(searchEntries(index, "pear")).toMatchObject({
      total: 21_001,
      totalIs: "atMost",
      isTotalExact: false,
    });
    // They are looked for in one stretch of the index after the other; none stands in two of them.
    for (const query of ["pear", "pear role:user", "pe* role:user"]) {
      const { hits } = searchEntries(index, query, { limit: 600, sort: "oldest" });
      const lines = hits.flatMap(({ line, copies }) => [line, ...copies.map((copy) => copy.line)]);
      expect([query, lines]).toEqual([query, Array.from({ length: 600 }, (_, n) => n + 2)]);
    }
    const all = searchEntries(index, "pear", { limit: 0 });
    expect([all.hits.length, all.total, all.totalIs]).toEqual([21_001, 21_001, "exact"]);
  });

  test("is answered by relevance where few of them meet a condition, and newest first where very many do", () => {
    const built = session({ timestamp: "2026-01-01T00:00:00Z" });
    for (let n = 0; n < 1100; n++)
      built.toolResult(n === 7 ? "pear pear" : `pear as ${n}`, { toolName: "bash" });
    for (let n = 0; n < 20_100; n++) built.user(`pear as ${n}`);
    for (let n = 0; n < 1100; n++) built.assistant({ text: n === 8 ? "pear pear" : `pear as ${n}` });
    const index = indexOfSessions(built);
    const firstOf = (query: string) => {
      const { total, hits } = searchEntries(index, query, { limit: 1 });
      return [total, hits[0]?.snippet];
    };
    expect(firstOf("pear tool:bash")).toEqual([1100, "pear pear"]);
    expect(firstOf("pear role:assistant project:/")).toEqual([1100, "pear pear"]);
    expect(firstOf("pear role:user")).toEqual([20_100, "pear as 20099"]);
    expect(firstOf("pear project:/")).toEqual([22_300, "pear as 1099"]);
  });
});

describe("how far the full text is behind", () => {
  test("is said", () => {
    const store = new Store();
    session().user("pear").user("quince").write(store.path("a.jsonl"));
    store.sync();
    const before = searchEntries(store.index, "pear");
    store.feed();
    const after = searchEntries(store.index, "pear");
    expect([before.behind, before.total, after.behind, after.total]).toEqual([2, 0, 0, 1]);
  });

  test("is everything for the full text of another index, and nothing is found in it", () => {
    const [store, other] = [new Store(), new Store()];
    session({ id: "a" }).user("pear").write(store.path("a.jsonl"));
    session({ id: "b" }).user("quince").write(other.path("b.jsonl"));
    for (const each of [store, other]) {
      each.sync();
      each.feed();
      each.close();
    }
    renameSync(indexIn(other.indexFolder).searchPath, indexIn(store.indexFolder).searchPath);
    const index = openIndex(indexIn(store.indexFolder), { readonly: true });
    const { behind, total } = searchEntries(index, "quince");
    index.close();
    expect([behind, total]).toEqual([1, 0]);
  });
});

describe("a file's text is found only where it now is", () => {
  const places = (store: Store, query: string) => {
    store.sync();
    store.feed();
    return searchEntries(store.index, query).hits.map(({ session: { path }, line }) => `${path}:${line}`);
  };
  const written = () => {
    const store = new Store();
    session({ id: "a" }).user("pear").assistant({ text: "old quince" }).write(store.path("a.jsonl"));
    session({ id: "b" }).user("something else").write(store.path("b.jsonl"));
    return store;
  };

  test("after it was written anew", () => {
    const store = written();
    const before = places(store, "pear");
    writeFileSync(store.path("a.jsonl"), session({ id: "a" }).user("x").user("pear").bytes());
    expect([before, places(store, "pear"), places(store, "quince")]).toEqual([
      [`${store.path("a.jsonl")}:2`],
      [`${store.path("a.jsonl")}:3`],
      [],
    ]);
  });

  test("after it was moved", () => {
    const store = written();
    places(store, "pear");
    renameSync(store.path("a.jsonl"), store.path("moved.jsonl"));
    expect(places(store, "quince")).toEqual([`${store.path("moved.jsonl")}:3`]);
  });

  test("after it was deleted", () => {
    const store = written();
    places(store, "pear");
    rmSync(store.path("a.jsonl"));
    expect(places(store, "pear")).toEqual([]);
  });

  test("after it grew", () => {
    const store = written();
    places(store, "pear");
    appendFileSync(store.path("b.jsonl"), `${session({ id: "m" }).user("a medlar").lines()[1]}\n`);
    expect(places(store, "medlar")).toEqual([`${store.path("b.jsonl")}:3`]);
  });
});

test("a hit names its session as it is by then, asked by the same process", () => {
  const store = new Store();
  const built = session({ id: "a" }).user("root");
  const root = built.lastId ?? null;
  built.user("a pear").write(store.path("a.jsonl"));
  const asked = () => {
    store.sync();
    store.feed();
    const [hit] = searchEntries(store.index, "pear").hits;
    return [hit?.session.title, hit?.onBranch];
  };
  const before = asked();
  built.branchFrom(root).name("Fruit").write(store.path("a.jsonl"));
  expect([before, asked()]).toEqual([
    ["root", true],
    ["Fruit", false],
  ]);
});

test("a folder that is indexed but not asked about gives no hits", () => {
  const [root, other] = [tempDir(), tempDir()];
  session({ id: "a" }).user("pear").writeBelow(root);
  session({ id: "b" }).user("pear").writeBelow(other);
  const index = openIndex(indexIn(tempDir()));
  syncAll(index, [root, other]);
  const { hits } = searchEntries(index, "pear", { substring: true, roots: [root] });
  index.close();
  expect(hits.map((hit) => hit.session.id)).toEqual(["a"]);
});

test("a condition without a value in a query is wrong usage", () => {
  const index = indexOfSessions(session().user("x"));
  expect(() => searchEntries(index, 'x role:""')).toThrow("role: needs a value");
});

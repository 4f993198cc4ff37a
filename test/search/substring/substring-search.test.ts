import { describe, expect, test, vi } from "vitest";
import { type SearchOptions, searchEntries } from "../../../src/search/search.ts";
import { scanFiles } from "../../../src/search/substring/substring-search.ts";
import { writeWithLongLine } from "../../helpers/long-line.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "../../reports/indexed.ts";

/** What is found, as `session:line`. */
function places(index: ReturnType<typeof indexOf>, needle: string, options: SearchOptions = {}): string[] {
  const { hits } = searchEntries(index, needle, { ...options, substring: true });
  return hits.map((hit) => `${hit.session.id}:${hit.line}`);
}

describe("a substring", () => {
  test.each<[string, string, string, string[]]>([
    ["parts of words", "a substring", "bstri", ["bstri"]],
    ["signs, line ends and quotes", 'if (a\n\t&& "b\\c")', '(a\n\t&& "b\\', ['(a  && "b\\']],
    [
      "what would be a condition or a sign of a query elsewhere",
      'role:user "-x',
      'role:user "-',
      ['role:user "-'],
    ],
    ["every place in a text, its beginning too", "pear, pear; Pear", "pear", ["pear", "pear"]],
    ["places that do not overlap", "aaaaa", "aa", ["aa", "aa"]],
  ])("finds and marks %s", (_what, text, needle, expected) => {
    const { hits } = searchEntries(indexOfSessions(session().user(text)), needle, { substring: true });
    expect(hits.map(({ snippet, highlights }) => highlights.map(([a, b]) => snippet.slice(a, b)))).toEqual([
      expected,
    ]);
  });

  test("tells capitals and accents apart, and finds what the full text leaves out at the end of long output", () => {
    const index = indexOfSessions(
      session({ id: "s" })
        .user("Pear")
        .user("péar")
        .toolResult(`${"x ".repeat(40_000)}pear`)
        .bash("ls", `${"x ".repeat(40_000)}pear`),
    );
    expect(places(index, "pear", { sort: "oldest" })).toEqual(["s:4", "s:5"]);
    expect(
      searchEntries(index, "pear")
        .hits.map(({ line }) => line)
        .sort(),
    ).toEqual([2, 3]);
  });

  test("is found in lines that are longer than what is read at once, and in those after them", () => {
    const filler = "x".repeat(5 * 1024 * 1024);
    const index = indexOfSessions(
      session({ id: "s" })
        .toolResult(`${filler} pear`)
        .user("pear")
        .toolResult(`pear ${filler}`)
        .user("pear"),
    );
    expect(places(index, "pear", { sort: "oldest" })).toEqual(["s:2", "s:3", "s:4", "s:5"]);
  });

  test.each([65, 300])(
    "A29: is found after a line of %s MB, which is too long to be decoded",
    (megabytes) => {
      const root = tempDir();
      writeWithLongLine(`${root}/a.jsonl`, megabytes * 1024 * 1024);
      const index = indexOf(root);
      expect(places(index, "fte")).toEqual(["a:4"]);
      expect(places(index, "e", { sort: "oldest" })).toEqual(["a:2", "a:4"]);
    },
  );

  test("is found in a session that is one JSON array, and only in its own entries", () => {
    const root = tempDir();
    session({ id: "array" }).user("a quince").user("a pear").write(`${root}/array.json`);
    expect(places(indexOf(root), "pear")).toEqual(["array:20"]);
  });
});

describe("sessions with a substring", () => {
  const store = () =>
    indexOfSessions(
      session({ id: "long", timestamp: "2026-01-01T00:00:00Z", cwd: "/work/long" })
        .user("pear")
        .at("2026-03-01T00:00:00Z")
        .user("x"),
      session({ id: "late", timestamp: "2026-02-01T00:00:00Z" }).assistant({ text: "pear" }),
      session({ id: "early", timestamp: "2025-12-01T00:00:00Z" }).user("pear").user("pear"),
    );

  test("come newest first, however long ago a session that went on later said it", () => {
    expect(places(store(), "pear")).toEqual(["late:2", "long:2", "early:3", "early:2"]);
    expect(places(store(), "pear", { limit: 1 })).toEqual(["late:2"]);
    expect(places(store(), "pear", { limit: 2, sort: "oldest" })).toEqual(["early:2", "early:3"]);
  });

  test("are looked at until there are enough hits, all of them where all are wanted or the oldest", () => {
    const totals = ([{ limit: 1 }, { limit: 3 }, { limit: 0 }, { limit: 1, sort: "oldest" }] as const).map(
      (options) => {
        const { total, isTotalExact } = searchEntries(store(), "pear", { ...options, substring: true });
        return [total, isTotalExact];
      },
    );
    expect(totals).toEqual([
      [2, false],
      [4, true],
      [4, true],
      [4, true],
    ]);
  });

  test("are put in order once where the oldest are wanted, however many files hold it", () => {
    const ids = Array.from({ length: 12 }, (_, n) => `s${n}`);
    const index = indexOfSessions(...ids.map((id) => session({ id }).user("pear")));
    const sorts = vi.spyOn(Array.prototype, "sort");
    const { groups } = scanFiles(index, { needle: "pear", conditions: [], sort: "oldest", limit: 2 });
    expect([groups.length, sorts.mock.calls.length]).toEqual([2, 1]);
  });

  test("come newest first also where it is in what was written after the last word of a person or a model", () => {
    const index = indexOfSessions(
      session({ id: "a", timestamp: "2026-01-01T00:00:00Z" }).user("x").at("2026-01-03").bash("ls", "pear"),
      session({ id: "b", timestamp: "2026-01-02T00:00:00Z" }).user("pear"),
    );
    expect(places(index, "pear", { limit: 1 })).toEqual(["a:3"]);
  });

  test("come newest first also where entries after it state an earlier time, as after a clock was set back", () => {
    const index = indexOfSessions(
      session({ id: "a", timestamp: "2026-01-01T00:00:00Z" })
        .at("2026-01-03")
        .bash("ls", "pear")
        .at("2026-01-01")
        .user("x"),
      session({ id: "b", timestamp: "2026-01-02T00:00:00Z" }).user("pear"),
      session({ id: "c", timestamp: "2025-12-01T00:00:00Z" }).user("pear"),
    );
    expect(places(index, "pear", { limit: 1 })).toEqual(["a:2"]);
    expect(searchEntries(index, "pear", { limit: 1, substring: true })).toMatchObject({
      total: 2,
      isTotalExact: false,
    });
  });

  test("are those that meet conditions, in one and the same entry", () => {
    expect(places(store(), "pear", { filter: { role: "assistant" } })).toEqual(["late:2"]);
    expect(places(store(), "pear", { filter: { project: "/work" } })).toEqual(["long:2"]);
    expect(places(store(), "pear", { filter: { since: Date.parse("2026-01-15") } })).toEqual(["late:2"]);
  });

  test("give an entry and its copies in forks as one hit, that counts as one of those wanted", () => {
    const parent = session({ id: "parent", timestamp: "2026-01-01T00:00:00Z" }).user("pear");
    const fork = parent.fork({ id: "fork", timestamp: "2026-02-01T00:00:00Z" }).user("a pear");
    const { total, hits } = searchEntries(indexOfSessions(parent, fork), "pear", {
      substring: true,
      limit: 2,
    });
    const found = hits.map(({ session: { id }, copies }) => [id, ...copies.map((copy) => copy.session.id)]);
    expect([total, found]).toEqual([2, [["fork"], ["parent", "fork"]]]);
  });
});

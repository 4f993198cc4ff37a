import { writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { INDEXED } from "../../../src/format/searchable.ts";
import { type SearchOptions, searchEntries } from "../../../src/search/search.ts";
import { candidatesOf } from "../../../src/search/substring/candidates.ts";
import { type Index, openIndex } from "../../../src/store/open.ts";
import { session } from "../../helpers/session-builder.ts";
import { LATER, Store } from "../../indexing/store.ts";
import { indexOfSessions } from "../../reports/indexed.ts";

function found(index: Index, text: string, options: SearchOptions = {}): string[] {
  const { hits } = searchEntries(index, text, { substring: true, limit: 0, ...options });
  return hits.map(({ entryId }) => String(entryId)).sort();
}

describe("a text with words in it", () => {
  const orchard = session()
    .user("Which (old) apple keeps best?", { id: "aaaa0001" })
    .assistant({ text: "The [old] apple; apples keep." }, { id: "aaaa0002" })
    .user("old-apples, OLD apple", { id: "aaaa0003" });

  test.each([
    ["(old) apple", ["aaaa0001"]],
    [") apple", ["aaaa0001"]],
    ["d) appl", ["aaaa0001"]],
    ["] apple", ["aaaa0002"]],
    ["ld] apple; apple", ["aaaa0002"]],
    [" apple", ["aaaa0001", "aaaa0002", "aaaa0003"]],
    ["-apples, OLD ", ["aaaa0003"]],
    ["-apples, old ", []],
    ["no such words", []],
  ])("%s is found where it stands, letter for letter", (text, expected) => {
    expect(found(indexOfSessions(orchard), text)).toEqual(expected);
  });

  test("is looked for in the entries that hold its words only", () => {
    const index = indexOfSessions(orchard);
    expect(candidatesOf(index, "(old) apple")).toHaveLength(3);
    expect(candidatesOf(index, ", OLD a")).toHaveLength(3);
    expect(candidatesOf(index, "keeps best?")).toHaveLength(1);
    expect(candidatesOf(index, "e keeps")).toHaveLength(2);
    expect(candidatesOf(index, "; nosuch ")).toEqual([]);
    expect(candidatesOf(index, "] apple; apples k")).toHaveLength(1);
    expect(candidatesOf(index, " apple (old) ")).toEqual([]);
  });

  test.each(["apple", "ld) ap", "-()", "梨apple 梨", "日本apples"])(
    "%j tells nothing: no word in it is surely whole",
    (text) => {
      expect(candidatesOf(indexOfSessions(orchard), text)).toBeNull();
    },
  );

  test("is found where an accent follows it", () => {
    const index = indexOfSessions(session().user("the cafe\u0301 there", { id: "aaaa0001" }));
    expect(found(index, "the cafe")).toEqual(["aaaa0001"]);
    expect(found(index, " cafe")).toEqual(["aaaa0001"]);
  });

  test("is found however long it is, and a word in it", () => {
    const words = Array.from({ length: 40 }, (_, n) => `w${n}`).join(" ");
    const said = `x ${words} ${"long".repeat(20_000)} (end) — „after“ it`;
    const index = indexOfSessions(session().user(said, { id: "aaaa0001" }).user(`x ${words}`));
    expect(found(index, said)).toEqual(["aaaa0001"]);
    expect(found(index, said.slice(100))).toEqual(["aaaa0001"]);
    expect(found(index, ` ${"long".repeat(20_000)} (end) — „after“ i`)).toEqual(["aaaa0001"]);
  });

  test("may be longer than the full text takes in only in lines that the index of long ones holds", () => {
    const { output, callArguments } = INDEXED;
    expect(Math.min(output, callArguments)).toBeGreaterThanOrEqual(65_536);
  });

  test("is found beyond what the full text takes in of one text", () => {
    const output = `${"pear ".repeat(20_000)} beyond (the) orchard`;
    const index = indexOfSessions(session().user("x").toolResult(output, {}, { id: "aaaa0002" }));
    expect(searchEntries(index, "orchard").total).toBe(0);
    expect(found(index, "beyond (the) orchard")).toEqual(["aaaa0002"]);
  });

  test("is found in what the full text has not taken in yet, or could not read in its turn", () => {
    const store = new Store();
    const built = session().user("an (old) apple", { id: "aaaa0001" });
    store.write("a.jsonl", built.bytes());
    store.sync();
    expect(found(store.index, "(old) apple")).toEqual(["aaaa0001"]);
    store.write("a.jsonl", "");
    store.feed();
    store.write("a.jsonl", built.bytes());
    store.sync({ now: LATER });
    expect(found(store.index, "(old) apple")).toEqual(["aaaa0001"]);
  });

  test("is found where the full text is damaged", () => {
    const store = new Store();
    store.write("a.jsonl", session().user("an (old) apple", { id: "aaaa0001" }).bytes());
    store.sync();
    store.feed();
    const { location } = store.index;
    store.close();
    writeFileSync(location.searchPath, "no database at all, and longer than its header".repeat(200));
    const index = openIndex(location);
    onTestFinished(() => index.close());
    expect(() => searchEntries(index, "apple")).toThrow("damaged");
    expect(found(index, "(old) apple")).toEqual(["aaaa0001"]);
  });

  test("comes newest first, as many as are wanted with all their copies", () => {
    const parent = session({ id: "p" }).user("an (old) apple").user("an (old) apple").user("an (old) apple");
    const index = indexOfSessions(parent, parent.fork({ id: "f" }));
    const answer = searchEntries(index, "(old) apple", { substring: true, limit: 2 });
    expect(answer).toMatchObject({ isTotalExact: false, totalIs: "atLeast" });
    const ids = parent.entries.map(({ id }) => id);
    expect(answer.hits.map(({ entryId, copies }) => [entryId, copies.length])).toEqual([
      [ids[2], 1],
      [ids[1], 1],
    ]);
    const all = searchEntries(index, "(old) apple", { substring: true, limit: 3 });
    expect(all).toMatchObject({ total: 3, isTotalExact: true, totalIs: "exact" });
    expect(found(index, "(old) apple", { sort: "oldest", limit: 1 })).toEqual([ids[0]]);
  });
});

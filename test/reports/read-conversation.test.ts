import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConversation, readOutline } from "../../src/api/queries.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { readSession } from "../helpers/independent-read.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "./indexed.ts";
import { happenIn, happenings } from "./waste/wasteful-store.ts";

test("pieces of a conversation, put together, are the lines of its branch", () => {
  fc.assert(
    fc.property(happenings, fc.integer({ min: 1, max: 9 }), (drawn, count) => {
      const root = tempDir();
      const path = happenIn(session({ id: "drawn" }), drawn).writeBelow(root);
      const index = indexOf(root);
      const entries = readSession(path)?.entries ?? [];
      // From the last line to the root, by the ids that the lines state.
      const byId = new Map(entries.map((each) => [each.id, each.value]));
      const branch: unknown[] = [];
      for (let at = entries.at(-1)?.value; at !== undefined; at = byId.get(String(at.parentId)))
        branch.unshift(at);
      const read: unknown[] = [];
      const { total } = readConversation(index, "drawn");
      for (let from = 0; from < total; from += count) {
        const piece = readConversation(index, "drawn", { from, count, reveal: true });
        expect(piece.entries.map(({ place }) => place)).toEqual(piece.entries.map((_, at) => from + at));
        read.push(...piece.entries.map(({ entry }) => entry));
      }
      expect(read).toEqual(branch);
      const { items } = readOutline(index, "drawn");
      const all = readConversation(index, "drawn", { count: 0 }).entries;
      const prompts = all.filter(({ role }) => role === "user").map(({ place }) => place);
      expect(items.filter(({ kind }) => kind === "prompt").map(({ place }) => place)).toEqual(prompts);
      for (const { place, costSoFar } of items) {
        const cost = all.slice(0, place + 1).reduce((sum, each) => sum + each.cost, 0);
        expect(costSoFar).toBeCloseTo(cost, 9);
      }
    }),
    { numRuns: runs(15) },
  );
});

test("an outline has labels, compactions and the branches that leave", () => {
  const built = session({ id: "outlined" }).user("begin").assistant({ text: "first" });
  const fork = built.lastId ?? "";
  built.user("one way").assistant({ text: "there" });
  const end = built.lastId;
  built
    .branchFrom(fork)
    .user("another way")
    .assistant({ text: "here" })
    .compaction("so far")
    .label(fork, "start");
  const { items, total, session: found } = readOutline(indexOfSessions(built), "outlined");
  expect(found.id).toBe("outlined");
  expect(total).toBe(6);
  expect(items.map(({ kind, text, place }) => [kind, text, place])).toEqual([
    ["prompt", "begin", 0],
    ["label", "start", 1],
    ["branches", "", 1],
    ["prompt", "another way", 2],
    ["compaction", "so far", 4],
  ]);
  expect(items[2]?.branches).toEqual([{ id: end, line: 5, text: "one way" }]);
});

test("an outline says where on its branch the named entry stands, and where the branch ends", () => {
  const built = session({ id: "places" }).user("begin").assistant({ text: "first" });
  const fork = built.lastId ?? "";
  const end = built.user("one way").lastId;
  built.branchFrom(fork).user("another way");
  const index = indexOfSessions(built);
  const seen = (name: string, branch?: string) => {
    const { place, last } = readOutline(index, name, branch === undefined ? {} : { branch });
    return [place, last];
  };
  const current = { id: built.lastId, line: 5 };
  expect(seen("places")).toEqual([null, current]);
  expect(seen("places:3")).toEqual([1, current]);
  expect(seen("places:4")).toEqual([2, { id: end, line: 4 }]);
  expect(seen("places:3", ":4")).toEqual([1, { id: end, line: 4 }]);
  expect(seen("places:5", ":4")).toEqual([null, { id: end, line: 4 }]);
});

test("another branch is named by any of its entries, or in the name of the session", () => {
  const built = session({ id: "named" }).user("begin").assistant({ text: "first" });
  const fork = built.lastId ?? "";
  built.user("one way").branchFrom(fork).user("another way");
  const index = indexOfSessions(built);
  const said = (name: string, branch?: string) =>
    readConversation(index, name, branch === undefined ? {} : { branch }).entries.at(-1)?.line;
  expect([said("named"), said("named", ":4"), said("named:4")]).toEqual([5, 4, 4]);
  expect(() => readConversation(index, "named", { branch: "nosuch" })).toThrow("no entry");
  expect(() => readConversation(index, "nosuch")).toThrow("nosuch");
  expect(() => readConversation(index, "named", { from: -1 })).toThrow("from");
  expect(() => readOutline(index, "named", JSON.parse('{"from":1}'))).toThrow("from");
});

test("secrets are masked unless they are to be revealed, and what is not in the file any more is null", () => {
  const root = tempDir();
  const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const path = session({ id: "secret" }).user(`my ${token}`).writeBelow(root);
  const index = indexOf(root);
  const text = (reveal: boolean) => JSON.stringify(readConversation(index, "secret", { reveal }).entries);
  expect(text(false)).toContain("my [masked GitHub token]");
  expect(text(true)).toContain(token);
  expect(JSON.stringify(readOutline(index, "secret"))).not.toContain(token.slice(8));
  writeFileSync(path, "\n".repeat(2000));
  expect(readConversation(index, "secret").entries).toEqual([
    expect.objectContaining({ place: 0, entry: null }),
  ]);
});

test("an offset leaves out the first, whatever they are sorted by", () => {
  const root = tempDir();
  for (const [at, name] of ["a", "b", "c", "d", "e"].entries())
    session({ id: name, timestamp: `2026-11-0${1 + Math.floor(at / 2)}T10:00:00Z` })
      .user(name)
      .write(join(root, "--p--", `${name}.jsonl`));
  const index = indexOf(root);
  for (const key of ["modified", "title", "cost"] as const) {
    const sort = { key, descending: true };
    const all = listSessions(index, { sort }).sessions.map(({ id }) => id);
    for (const offset of [0, 1, 3, 7])
      for (const limit of [0, 1, 2]) {
        const { sessions, total } = listSessions(index, { sort, offset, limit });
        expect(sessions.map(({ id }) => id)).toEqual(
          all.slice(offset, limit === 0 ? undefined : offset + limit),
        );
        expect(total).toBe(5);
      }
  }
});

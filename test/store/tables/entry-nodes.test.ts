import { expect, test, vi } from "vitest";
import { resolveSession } from "../../../src/filters/resolve-session.ts";
import { readBody } from "../../../src/store/tables/entry-bodies.ts";
import { readSessionNodes, type SessionNodes } from "../../../src/store/tables/entry-nodes.ts";
import { type SessionBuilder, session } from "../../helpers/session-builder.ts";
import { indexOfSessions } from "../../reports/indexed.ts";

function nodesOf(built: SessionBuilder): SessionNodes {
  const index = indexOfSessions(built);
  return readSessionNodes(index, resolveSession(index, built.id));
}

/** a → b → c, and beside c: d → e, where the file ends. */
function branched(): SessionBuilder {
  return session()
    .user("a", { id: "aaaa0001" })
    .assistant({ text: "b" }, { id: "bbbb0001" })
    .user("c", { id: "cccc0001" })
    .branchFrom("bbbb0001")
    .user("d", { id: "dddd0001" })
    .assistant({ text: "e" }, { id: "eeee0001" });
}

const ids = (nodes: readonly { entryId: string | null }[]) =>
  nodes.map(({ entryId }) => entryId?.slice(0, 1));

test("the active branch leads from the root to the last entry of the file", () => {
  const nodes = nodesOf(branched());
  expect(ids(nodes.pathTo(nodes.leaf))).toEqual(["a", "b", "d", "e"]);
});

test("a branch goes through an entry and on to its end", () => {
  const nodes = nodesOf(branched());
  expect(ids(nodes.branchThrough(nodes.named("cccc0001")))).toEqual(["a", "b", "c"]);
  expect(ids(nodes.branchThrough(nodes.named("bbbb0001")))).toEqual(["a", "b", "d", "e"]);
});

test("a branch that was left goes on to its end, where it divides with what was said last", () => {
  const built = session().user("a", { id: "a" }).user("b", { id: "b" }).user("c", { id: "c" });
  built.branchFrom("b").user("d", { id: "d" }).user("e", { id: "e" }).branchFrom("a").user("f", { id: "f" });
  const nodes = nodesOf(built);
  expect(ids(nodes.branchThrough(nodes.named("b")))).toEqual(["a", "b", "d", "e"]);
  expect(ids(nodes.branchThrough(nodes.named("c")))).toEqual(["a", "b", "c"]);
});

test("in tree order a branch ends before the next one begins, with the depth of each entry", () => {
  const placed = [...nodesOf(branched()).inTreeOrder()];
  expect(placed.map(({ node, depth }) => [node.entryId?.slice(0, 1), depth])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["d", 2],
    ["e", 3],
  ]);
});

test("what follows an entry stands oldest first, of one time in the order of the file, what states none before all", () => {
  const built = session().user("a", { id: "a" });
  const times = { e: "2026-01-03T00:00:00Z", c: "2026-01-02T00:00:00Z", d: "2026-01-02T00:00:00Z", b: "" };
  for (const [id, timestamp] of Object.entries(times)) built.user(id, { id, parentId: "a", timestamp });
  expect([...nodesOf(built).inTreeOrder()].map(({ node }) => node.entryId)).toEqual([
    "a",
    "b",
    "c",
    "d",
    "e",
  ]);
});

test("an entry is named by its id, the beginning of it, and its line", () => {
  const nodes = nodesOf(branched());
  for (const name of ["cccc0001", "cc", ":4"]) expect(nodes.named(name).entryId).toBe("cccc0001");
  expect(() => nodes.named("zz")).toThrow(/no entry "zz"/);
  expect(() => nodes.named("")).toThrow(/no entry/);
  expect(() => nodes.named(":1")).toThrow(/no entry/);
});

test("an ambiguous beginning of an entry's id is an error with the candidates", () => {
  const nodes = nodesOf(session().user("one", { id: "aa01" }).user("two", { id: "aa02" }));
  expect(() => nodes.named("aa")).toThrow(
    expect.objectContaining({ code: "ambiguous", choices: ["aa01  user  one", "aa02  user  two"] }),
  );
});

test("A22, A23, A24: cycles, repeated ids and unknown parents end, and every entry stands in the tree once", () => {
  const damaged = session()
    .user("1", { id: "x", parentId: "y" })
    .user("2", { id: "y", parentId: "x" })
    .user("3", { id: "self", parentId: "self" })
    .user("4", { id: "orphan", parentId: "nobody" })
    .user("5", { id: "x", parentId: "orphan" });
  const nodes = nodesOf(damaged);
  const lines = [...nodes.inTreeOrder()].map(({ node }) => node.line);
  expect(lines.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
  expect(nodes.branchThrough(nodes.named("y")).length).toBeLessThanOrEqual(5);
});

test("A23: a branch that goes round ends before the entry that would come again", () => {
  const circle = session()
    .user("1", { id: "p", parentId: "r" })
    .user("2", { id: "q", parentId: "p" })
    .user("3", { id: "r", parentId: "q" })
    .user("4", { id: "z", parentId: null });
  const nodes = nodesOf(circle);
  expect(ids(nodes.pathTo(nodes.named("q")))).toEqual(["r", "p", "q"]);
  expect(ids(nodes.branchThrough(nodes.named("q")))).toEqual(["r", "p", "q"]);
});

test("what stands above and below an entry is told without a walk through all of its branch", () => {
  const built = session();
  for (let i = 0; i < 300; i++) built.user(String(i));
  const nodes = nodesOf(built);
  const steps = vi.spyOn(nodes, "parentOf");
  for (const node of nodes.all) {
    const [[above], [below]] = [nodes.above(node), nodes.below(node)];
    expect([above?.line ?? 1, below?.line ?? 302]).toEqual([node.line - 1, node.line + 1]);
  }
  expect(steps.mock.calls.length).toBeLessThan(3 * 300);
});

test("A33: a chain of 20,000 entries is walked without a deep stack", () => {
  const long = session();
  for (let i = 0; i < 20_000; i++) long.user(String(i));
  const nodes = nodesOf(long);
  expect(nodes.pathTo(nodes.leaf)).toHaveLength(20_000);
  expect([...nodes.inTreeOrder()].at(-1)?.depth).toBe(19_999);
});

test.each(["5", "[1]", '"text"', "null", "{torn"])(
  "A12: the entries of a version 1 file follow one another, whatever else stands between them: %s",
  (line) => {
    const nodes = nodesOf(session({ version: 1 }).user("old").raw(line).assistant({ text: "answer" }));
    expect(nodes.pathTo(nodes.leaf).map((node) => node.line)).toEqual([2, 4]);
  },
);

test("the entries of a version 1 file have names, and are read back as they were written", () => {
  const nodes = nodesOf(session({ version: 1 }).user("old").assistant({ text: "answer" }));
  expect(ids(nodes.pathTo(nodes.leaf))).toHaveLength(2);
  const [first] = nodes.all;
  const body = first && readBody(first);
  expect(JSON.parse(String(body?.bytes))).not.toHaveProperty("id");
  expect(body?.entry).toMatchObject({ id: "v1-2", message: { content: "old" } });
});

test("a line names its entry, and one of several entries by its place in the line", () => {
  const whole = {
    type: "message",
    timestamp: "2026-01-01T00:00:00Z",
    message: { role: "user", content: "x" },
  };
  const [one, two] = ["one", "two"].map((id) => JSON.stringify({ ...whole, id, parentId: null }));
  const nodes = nodesOf(session().user("first", { id: "first" }).raw(`${one}${two}`));
  expect(nodes.named(":2").entryId).toBe("first");
  expect([":3.1", ":3.2", ":2.1"].map((name) => nodes.named(name).entryId)).toEqual(["one", "two", "first"]);
  expect(() => nodes.named(":3")).toThrowError(/line 3 holds 2 entries/);
  for (const name of [":3.3", ":2.2", ":9", ":3.0"])
    expect(() => nodes.named(name)).toThrowError(/has no entry/);
});

import { expect, test } from "vitest";
import { parseSessionEntries } from "../../src/format/parse.ts";
import { type SessionTreeNode, treeNodes } from "../../src/session/entry-tree.ts";
import { MemoryTree } from "../../src/session/memory-tree.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";

const nodesOf = (built: SessionBuilder) =>
  treeNodes(new MemoryTree(parseSessionEntries(built.bytes().toString())));

/** `a(b c(d))` */
function drawn(nodes: SessionTreeNode[]): string {
  return nodes
    .map(({ entry, children }) => entry.id + (children.length > 0 ? `(${drawn(children)})` : ""))
    .join(" ");
}

test("children come oldest first, roots in file order", () => {
  const built = session()
    .user("root", { id: "a", timestamp: "2026-01-03T00:00:00.000Z" })
    .user("late", { id: "late", parentId: "a", timestamp: "2026-01-02T00:00:00.000Z" })
    .user("early", { id: "early", parentId: "a", timestamp: "2026-01-01T00:00:00.000Z" })
    .user("root", { id: "b", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" });
  expect(drawn(nodesOf(built))).toBe("a(early late) b");
});

test("an unknown parent and the entry itself make a root", () => {
  const built = session().user("1", { id: "a", parentId: "gone" }).user("2", { id: "b", parentId: "b" });
  expect(drawn(nodesOf(built))).toBe("a b");
});

test("labels stand at their targets, with the time they were set", () => {
  const [root] = nodesOf(session().user("1", { id: "a" }).label("a", "here", { timestamp: "then" }));
  expect(root).toMatchObject({ label: "here", labelTimestamp: "then" });
  expect(root?.children[0]).toHaveProperty("label", undefined);
});

test("A33: a chain of 50,000 entries does not overflow the stack", () => {
  const built = session();
  for (let at = 0; at < 50_000; at++) built.custom("n", at);
  const [root] = nodesOf(built);
  let depth = 0;
  for (let node = root; node; node = node.children[0]) depth++;
  expect(depth).toBe(50_000);
});

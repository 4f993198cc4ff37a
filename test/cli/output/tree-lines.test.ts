import { expect, test } from "vitest";
import { drawTree } from "../../../src/cli/output/tree-lines.ts";
import { type EntryNode, SessionNodes } from "../../../src/store/tables/entry-nodes.ts";

function node(key: number, parentKey: number | null): EntryNode {
  const place = { realPath: "/a.jsonl", offset: 0, length: 1, line: key, version: 3 };
  const parentId = parentKey === null ? null : String(parentKey);
  const said = { type: "message", role: "user", tool: null, preview: "", label: null, isError: false };
  return { ...place, ...said, key, entryId: String(key), parentId, timestamp: key };
}

/** Each entry of odd key has two children, and the second of them the next two. */
function nested(branchings: number): SessionNodes {
  const pairs = Array.from({ length: branchings }, (_, at) => [
    node(2 * at + 2, 2 * at + 1),
    node(2 * at + 3, 2 * at + 1),
  ]);
  return new SessionNodes([node(1, null), ...pairs.flat()]);
}

const all = () => true;

test("rails that are too wide lose their left part, at each branching anew", () => {
  const lines = drawTree(nested(7), all, 45);
  expect(lines.slice(-6).map(({ rails }) => rails)).toEqual([
    "            ├─ ",
    "            └─ ",
    "…           ├─ ",
    "…           └─ ",
    "…           ├─ ",
    "…           └─ ",
  ]);
});

test("a tree of thousands of branchings in each other takes no more room for each of them", () => {
  const nodes = nested(4000);
  const before = process.memoryUsage().heapUsed;
  const lines = drawTree(nodes, all);
  const taken = process.memoryUsage().heapUsed - before;
  expect([lines.length, lines.at(-1)?.rails.length]).toEqual([8001, 30]);
  // Whole rails of all lines take 70 MB.
  expect(taken).toBeLessThan(30_000_000);
});

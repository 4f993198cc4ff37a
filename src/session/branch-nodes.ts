import type { ContextView } from "../format/context.ts";
import type { SessionEntry } from "../format/types.ts";
import type { IndexNode, IndexPrefix } from "./index-prefix.ts";

/** A place on a branch: a row of the index, or an entry after what the index has read. */
export type BranchNode = { row: IndexNode } | { entry: SessionEntry };

/** The entries of nodes, in their order; those that the index knows are read from the file. */
export function bodiesOf(prefix: IndexPrefix, nodes: readonly BranchNode[]): SessionEntry[] {
  const bodies = prefix.bodies(nodes.flatMap((node) => ("row" in node ? [node.row] : [])));
  let next = 0;
  return nodes.map((node) => ("row" in node ? (bodies[next++] as SessionEntry) : node.entry));
}

/** Nodes as the making of a context looks at them: bodies are read only where they are needed. */
export function viewOf(prefix: IndexPrefix): ContextView<BranchNode> {
  return {
    id: (node) => ("row" in node ? node.row.id : node.entry.id),
    type: (node) => ("row" in node ? node.row.type : node.entry.type),
    role: (node) => {
      if ("row" in node) return node.row.role ?? "";
      return node.entry.type === "message" ? node.entry.message.role : "";
    },
    firstKeptEntryId: (node) => {
      const [entry] = bodiesOf(prefix, [node]);
      return entry?.type === "compaction" ? entry.firstKeptEntryId : "";
    },
    read: (nodes) => bodiesOf(prefix, nodes),
  };
}

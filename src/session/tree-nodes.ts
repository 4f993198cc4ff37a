import type { SessionEntry } from "../format/types.ts";
import type { EntryTree } from "./entry-tree.ts";

/** A node of `getTree`: an entry with its children, oldest first. */
export interface SessionTreeNode {
  entry: SessionEntry;
  children: SessionTreeNode[];
  label?: string;
  /** The time of the entry that set the label. */
  labelTimestamp?: string;
}

/**
 * The session as trees, roots in file order. An entry whose parent is null, itself or unknown is a root. If several
 * entries have one id, the last one's node stands in the place of each, as in pi; where that would make a node its own
 * ancestor, it is left out (pi never returns).
 */
export function treeNodes(tree: EntryTree): SessionTreeNode[] {
  const entries = tree.entries();
  const nodes = new Map<string, SessionTreeNode>();
  for (const entry of entries) {
    const resolved = tree.label(entry.id);
    const { label, timestamp: labelTimestamp } = resolved ?? {};
    // Both fields are always there, as in pi's.
    nodes.set(entry.id, { entry, children: [], label, labelTimestamp } as SessionTreeNode);
  }
  const roots: SessionTreeNode[] = [];
  for (const { id, parentId } of entries) {
    const node = nodes.get(id);
    const parent = parentId === null || parentId === id ? undefined : nodes.get(parentId);
    if (node) (parent?.children ?? roots).push(node);
  }
  sortChildren(roots);
  return roots;
}

/** Deep trees would overflow the call stack, so the walk keeps its own. */
function sortChildren(roots: readonly SessionTreeNode[]): void {
  const ancestors = new Set<SessionTreeNode>();
  const done = new Set<SessionTreeNode>();
  const stack = [...roots].reverse().map((node) => ({ node, leaving: false }));
  for (let step = stack.pop(); step; step = stack.pop()) {
    const { node, leaving } = step;
    if (leaving) ancestors.delete(node);
    if (leaving || done.has(node)) continue;
    done.add(node);
    ancestors.add(node);
    node.children = node.children.filter((child) => !ancestors.has(child)).sort(byTimestamp);
    stack.push({ node, leaving: true });
    for (const child of node.children) stack.push({ node: child, leaving: false });
  }
}

function byTimestamp(a: SessionTreeNode, b: SessionTreeNode): number {
  return new Date(a.entry.timestamp).getTime() - new Date(b.entry.timestamp).getTime();
}

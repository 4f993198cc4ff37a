import type { EntryNode, PlacedNode, SessionNodes } from "../../store/tables/entry-nodes.ts";

export interface TreeLine {
  node: EntryNode;
  /** The lines of the tree to the left of the entry. */
  rails: string;
}

const TEE = { child: "├─ ", below: "│  " };
const END = { child: "└─ ", below: "   " };
/** Wider rails than this, or than a third of the width, lose their left part, which is the same on all lines around. */
const MOST_RAILS = 30;
/** What one step takes, with the sign that something is left out. */
const LEAST_RAILS = 1 + TEE.child.length;

/**
 * The entries that are shown, one a line, indented only where the conversation branches: what follows without a
 * branch stands straight below. Entries that are not shown give their children to the entry above. `width`: the columns
 * of a whole line.
 */
export function drawTree(
  nodes: SessionNodes,
  isShown: (placed: PlacedNode) => boolean,
  width = Number.POSITIVE_INFINITY,
): TreeLine[] {
  const mostRails = Math.max(LEAST_RAILS, Math.min(MOST_RAILS, Math.floor(width / 3)));
  const { roots, children } = shownTree(nodes, isShown);
  const lines: TreeLine[] = [];
  const stack = railsFor(roots, "", mostRails).reverse();
  for (let at = stack.pop(); at; at = stack.pop()) {
    lines.push({ node: at.node, rails: at.rails });
    for (const below of railsFor(children.get(at.node) ?? [], at.below, mostRails).reverse())
      stack.push(below);
  }
  return lines;
}

interface Railed {
  node: EntryNode;
  rails: string;
  /** The rails of what stands below it. */
  below: string;
}

/** Rails are cut at each branching: uncut, those of a thousand branchings in each other would be 5 MB. */
function railsFor(siblings: readonly EntryNode[], rails: string, most: number): Railed[] {
  if (siblings.length === 1) return siblings.map((node) => ({ node, rails, below: rails }));
  return siblings.map((node, index) => {
    const { child, below } = index === siblings.length - 1 ? END : TEE;
    return { node, rails: cutRails(rails + child, most), below: cutRails(rails + below, most) };
  });
}

/** What has been cut may go on, and be cut again. */
function cutRails(rails: string, most: number): string {
  return rails.length <= most ? rails : `…${rails.slice(1 - most)}`;
}

function shownTree(
  nodes: SessionNodes,
  isShown: (placed: PlacedNode) => boolean,
): { roots: EntryNode[]; children: Map<EntryNode, EntryNode[]> } {
  const roots: EntryNode[] = [];
  const children = new Map<EntryNode, EntryNode[]>();
  /** The nearest shown entry at or above each. */
  const nearest = new Map<EntryNode, EntryNode>();
  for (const placed of nodes.inTreeOrder()) {
    const parent = nodes.parentOf(placed.node);
    const above = parent === null ? undefined : nearest.get(parent);
    if (!isShown(placed)) {
      if (above !== undefined) nearest.set(placed.node, above);
      continue;
    }
    nearest.set(placed.node, placed.node);
    const siblings = above === undefined ? roots : children.get(above);
    if (siblings !== undefined) siblings.push(placed.node);
    else if (above !== undefined) children.set(above, [placed.node]);
  }
  return { roots, children };
}

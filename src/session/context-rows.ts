import type { ContextView } from "../format/context.ts";
import type { SessionEntry } from "../format/types.ts";
import type { IndexedPrefix, IndexNode } from "./indexed-prefix.ts";

/**
 * The rows of a branch that the model's context can depend on, root first: all of them where nothing was
 * compacted; else what the latest compaction kept and what follows it, and before that the entries that state
 * the settings in force. `tail` has the entries of the branch that come after those of the index.
 */
export function rowsForContext(
  prefix: IndexedPrefix,
  leaf: IndexNode,
  tail: readonly SessionEntry[],
): IndexNode[] {
  const walk = new BranchWalk(prefix, leaf);
  const boundaries = prefix.boundaries(leaf.key);
  const low = firstKeyInContext(prefix, walk, boundaries, tail);
  if (low === null) return walk.downTo(0);
  const rows = low > leaf.key ? [] : walk.downTo(low);
  const thinking = boundaries.find((row) => row.type === "thinking_level_change" && walk.has(row));
  const stating = [thinking, walk.latest(statesModel)].filter((row) => row !== undefined);
  const before = stating.filter((row) => row.key < low).sort((a, b) => a.key - b.key);
  return [...before, ...rows];
}

function statesModel(row: IndexNode): boolean {
  return row.type === "model_change" || row.role === "assistant";
}

/**
 * Null when nothing was compacted. The latest compaction counts, so one in the tail comes before those of the index.
 */
function firstKeyInContext(
  prefix: IndexedPrefix,
  walk: BranchWalk,
  boundaries: readonly IndexNode[],
  tail: readonly SessionEntry[],
): number | null {
  const inTail = tail.findLast((entry) => entry.type === "compaction");
  if (inTail?.type === "compaction") {
    return prefix.byId(inTail.firstKeptEntryId)?.key ?? Number.MAX_SAFE_INTEGER;
  }
  const row = boundaries.find((each) => each.type === "compaction" && walk.has(each));
  if (row === undefined) return null;
  const [compaction] = prefix.bodies([row]);
  const firstKept = compaction?.type === "compaction" ? prefix.byId(compaction.firstKeptEntryId) : undefined;
  return Math.min(firstKept?.key ?? row.key, row.key);
}

/** How many rows are read at once when it is not known how far to go. */
const STRIDE_KEYS = 1000;

/** A branch in the index, read from its leaf only as far as it is needed, and no part of it twice. */
class BranchWalk {
  readonly #prefix: IndexedPrefix;
  readonly #leaf: IndexNode;
  /** What has been read, the leaf first. */
  readonly #rows: IndexNode[] = [];
  readonly #keys = new Set<number>();
  /** The entry that comes next on the way to the root; null beyond the root. */
  #next: number | null;
  /** Rows down to this key have been read. */
  #low = Number.POSITIVE_INFINITY;

  constructor(prefix: IndexedPrefix, leaf: IndexNode) {
    this.#prefix = prefix;
    this.#leaf = leaf;
    this.#next = leaf.key;
  }

  /** The rows of the branch with keys from `low` on, root first. */
  downTo(low: number): IndexNode[] {
    this.#readTo(low);
    return this.#rows.filter((row) => row.key >= low).reverse();
  }

  has(row: IndexNode): boolean {
    if (this.#prefix.facts.isLinear) return row.key <= this.#leaf.key;
    this.#readTo(row.key);
    return this.#keys.has(row.key);
  }

  latest(matches: (row: IndexNode) => boolean): IndexNode | undefined {
    for (let stride = STRIDE_KEYS; ; stride *= 4) {
      const found = this.#rows.find(matches);
      if (found !== undefined || this.#low <= 0) return found;
      this.#readTo(Math.max(0, Math.min(this.#low, this.#leaf.key) - stride));
    }
  }

  #readTo(low: number): void {
    if (low >= this.#low) return;
    const more = this.#next === null ? [] : this.#prefix.branch(this.#next, low);
    for (const row of more.reverse()) {
      this.#rows.push(row);
      this.#keys.add(row.key);
      this.#next = row.parentKey;
    }
    this.#low = low;
  }
}

/** A place on a branch: a row of the index, or an entry after what the index has read. */
export type BranchNode = { row: IndexNode } | { entry: SessionEntry };

/** The entries of nodes, in their order; those that the index knows are read from the file. */
export function bodiesOf(prefix: IndexedPrefix, nodes: readonly BranchNode[]): SessionEntry[] {
  const bodies = prefix.bodies(nodes.flatMap((node) => ("row" in node ? [node.row] : [])));
  let next = 0;
  return nodes.map((node) => ("row" in node ? (bodies[next++] as SessionEntry) : node.entry));
}

/** Nodes as the making of a context looks at them: bodies are read only where they are needed. */
export function viewOf(prefix: IndexedPrefix): ContextView<BranchNode> {
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

/** What `SessionManager` asks about the entries of one session: one contract, whatever holds them. */
import type { SessionContext, SessionProjection } from "../format/context.ts";
import type { FileEntry, SessionEntry, SessionHeader } from "../format/types.ts";

export interface ResolvedLabel {
  targetId: string;
  label: string;
  /** The time of the entry that set it, as it stands in the file. */
  timestamp: string;
}

/**
 * The entries of a session by id, children, branch and label. Entries are only ever added.
 *
 * Files are not validated: ids can repeat (the id stands for the later entry, both are listed), parents can
 * be unknown (the entry is a root) or form cycles (a branch ends before the first entry it would repeat).
 * Entries are handed out as they stand in the file; the same entry is the same object every time.
 */
export interface EntryTree {
  readonly header: SessionHeader | null;
  /** The number of different ids. */
  readonly size: number;
  /** The last entry in file order, which is the leaf of a session just opened. */
  readonly last: SessionEntry | undefined;

  has(id: string): boolean;
  get(id: string): SessionEntry | undefined;
  /** Entries that name `parentId` as their parent, in the order in which their ids first appear. */
  children(parentId: string): SessionEntry[];
  /** From the root to the entry itself; empty for an unknown id. */
  branch(id: string): SessionEntry[];
  /** Whether an entry lies on the branch of another. Both ids are known. */
  isOnBranch(id: string, leafId: string): boolean;
  /** All entries in file order, without headers. The array is the caller's. */
  entries(): SessionEntry[];

  /** The context of a leaf. For null there is none; for an unknown or empty id it is that of the last entry. */
  contextEntries(leafId: string | null): SessionEntry[];
  projection(leafId: string | null): SessionProjection;
  context(leafId: string | null): SessionContext;

  label(targetId: string): ResolvedLabel | undefined;
  /** Labels in force, in the order in which their targets got one (again, if it was cleared in between). */
  labels(): Iterable<ResolvedLabel>;
  /** The latest name, trimmed; undefined where there is none or it was cleared. */
  name(): string | undefined;

  /** Everything a file of this session has to hold, headers included. */
  fileEntries(): Iterable<FileEntry>;
  /** Adds an entry at the end. Its id must be new. */
  push(entry: SessionEntry): void;
}

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

import { SessionDbError } from "../errors.ts";
import { type NameOptions, resolvePlace } from "../filters/resolve-session.ts";
import type { Index } from "../store/open.ts";
import { deletionEpoch, inOneState } from "../store/statements.ts";
import { loadCursor } from "../store/tables/cursors.ts";
import { assertFileReadable } from "../store/tables/entry-bodies.ts";
import { type EntryNode, readSessionNodes, type SessionNodes } from "../store/tables/entry-nodes.ts";
import type { SessionRef } from "../store/tables/session-ref.ts";
import { type EntryCost, entryCosts } from "../store/tables/usage-rows.ts";
import type { Session } from "./answers.ts";
import { readListedSession } from "./sessions.ts";

export interface BranchOptions extends NameOptions {
  /** An entry (its id, the beginning of that, or `:LINE`): the branch it is on, instead of the one that the session is on. */
  branch?: string;
}

/** What stands at and below an entry: how many entries, and US dollars. */
export interface SubtreeSums {
  entries: number;
  cost: number;
}

/** The entries of a session with what each has cost, as the file states it. */
export class CostedTree {
  readonly nodes: SessionNodes;
  readonly #costs: ReadonlyMap<number, EntryCost>;
  /** Made when it is first asked for. */
  #sums: ReadonlyMap<EntryNode, SubtreeSums> | undefined;

  constructor(nodes: SessionNodes, costs: readonly EntryCost[]) {
    this.nodes = nodes;
    this.#costs = new Map(costs.map((each) => [each.key, each]));
  }

  /** US dollars. */
  costOf({ key }: EntryNode): number {
    return this.#costs.get(key)?.cost ?? 0;
  }

  /** Of the request that an entry holds the answer to: what was in the context then, and the answer. 0 where it holds none. */
  tokensAt({ key }: EntryNode): number {
    return this.#costs.get(key)?.totalTokens ?? 0;
  }

  sumsAt(node: EntryNode): SubtreeSums {
    this.#sums ??= this.#addUp();
    return this.#sums.get(node) ?? { entries: 1, cost: this.costOf(node) };
  }

  #addUp(): ReadonlyMap<EntryNode, SubtreeSums> {
    const sums = new Map<EntryNode, SubtreeSums>();
    for (const { node } of [...this.nodes.inTreeOrder()].reverse()) {
      const total = { entries: 1, cost: this.costOf(node) };
      for (const child of this.nodes.childrenOf(node)) {
        const below = sums.get(child);
        total.entries += below?.entries ?? 0;
        total.cost += below?.cost ?? 0;
      }
      sums.set(node, total);
    }
    return sums;
  }
}

export interface Branch {
  session: Session;
  tree: CostedTree;
  /** From its root to its end. */
  path: readonly EntryNode[];
  /** The entry that the name names beside the session: `16` in `01a0e225:16`. */
  named: EntryNode | undefined;
}

/** Sessions that are kept at once. */
const MOST_KEPT = 4;

/**
 * Conversations that are read again and again, piece by piece. The rows of the last few sessions are kept until any of
 * them changes: reading 40,000 takes half a second.
 */
export class OpenConversations {
  readonly #kept = new Map<string, { state: string; tree: CostedTree }>();

  /** @throws SessionDbError as `resolveSession`; `not_found` for an entry; `io` where the session file cannot be read */
  branchOf(index: Index, name: string, options: BranchOptions): Branch {
    return inOneState(index.database, () => {
      const { ref, entry } = resolvePlace(index, name, options);
      const session = readListedSession(index, ref.fileId, options.roots);
      if (session === undefined) throw new SessionDbError("not_found", "the session is gone");
      assertFileReadable(ref);
      const tree = this.#treeOf(index, ref);
      const { nodes } = tree;
      const named = entry === undefined ? undefined : nodes.named(entry);
      const through = options.branch === undefined ? named : nodes.named(options.branch);
      const path = through === undefined ? nodes.pathTo(nodes.leaf) : nodes.branchThrough(through);
      return { session, tree, path, named };
    });
  }

  #treeOf(index: Index, ref: SessionRef): CostedTree {
    // The Cursor moves with the rows of its file, but for those that are removed. What else it notes, as that the file has
    // come to rest, changes no row.
    const { generation, offset, provisionalLength, fingerprint } =
      loadCursor(index.database, ref.realPath) ?? {};
    const seen = { generation, offset, provisionalLength, fingerprint };
    const state = JSON.stringify([deletionEpoch(index.database), seen]);
    const known = this.#kept.get(ref.realPath);
    const tree =
      known?.state === state
        ? known.tree
        : new CostedTree(readSessionNodes(index, ref), entryCosts(index, ref));
    this.#kept.delete(ref.realPath);
    this.#kept.set(ref.realPath, { state, tree });
    const [oldest] = this.#kept.size > MOST_KEPT ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    return tree;
  }
}

import { choicesOf, SessionDbError } from "../../errors.ts";
import { isByPerson } from "../../format/entry.ts";
import { speakerOf } from "../../format/speaker.ts";
import { shownPreview } from "../../text/preview.ts";
import { maskPreview } from "../../text/secrets.ts";
import type { Index } from "../open.ts";
import type { BodyPlace } from "./entry-bodies.ts";
import type { SessionRef } from "./session-ref.ts";

/** An entry of one session as the index knows it; `readBody` reads the rest from the file. */
export interface EntryNode extends BodyPlace {
  key: number;
  parentId: string | null;
  role: string | null;
  tool: string | null;
  /** Unix ms. */
  timestamp: number | null;
  isError: boolean;
  label: string | null;
  preview: string;
  /** From 1, where several entries stand in its line, as in an array file. */
  place?: number;
}

/** An entry with its place in the tree. */
export interface PlacedNode {
  node: EntryNode;
  /** How many entries stand above it. */
  depth: number;
  children: readonly EntryNode[];
}

/** Entries that a file's last ones hide. */
export interface HiddenWork {
  /** The first entry of the branch that hides them. */
  since: EntryNode;
  entries: readonly EntryNode[];
  newest: EntryNode;
}

const NODES = `SELECT e.key, e.line, e.offset, e.length, e.entry_id AS entryId, e.parent_id AS parentId, k.type, k.role,
    k.tool_name AS tool, e.timestamp, k.is_error AS isError, e.preview, l.label, s.version
  FROM entries e CROSS JOIN entry_kinds k ON k.id = e.kind JOIN sessions s ON s.file_id = e.file_id
  LEFT JOIN labels l ON l.file_id = e.file_id AND l.target_id = e.entry_id
  WHERE e.file_id = ? ORDER BY e.key`;

/** The entries of a session, from the index as it stands. */
export function readSessionNodes(index: Index, { fileId, realPath }: FileOfSession): SessionNodes {
  const rows = index.database.prepare(NODES).all(fileId) as NodeRow[];
  let place = 0;
  const nodes = rows.map((row, at): EntryNode => {
    place = rows[at - 1]?.line === row.line ? place + 1 : 1;
    const isAlone = place === 1 && rows[at + 1]?.line !== row.line;
    return { ...row, isError: row.isError === 1, realPath, ...(!isAlone && { place }) };
  });
  return new SessionNodes(nodes);
}

type FileOfSession = Pick<SessionRef, "fileId" | "realPath">;
interface NodeRow extends Omit<EntryNode, "isError" | "realPath"> {
  isError: number;
}

/**
 * The entries of one session as a tree. Of several entries with one id the last is meant. An entry is a root if its parent
 * is unknown, or is the entry itself. A cycle in a damaged file begins with the entry that stands first.
 */
export class SessionNodes {
  /** In file order. */
  readonly all: readonly EntryNode[];
  readonly #byId = new Map<string, EntryNode>();
  readonly #children = new Map<EntryNode | null, EntryNode[]>();
  /** Made when it is first asked for. */
  #activeNext: ReadonlyMap<EntryNode, EntryNode | null> | undefined;

  constructor(all: readonly EntryNode[]) {
    this.all = all;
    for (const node of all) if (node.entryId !== null) this.#byId.set(node.entryId, node);
    for (const node of all) {
      const parent = this.parentOf(node);
      const siblings = this.#children.get(parent);
      if (siblings === undefined) this.#children.set(parent, [node]);
      else siblings.push(node);
    }
    for (const siblings of this.#children.values()) siblings.sort(olderFirst);
  }

  /** Where the conversation goes on: the last entry of the file. */
  get leaf(): EntryNode | undefined {
    return this.all.at(-1);
  }

  /** Null for a root. */
  parentOf(node: EntryNode): EntryNode | null {
    const parent = node.parentId === null ? undefined : this.#byId.get(node.parentId);
    return parent === undefined || parent === node ? null : parent;
  }

  /** Whether it names a parent that stands nowhere: what it went on from is not known. */
  isAfterGap({ parentId }: EntryNode): boolean {
    return parentId !== null && !this.#byId.has(parentId);
  }

  /** What is to be said above an entry after a gap, for people, not sanitised; undefined for any other. */
  gapAbove(node: EntryNode): string | undefined {
    if (!this.isAfterGap(node)) return undefined;
    return `… a gap: what line ${node.line} answers (${node.parentId}) is not in the file`;
  }

  /** What stands before an entry in the file, in its order. */
  beforeInFile(node: EntryNode): readonly EntryNode[] {
    return this.all.slice(0, this.all.indexOf(node));
  }

  /**
   * Work that the last entries of the file hide: those of a process that was killed, or left open, while somebody went on
   * elsewhere. Nobody has said anything on their branch since it went off, and somebody had where it went off.
   */
  get hidden(): HiddenWork | undefined {
    const path = this.pathTo(this.leaf);
    const active = new Set(path);
    const places = new Map(this.all.map((node, at) => [node, at]));
    const placeOf = (node: EntryNode | null): number => (node === null ? -1 : (places.get(node) ?? -1));
    for (const since of path.toReversed()) {
      if (isByPerson(since)) return undefined;
      const newer = this.all.slice(placeOf(this.parentOf(since)) + 1, placeOf(since));
      const entries = newer.filter((node) => !active.has(node));
      const newest = entries.at(-1);
      if (newest !== undefined && entries.some(isByPerson)) return { since, entries, newest };
    }
    return undefined;
  }

  /** Oldest first; of null, the roots. */
  childrenOf(node: EntryNode | null): readonly EntryNode[] {
    return this.#children.get(node) ?? [];
  }

  /** From the root to the entry itself. */
  pathTo(node: EntryNode | undefined): EntryNode[] {
    return node === undefined ? [] : [node, ...this.above(node)].reverse();
  }

  /** The branch an entry lies on, to its end: the active one if it lies there, else the one that goes on last. */
  branchThrough(node: EntryNode): EntryNode[] {
    return [...new Set([...this.pathTo(node), ...this.below(node)])];
  }

  /** What stands before an entry on its branch, the nearest first. */
  above(node: EntryNode): Generator<EntryNode> {
    return chainFrom(node, (each) => this.parentOf(each));
  }

  /** What comes after an entry on the branch it lies on. In a cycle that may stand above it too. */
  below(node: EntryNode): Generator<EntryNode> {
    return chainFrom(node, (each) => this.#nextOf(each));
  }

  #nextOf(node: EntryNode): EntryNode | null {
    const next = this.#nextOfActive().get(node);
    return next === undefined ? (this.childrenOf(node).at(-1) ?? null) : next;
  }

  /** What comes next on the active branch, and null after its end. */
  #nextOfActive(): ReadonlyMap<EntryNode, EntryNode | null> {
    if (this.#activeNext === undefined) {
      const path = this.pathTo(this.leaf);
      this.#activeNext = new Map(path.map((node, at) => [node, path[at + 1] ?? null]));
    }
    return this.#activeNext;
  }

  /** Every entry once, parents before children, a branch to its end before the next one begins. */
  *inTreeOrder(): Generator<PlacedNode> {
    const seen = new Set<EntryNode>();
    for (const root of [...this.childrenOf(null), ...this.all]) {
      // Its own stack: trees of tens of thousands of levels are common.
      const stack = [{ node: root, depth: 0 }];
      for (let at = stack.pop(); at; at = stack.pop()) {
        const { node, depth } = at;
        if (seen.has(node)) continue;
        seen.add(node);
        const children = this.childrenOf(node).filter((child) => !seen.has(child));
        yield { node, depth, children };
        for (const child of children.toReversed()) stack.push({ node: child, depth: depth + 1 });
      }
    }
  }

  /**
   * The entry a name stands for: its id, any unique beginning of it, or `:LINE` of the file; `:LINE.2` is the second of a line.
   *
   * @throws SessionDbError `not_found`; `ambiguous`, with lines to be shown about the first candidates as its choices
   */
  named(name: string): EntryNode {
    const exact = this.#byId.get(name);
    if (exact !== undefined) return exact;
    const [, line, place] = /^:(\d+)(?:\.(\d+))?$/.exec(name) ?? [];
    if (line !== undefined) return this.#inLine(name, Number(line), place);
    const found = [...this.#byId.values()].filter(({ entryId }) => name !== "" && entryId?.startsWith(name));
    const [first, ...others] = found;
    if (first === undefined) throw notFound(name);
    if (others.length > 0)
      throw ambiguous(`${found.length} entries begin with "${name}"`, "Give more of the id:", found);
    return first;
  }

  #inLine(name: string, line: number, place: string | undefined): EntryNode {
    const found = this.all.filter((node) => node.line === line);
    if (place === undefined && found.length > 1) {
      throw ambiguous(
        `line ${line} holds ${found.length} entries`,
        `Say which: ${name}.1, ${name}.2, ...`,
        found,
      );
    }
    const node = found[Number(place ?? 1) - 1];
    if (node === undefined) throw notFound(name);
    return node;
  }
}

/** Goes on step by step, until there is no next entry, or one would come a second time. */
function* chainFrom(node: EntryNode, step: (node: EntryNode) => EntryNode | null): Generator<EntryNode> {
  const seen = new Set([node]);
  for (let at = step(node); at !== null && !seen.has(at); at = step(at)) {
    seen.add(at);
    yield at;
  }
}

function olderFirst(a: EntryNode, b: EntryNode): number {
  return (a.timestamp ?? 0) - (b.timestamp ?? 0) || a.key - b.key;
}

function notFound(name: string): SessionDbError {
  return new SessionDbError("not_found", `this session has no entry "${name}"`, {
    hint: "Name it by id, the beginning of its id, or :LINE; sessiondb tree shows them.",
  });
}

function ambiguous(message: string, hint: string, found: readonly EntryNode[]): SessionDbError {
  return new SessionDbError("ambiguous", message, {
    hint,
    choices: choicesOf(
      found,
      (node) => `${node.entryId}  ${speakerOf(node)}  ${shownPreview(node.preview, maskPreview)}`,
    ),
  });
}

import {
  contextEntriesOf,
  contextOf,
  projectionOf,
  type SessionContext,
  type SessionProjection,
} from "../format/context.ts";
import type { FileEntry, SessionEntry, SessionHeader } from "../format/types.ts";
import { type BranchNode, bodiesOf, rowsForContext, viewOf } from "./context-rows.ts";
import type { EntryTree, ResolvedLabel } from "./entry-tree.ts";
import { type IndexedPrefix, type IndexNode, isIndexFault } from "./indexed-prefix.ts";
import { MemoryTree } from "./memory-tree.ts";

/** Reads the first `end` bytes of the file as entries, the header first. @throws `io` where they are no session. */
export type ReadWhole = (end: number) => FileEntry[];

/**
 * An `EntryTree` whose entries stand in the index up to a point (the prefix) and in memory after it (the tail).
 * Only files whose ids are unique and whose parents all stand before their children are read this way.
 *
 * Questions that need every entry, and all questions once index or file turn out to have changed, are answered from
 * memory: the file is then read whole, once.
 */
export class IndexedTree implements EntryTree {
  readonly header: SessionHeader;
  readonly #prefix: IndexedPrefix;
  readonly #readWhole: ReadWhole;
  readonly #tail: FileEntry[];
  /** Entries of the tail, by id. */
  readonly #byId = new Map<string, SessionEntry>();
  /** Labels set by entries of the tail, by the id of the labelled entry; null where a label was cleared. */
  readonly #labels = new Map<string, ResolvedLabel | null>();
  /** Ids of the prefix, read when a new id is first drawn: appends must not wait for the database again and again. */
  #prefixIds: Set<string> | null = null;
  /** Labels of the prefix, read when first needed: drawing a tree asks for the label of each entry. */
  #labelKeys: Map<string, number> | null = null;
  #memory: MemoryTree | null = null;

  constructor(header: SessionHeader, prefix: IndexedPrefix, tail: FileEntry[], readWhole: ReadWhole) {
    this.header = header;
    this.#prefix = prefix;
    this.#tail = tail;
    this.#readWhole = readWhole;
    for (const entry of tail) if (entry.type !== "session") this.#know(entry);
  }

  get size(): number {
    return this.#memory?.size ?? this.#prefix.facts.entryCount + this.#byId.size;
  }

  get last(): SessionEntry | undefined {
    const inTail = this.#tail.findLast((entry) => entry.type !== "session");
    if (inTail !== undefined) return inTail;
    return this.#answer(
      (prefix) => prefix.bodies([prefix.byKey(prefix.facts.lastKey)])[0],
      (memory) => memory.last,
    );
  }

  has(id: string): boolean {
    if (this.#byId.has(id) || this.#prefixIds?.has(id)) return true;
    if (this.#prefixIds !== null) return false;
    return this.#answer(
      (prefix) => {
        this.#prefixIds = prefix.ids();
        return this.#prefixIds.has(id);
      },
      (memory) => memory.has(id),
    );
  }

  get(id: string): SessionEntry | undefined {
    const inTail = this.#byId.get(id);
    if (inTail !== undefined) return inTail;
    return this.#answer(
      (prefix) => {
        const row = prefix.byId(id);
        return row && prefix.bodies([row])[0];
      },
      (memory) => memory.get(id),
    );
  }

  children(parentId: string): SessionEntry[] {
    return this.#answer(
      (prefix) => {
        // Roots cannot be looked up by a parent.
        if (!parentId) return this.#whole().children(parentId);
        const inTail = [...this.#byId.values()].filter((entry) => entry.parentId === parentId);
        return [...prefix.bodies(childrenIn(prefix, parentId)), ...inTail];
      },
      (memory) => memory.children(parentId),
    );
  }

  branch(id: string): SessionEntry[] {
    return this.#answer(
      (prefix) => {
        const { row, tail } = this.#climb(prefix, id);
        return [...(row ? prefix.bodies(prefix.branch(row.key)) : []), ...tail];
      },
      (memory) => memory.branch(id),
    );
  }

  isOnBranch(id: string, leafId: string): boolean {
    return this.#answer(
      (prefix) => {
        const { row, tail } = this.#climb(prefix, leafId);
        if (row === undefined || this.#byId.has(id)) return tail.some((entry) => entry.id === id);
        const sought = prefix.byId(id);
        return sought !== undefined && prefix.isOnBranch(sought.key, row.key);
      },
      (memory) => memory.isOnBranch(id, leafId),
    );
  }

  entries(): SessionEntry[] {
    return this.#whole().entries();
  }

  contextEntries(leafId: string | null): SessionEntry[] {
    return this.#answer(
      (prefix) => contextEntriesOf(bodiesOf(prefix, this.#contextBranch(prefix, leafId))),
      (memory) => memory.contextEntries(leafId),
    );
  }

  projection(leafId: string | null): SessionProjection {
    return this.#answer(
      (prefix) => projectionOf(bodiesOf(prefix, this.#contextBranch(prefix, leafId))),
      (memory) => memory.projection(leafId),
    );
  }

  context(leafId: string | null): SessionContext {
    return this.#answer(
      (prefix) => contextOf(this.#contextBranch(prefix, leafId), viewOf(prefix)),
      (memory) => memory.context(leafId),
    );
  }

  label(targetId: string): ResolvedLabel | undefined {
    if (this.#memory !== null) return this.#memory.label(targetId);
    const inTail = this.#labels.get(targetId);
    if (inTail !== undefined) return inTail ?? undefined;
    return this.#answer(
      (prefix) => {
        this.#labelKeys ??= prefix.labelKeys();
        return labelAt(prefix, targetId, this.#labelKeys.get(targetId));
      },
      (memory) => memory.label(targetId),
    );
  }

  labels(): Iterable<ResolvedLabel> {
    return this.#whole().labels();
  }

  name(): string | undefined {
    if (this.#memory !== null) return this.#memory.name();
    const inTail = this.#tail.findLast((entry) => entry.type === "session_info");
    if (inTail?.type === "session_info") return inTail.name?.trim() || undefined;
    return this.#prefix.facts.name ?? undefined;
  }

  fileEntries(): Iterable<FileEntry> {
    return this.#whole().fileEntries();
  }

  push(entry: SessionEntry): void {
    this.#tail.push(entry);
    this.#know(entry);
    this.#memory?.push(entry);
  }

  #know(entry: SessionEntry): void {
    this.#byId.set(entry.id, entry);
    if (entry.type !== "label") return;
    const { targetId, label, timestamp } = entry;
    this.#labels.set(targetId, label ? { targetId, label, timestamp } : null);
  }

  /** Answers through the index as long as it holds, else from memory. */
  #answer<T>(indexed: (prefix: IndexedPrefix) => T, inMemory: (memory: MemoryTree) => T): T {
    if (this.#memory === null) {
      try {
        return indexed(this.#prefix);
      } catch (error) {
        if (!isIndexFault(error)) throw error;
      }
    }
    return inMemory(this.#whole());
  }

  /** Everything in memory. Entries already handed out stay the same objects. */
  #whole(): MemoryTree {
    if (this.#memory !== null) return this.#memory;
    const known = new Map([...this.#prefix.knownBodies()].map((entry) => [entry.id, entry]));
    const [, ...read] = this.#readWhole(this.#prefix.facts.end);
    const inPrefix = read.map((entry) => (entry.type === "session" ? entry : (known.get(entry.id) ?? entry)));
    this.#memory = new MemoryTree([this.header, ...inPrefix, ...this.#tail]);
    return this.#memory;
  }

  /** Climbs from an entry through the tail to the first row of the index, from which the index knows the rest. */
  #climb(prefix: IndexedPrefix, id: string): { row: IndexNode | undefined; tail: SessionEntry[] } {
    const tail = new Set<SessionEntry>();
    let at: string | null = id;
    for (
      let entry = this.#byId.get(at);
      entry && !tail.has(entry);
      entry = at ? this.#byId.get(at) : undefined
    ) {
      tail.add(entry);
      at = entry.parentId;
    }
    // If the tail goes in a circle, the id is one of the tail's, which are new: the index does not have it.
    return { row: at ? prefix.byId(at) : undefined, tail: [...tail].reverse() };
  }

  /**
   * The branch as far as the model's context can depend on it: after a compaction, what it kept and what
   * follows, and of the entries it dropped only those that state the settings in force.
   */
  #contextBranch(prefix: IndexedPrefix, leafId: string | null): BranchNode[] {
    if (leafId === null) return [];
    const known = leafId !== "" && (this.#byId.has(leafId) || prefix.byId(leafId) !== undefined);
    const id = known ? leafId : this.last?.id;
    if (id === undefined) return [];
    const { row, tail } = this.#climb(prefix, id);
    const rows = row ? rowsForContext(prefix, row, tail) : [];
    return [...rows.map((each) => ({ row: each })), ...tail.map((entry) => ({ entry }))];
  }
}

function childrenIn(prefix: IndexedPrefix, parentId: string): IndexNode[] {
  const parent = prefix.byId(parentId);
  return parent === undefined ? prefix.orphans(parentId) : prefix.children(parent.key);
}

function labelAt(
  prefix: IndexedPrefix,
  targetId: string,
  key: number | undefined,
): ResolvedLabel | undefined {
  const [entry] = key === undefined ? [] : prefix.bodies([prefix.byKey(key)]);
  if (entry?.type !== "label" || !entry.label) return undefined;
  return { targetId, label: entry.label, timestamp: entry.timestamp };
}

import {
  contextEntriesOf,
  contextOf,
  ENTRY_VIEW,
  projectionOf,
  type SessionContext,
  type SessionProjection,
  walkToRoot,
} from "../format/context.ts";
import type { FileEntry, SessionEntry, SessionHeader, SessionInfoEntry } from "../format/types.ts";
import type { EntryTree, ResolvedLabel } from "./entry-tree.ts";

/** An `EntryTree` with every entry in memory. */
export class MemoryTree implements EntryTree {
  readonly #fileEntries: FileEntry[];
  readonly #byId = new Map<string, SessionEntry>();
  readonly #labels = new Map<string, ResolvedLabel>();
  #last: SessionEntry | undefined;
  #lastInfo: SessionInfoEntry | undefined;

  /** The array itself is kept: new entries are added to it. */
  constructor(fileEntries: FileEntry[]) {
    this.#fileEntries = fileEntries;
    for (const entry of fileEntries) if (entry.type !== "session") this.#learn(entry);
  }

  get header(): SessionHeader | null {
    return this.#fileEntries.find((entry) => entry.type === "session") ?? null;
  }

  get size(): number {
    return this.#byId.size;
  }

  get last(): SessionEntry | undefined {
    return this.#last;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  get(id: string): SessionEntry | undefined {
    return this.#byId.get(id);
  }

  children(parentId: string): SessionEntry[] {
    return [...this.#byId.values()].filter((entry) => entry.parentId === parentId);
  }

  branch(id: string): SessionEntry[] {
    return walkToRoot(this.#byId.get(id), (parentId) => this.#byId.get(parentId));
  }

  isOnBranch(id: string, leafId: string): boolean {
    return this.branch(leafId).some((entry) => entry.id === id);
  }

  entries(): SessionEntry[] {
    return this.#fileEntries.filter((entry) => entry.type !== "session");
  }

  contextEntries(leafId: string | null): SessionEntry[] {
    return contextEntriesOf(this.#contextBranch(leafId));
  }

  projection(leafId: string | null): SessionProjection {
    return projectionOf(this.#contextBranch(leafId));
  }

  context(leafId: string | null): SessionContext {
    return contextOf(this.#contextBranch(leafId), ENTRY_VIEW);
  }

  label(targetId: string): ResolvedLabel | undefined {
    return this.#labels.get(targetId);
  }

  labels(): Iterable<ResolvedLabel> {
    return this.#labels.values();
  }

  name(): string | undefined {
    const entry = this.#lastInfo;
    return entry === undefined ? undefined : entry.name?.trim() || undefined;
  }

  fileEntries(): Iterable<FileEntry> {
    return this.#fileEntries;
  }

  push(entry: SessionEntry): void {
    this.#fileEntries.push(entry);
    this.#learn(entry);
  }

  #contextBranch(leafId: string | null): SessionEntry[] {
    if (leafId === null) return [];
    const leaf = (leafId ? this.#byId.get(leafId) : undefined) ?? this.#last;
    return walkToRoot(leaf, (parentId) => this.#byId.get(parentId));
  }

  #learn(entry: SessionEntry): void {
    this.#byId.set(entry.id, entry);
    this.#last = entry;
    if (entry.type === "session_info") this.#lastInfo = entry;
    if (entry.type !== "label") return;
    const { targetId, label, timestamp } = entry;
    if (label) this.#labels.set(targetId, { targetId, label, timestamp });
    else this.#labels.delete(targetId);
  }
}

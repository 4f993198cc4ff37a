import type { EntryFacts } from "../../format/entry.ts";

/** The tree of one file's entries, by their ids. */
export class EntryIds {
  /** Keys in the index, by id: of several entries the last one. */
  readonly #keys = new Map<string, unknown>();
  readonly #leaves = new Set<string>();
  /** Ids that an entry has named as its parent while no entry above had them. */
  readonly #lost = new Set<string>();
  #isEmptyNamed = false;
  #isOdd = false;

  /** Takes an entry, and gives its parent's key. An empty id counts as none, as for pi. */
  take({ id, parentId }: EntryFacts, key: unknown): unknown {
    const parentKey = parentId ? (this.#keys.get(parentId) ?? null) : null;
    this.#isOdd ||= id === null || id === parentId || this.#lost.has(id) || this.#keys.has(id);
    this.#isEmptyNamed ||= parentId === "" && id !== "";
    if (id !== null && !this.#keys.has(id) && !this.#lost.has(id)) this.#leaves.add(id);
    if (parentId && parentId !== id) this.#leaves.delete(parentId);
    if (parentId && parentId !== id && !this.#keys.has(parentId)) this.#lost.add(parentId);
    if (id !== null) this.#keys.set(id, key);
    return parentKey;
  }

  /**
   * Whether the tree has to be walked by ids: an entry has no id, or repeats one, or is its own parent, or stands below
   * an entry that names it as its parent. A parent that stands nowhere is not odd.
   */
  get isOdd(): boolean {
    return this.#isOdd;
  }

  /** Ids that are no other entry's parent. */
  get leaves(): number {
    return this.#leaves.size - (this.#isOdd && this.#isEmptyNamed && this.#leaves.has("") ? 1 : 0);
  }
}

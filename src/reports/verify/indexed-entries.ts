import type { EntryAttributes } from "../../format/entry.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";

const ENTRIES = `SELECT e.key, e.line, e.offset, e.length, e.entry_id AS id, e.parent_id AS parentId,
  e.parent_key AS parentKey, k.type, k.role, e.timestamp, k.provider, k.model, k.tool_name AS toolName,
  k.is_error AS isError, k.has_image AS hasImage, k.custom_type AS customType, e.target_id AS targetId, e.preview,
  k.recovered, m.text, u.file_id AS usageFile, u.given_id AS givenId, u.bill, u.timestamp AS spentAt, uk.source,
  uk.provider AS usageProvider, uk.model AS usageModel, uk.stop_reason AS stopReason, uk.thinking_level AS thinkingLevel,
  u.input, u.output, u.cache_read AS cacheRead, u.cache_write AS cacheWrite, u.cache_write_1h AS cacheWrite1h,
  u.reasoning, u.total_tokens AS totalTokens, u.cost_input AS costInput, u.cost_output AS costOutput,
  u.cost_cache_read AS costCacheRead, u.cost_cache_write AS costCacheWrite, u.cost,
  u.cost_from_provider AS costFromProvider, u.duration_ms AS durationMs, uk.flawed, u.counted, u.accounted
  FROM entries e CROSS JOIN entry_kinds k ON k.id = e.kind
  LEFT JOIN message_rows m ON m.entry_key = e.key LEFT JOIN usage_rows u ON u.entry_key = e.key
  LEFT JOIN usage_kinds uk ON uk.id = u.kind
  WHERE e.file_id = ? ORDER BY e.key`;

export type Row = Record<string, unknown>;

/** The entries that the index has of a file, given step by step as the file is read. */
export class EntryRows {
  readonly #rows: Iterator<Row>;
  #next: Row | undefined;

  constructor(database: Database, fileId: number) {
    this.#rows = prepared(database, ENTRIES).iterate(fileId) as Iterator<Row>;
    this.#advance();
  }

  /** Those that stand before a byte of the file. */
  *before(offset: number): Generator<Row> {
    for (let row = this.#next; row !== undefined && Number(row.offset) < offset; row = this.#next) {
      this.#advance();
      yield row;
    }
  }

  at(offset: number): Row | undefined {
    const row = this.#next;
    if (row?.offset !== offset) return undefined;
    this.#advance();
    return row;
  }

  /** A statement that is not read to its end would hold its connection. */
  close(): void {
    this.#rows.return?.();
  }

  #advance(): void {
    const next = this.#rows.next();
    this.#next = next.done ? undefined : next.value;
  }
}

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
  take({ id, parentId }: EntryAttributes, key: unknown): unknown {
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

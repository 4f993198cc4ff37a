import type { EntryAttributes } from "../../format/entry.ts";
import type { EntryUsage, UsageNumbers } from "../../format/usage.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import { propertiesOf, selectList } from "../../store/tables/row-sql.ts";

/* What the index has of one file, to be compared with the file. */

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

/** `At` is where an entry begins: -1 for a key that no entry of the file has. */
export const CHECKED_FILE = `SELECT f.path, f.real_path AS realPath, f.size, f.status, f.error, f.offset, f.lines,
  f.provisional_length AS provisionalLength, f.malformed_lines AS malformedLines, f.overtakes, s.file_id AS sessionFile,
  s.session_id AS sessionId, s.cwd, s.version, s.created_at AS createdAt, s.modified_at AS modifiedAt,
  s.last_activity_at AS lastActivityAt, s.name, s.title, s.entry_count AS entryCount, s.message_count AS messageCount,
  s.branch_count AS branchCount, s.leaf_id AS leafId, iif(s.leaf_key IS NULL, NULL, coalesce(leaf.offset, -1)) AS leafAt,
  iif(s.first_message_key IS NULL, NULL, coalesce(first.offset, -1)) AS firstMessageAt, s.walk_by_text AS walkByText, s.irregular,
  s.parent_session AS parentSession, s.parent_path AS parentPath, s.copied, s.last_provider AS lastProvider, s.last_model AS lastModel, s.models,
  s.input, s.output, s.cache_read AS cacheRead, s.cache_write AS cacheWrite, s.total_tokens AS totalTokens, s.cost,
  s.requests, s.inherited_input AS inheritedInput, s.inherited_output AS inheritedOutput,
  s.inherited_cache_read AS inheritedCacheRead, s.inherited_cache_write AS inheritedCacheWrite,
  s.inherited_total_tokens AS inheritedTotalTokens, s.inherited_cost AS inheritedCost,
  s.inherited_requests AS inheritedRequests
  FROM files f LEFT JOIN sessions s ON s.file_id = f.id
  LEFT JOIN entry_rows leaf ON leaf.key = s.leaf_key AND leaf.file_id = f.id
  LEFT JOIN entry_rows first ON first.key = s.first_message_key AND first.file_id = f.id
  WHERE f.id = ?`;

export const LABELS_OF_FILE = `SELECT l.target_id AS targetId, l.label, l.timestamp, coalesce(e.offset, -1) AS at
  FROM labels l LEFT JOIN entry_rows e ON e.key = l.label_key AND e.file_id = l.file_id WHERE l.file_id = ?`;

export const MALFORMED_OF_FILE = "SELECT line, offset, length FROM malformed_lines WHERE file_id = ?";

export const RUNS_OF_FILE = `SELECT coalesce(e.offset, -1) || ' ' || a.run AS at, a.agent, a.session_file AS sessionFile,
  a.session_id AS sessionId FROM subagents a LEFT JOIN entry_rows e ON e.key = a.entry_key AND e.file_id = a.file_id
  WHERE a.file_id = ?`;

export const BOUNDARIES_OF_FILE = `SELECT e.line, coalesce(e.offset, -1) AS offset
  FROM turning_entries t LEFT JOIN entries e ON e.key = t.key WHERE t.file_id = ?`;

const REST = selectList("unaccounted_usage", propertiesOf("unaccounted_usage", ["entryKey"]));
const UNACCOUNTED = `SELECT ${REST} FROM unaccounted_usage WHERE entry_key = ?`;

/**
 * What counts of a row's usage, where that is not what the file states; null where sub-agents' sessions account for all. What
 * is left where they account for a part is no bill of a provider.
 */
export function restOf(database: Database, { key, accounted }: Row): Partial<EntryUsage> | null {
  if (accounted === 2) return null;
  if (accounted === 0) return {};
  const rest = prepared(database, UNACCOUNTED).get(key) as Partial<UsageNumbers> | undefined;
  return { ...rest, costFromProvider: null };
}

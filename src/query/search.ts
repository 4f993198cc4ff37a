import type { Index } from "../db/open.ts";
import { searchableTexts } from "../format/searchable.ts";
import { readEntry } from "./body.ts";
import { isOnBranch } from "./branch.ts";
import { type Condition, inRoots, inTime, ofEntry, ofSession, whereClause } from "./conditions.ts";
import type { Filter } from "./filter.ts";
import type { Hit, SearchResult } from "./results.ts";
import { type NamesOf, parseSearchQuery, type SearchQuery, toMatchExpression } from "./search-query.ts";
import { toIso } from "./sessions.ts";
import { cutSnippet } from "./snippet.ts";

export interface SearchOptions {
  filter?: Filter;
  /** Only sessions below these folders. */
  roots?: string[];
  /** `relevance` unless told; queries with very many hits are answered newest first all the same. */
  sort?: "relevance" | "newest" | "oldest";
  /** 20 unless told; 0: all. */
  limit?: number;
  now?: number;
}

/** Ranking costs a microsecond a hit: above this many hits, the newest are the best. */
const RANKED_HITS = 20_000;
const DEFAULT_LIMIT = 20;

const FROM = `FROM search.entry_text t JOIN entries e ON e.key = t.rowid
  JOIN sessions s ON s.file_id = e.file_id JOIN files f ON f.id = e.file_id`;

const COLUMNS = `e.key, e.file_id AS fileId, e.offset, e.length, e.line, e.entry_id AS entryId, e.parent_id AS parentId,
  e.type, e.role, e.tool_name AS tool, e.timestamp, e.preview, s.session_id AS id, s.cwd, s.title, s.version,
  s.branch_count AS branchCount, s.walk_by_text AS walkByText, f.path, f.real_path AS realPath`;

/**
 * What was said weighs more than what a tool printed, and what is a quarter of a year old about two thirds of
 * what is new.
 */
const SCORE = `-bm25(entry_text)
  * CASE WHEN e.role = 'user' THEN 1.4 WHEN e.role = 'assistant' THEN 1.2 WHEN e.role = 'toolResult' THEN 0.8 ELSE 1.0 END
  * (0.4 + 0.6 / (1.0 + max(0, @now - coalesce(e.timestamp, 0)) / 7776000000.0))`;

const ORDERS = {
  relevance: "score DESC, e.key DESC",
  newest: "e.timestamp DESC, e.key DESC",
  oldest: "e.timestamp, e.key",
};

/**
 * Full-text search over the index as it stands.
 *
 * @throws SessionDbError `usage` for a query that asks for nothing
 */
export function searchEntries(index: Index, query: string, options: SearchOptions = {}): SearchResult {
  const parsed = parseSearchQuery(query);
  if (parsed.length === 0) return { query, total: 0, hits: [] };
  const where = whereClause([
    { sql: "t.entry_text MATCH ?", values: [toMatchExpression(parsed, namesIn(index))] },
    ...inRoots(options.roots),
    ...searchConditions(options.filter ?? {}),
  ]);
  const total = Number(
    index.reader
      .prepare(`SELECT count(*) ${FROM} ${where.sql}`)
      .pluck()
      .get(...where.values),
  );
  const rows = total === 0 ? [] : findRows(index, where, total, options);
  return { query, total, hits: rows.map((row) => toHit(index, row, parsed)) };
}

const NAMES = "SELECT name FROM search.compound_names WHERE part = ? AND name <> part";
/** `\u{10ffff}` sorts after every character a name can go on with. */
const NAMES_BY_BEGINNING = `SELECT DISTINCT name FROM search.compound_names
  WHERE part >= ? AND part < ? || char(1114111) AND name <> part`;

function namesIn(index: Index): NamesOf {
  const exact = index.reader.prepare(NAMES).pluck();
  const beginning = index.reader.prepare(NAMES_BY_BEGINNING).pluck();
  return (part, prefix) => (prefix ? beginning.all(part, part) : exact.all(part)) as string[];
}

function searchConditions(filter: Filter): Condition[] {
  return [...ofSession(filter), ...ofEntry(filter), ...inTime("e.timestamp", filter)];
}

function findRows(index: Index, where: Condition, total: number, options: SearchOptions): HitRow[] {
  const sort = options.sort ?? "relevance";
  const ranked = sort === "relevance" && total <= RANKED_HITS;
  const order = sort === "relevance" && !ranked ? ORDERS.newest : ORDERS[sort];
  const limit = options.limit === 0 ? -1 : (options.limit ?? DEFAULT_LIMIT);
  return index.reader
    .prepare(
      `SELECT ${COLUMNS}, ${ranked ? SCORE : "0.0 * @now"} AS score ${FROM} ${where.sql} ORDER BY ${order} LIMIT ?`,
    )
    .all(...where.values, limit, { now: options.now ?? Date.now() }) as HitRow[];
}

interface HitRow {
  key: number;
  fileId: number;
  offset: number;
  length: number;
  line: number;
  entryId: string | null;
  parentId: string | null;
  type: string;
  role: string | null;
  tool: string | null;
  timestamp: number | null;
  preview: string;
  id: string;
  cwd: string;
  title: string;
  version: number;
  branchCount: number;
  walkByText: number;
  path: string;
  realPath: string;
  score: number;
}

function toHit(index: Index, row: HitRow, query: SearchQuery): Hit {
  const entry = readEntry(row);
  const snippet = cutSnippet(entry ? searchableTexts(entry) : [row.preview], query);
  const linear = row.branchCount <= 1 && row.walkByText === 0;
  return {
    session: { id: row.id, path: row.path, cwd: row.cwd, title: row.title },
    entryId: row.entryId,
    parentId: row.parentId,
    line: row.line,
    type: row.type,
    role: row.role,
    tool: row.tool,
    timestamp: row.timestamp === null ? null : toIso(row.timestamp),
    snippet: snippet.text,
    highlights: snippet.highlights,
    onBranch: linear || isOnBranch(index.database, row.fileId, row.key, row.walkByText === 1),
    score: row.score,
  };
}

import type { Index } from "../db/open.ts";
import { prepared } from "../db/prepared.ts";
import { searchableTexts, type TextLimits } from "../format/searchable.ts";
import { maskSecrets } from "../format/secrets.ts";
import { type BodyPlace, readEntry } from "./body.ts";
import { Branches, type BranchPlace } from "./branch.ts";
import type { Found } from "./found.ts";
import type { Matcher } from "./matcher.ts";
import { Neighbours } from "./neighbours.ts";
import type { Hit, HitPlace } from "./results.ts";
import { toIso } from "./sessions.ts";
import { cutSnippet, maskSnippet } from "./snippet.ts";

export interface HitOptions {
  matcher: Matcher;
  /** How much of an entry was looked into. */
  limits: TextLimits;
  /** How many entries before and after a hit are shown. */
  context: number;
  /** Secrets are shown as they are. */
  reveal: boolean;
}

const ROWS = `SELECT e.key, e.file_id AS fileId, e.offset, e.length, e.line, e.entry_id AS entryId,
    e.parent_id AS parentId, e.type, e.role, e.tool_name AS tool, e.timestamp, s.session_id AS id, s.cwd,
    s.title, s.version, s.created_at AS createdAt, s.branch_count AS branchCount, s.entry_count AS entryCount, s.leaf_key AS leafKey,
    s.walk_by_text AS walkByText, f.path, f.real_path AS realPath
  FROM json_each(?) j CROSS JOIN entries e ON e.key = j.value
  CROSS JOIN sessions s ON s.file_id = e.file_id CROSS JOIN files f ON f.id = e.file_id`;
const PREVIEW = "SELECT preview FROM entries WHERE key = ?";

/** Hits whose rows are asked for at once. */
const AT_ONCE = 100;

interface HitRow extends BodyPlace, BranchPlace {
  parentId: string | null;
  role: string | null;
  tool: string | null;
  timestamp: number | null;
  id: string;
  cwd: string;
  title: string;
  createdAt: number | null;
  branchCount: number;
  path: string;
}

/** What is shown of entries that match, each group an entry with its copies. */
export function readHits(index: Index, groups: Found[][], options: HitOptions): Hit[] {
  const reading = {
    ...options,
    index,
    branches: new Branches(index.database),
    neighbours: new Neighbours(index, options),
  };
  const hits: Hit[] = [];
  for (let at = 0; at < groups.length; at += AT_ONCE) {
    const some = groups.slice(at, at + AT_ONCE);
    const rows = rowsOf(index, some.flat());
    for (const group of some) {
      const [row, ...copies] = group.flatMap(({ key }) => rows.get(key) ?? []).sort(originalFirst);
      if (row !== undefined) hits.push({ ...hitOf(row, copies, reading), score: group[0]?.score ?? 0 });
    }
  }
  return hits;
}

function rowsOf({ database }: Index, found: Found[]): Map<number, HitRow> {
  const keys = JSON.stringify(found.map(({ key }) => key));
  const rows = prepared(database, ROWS).all(keys) as HitRow[];
  return new Map(rows.map((row) => [row.key, row]));
}

interface Reading extends HitOptions {
  index: Index;
  branches: Branches;
  neighbours: Neighbours;
}

function hitOf(row: HitRow, copies: HitRow[], reading: Reading): Omit<Hit, "score"> {
  const { branches, neighbours, context } = reading;
  const linear = row.branchCount <= 1 && row.walkByText === 0;
  return {
    session: placeOf(row, reading).session,
    ...{ entryId: row.entryId, parentId: row.parentId, line: row.line },
    ...{ type: row.type, role: row.role, tool: row.tool },
    timestamp: row.timestamp === null ? null : toIso(row.timestamp),
    ...snippetOf(row, reading),
    onBranch: linear || branches.holds(row),
    copies: copies.map((copy) => placeOf(copy, reading)),
    ...(context > 0 && { context: neighbours.of(row) }),
  };
}

/** The session that was created first has the others' original, as with money; then the smaller path. */
function originalFirst(a: HitRow, b: HitRow): number {
  const [first, second] = [a.createdAt ?? Number.MAX_VALUE, b.createdAt ?? Number.MAX_VALUE];
  return first - second || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);
}

function placeOf({ id, path, cwd, title, line }: HitRow, { reveal }: HitOptions): HitPlace {
  return { session: { id, path, cwd, title: reveal ? title : maskSecrets(title) }, line };
}

/** From the file; where that has changed, from what the index remembers. */
function snippetOf(
  row: HitRow,
  { index, matcher, limits, reveal }: Reading,
): Pick<Hit, "snippet" | "highlights"> {
  const entry = readEntry(row);
  const cut = cutSnippet(entry ? searchableTexts(entry, limits) : [previewOf(index, row)], matcher);
  const { text, highlights } = reveal ? cut : maskSnippet(cut);
  return { snippet: text, highlights };
}

function previewOf({ database }: Index, { key }: HitRow): string {
  return String(prepared(database, PREVIEW).pluck().get(key) ?? "");
}

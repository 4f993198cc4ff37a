import { isArrayFileName } from "../../files/session-path.ts";
import type { TextLimits } from "../../format/searchable.ts";
import { speakerOf } from "../../format/speaker.ts";
import type { Database } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { prepared } from "../../store/statements.ts";
import { type BodyPlace, readTextsOfBody } from "../../store/tables/entry-bodies.ts";
import { compareRanks, type Rank } from "../../store/tables/usage-rows.ts";
import { maskPreview } from "../../text/secrets.ts";
import { isoOrNull } from "../../time/calendar.ts";
import type { Found } from "../find/matches.ts";
import type { Matcher } from "../query/matcher.ts";
import { Branches, BranchSteps } from "./branch.ts";
import type { Hit, HitPlace } from "./hit.ts";
import type { HitSession, HitSessions } from "./hit-sessions.ts";
import { Neighbours } from "./neighbours.ts";
import { cutSnippet, maskSnippet } from "./snippet.ts";

export interface HitOptions {
  /** The connection that has found the hits: it has their pages in memory. */
  connection: Database;
  /** What is known of sessions in the state of the index that the connection sees. */
  sessions: HitSessions;
  matcher: Matcher;
  /** How much of an entry was looked into. */
  limits: TextLimits;
  /** How many entries before and after a hit are shown. */
  context: number;
  /** Secrets are shown as they are. */
  reveal: boolean;
}

/**
 * How many entries one query reads: as many as are shown if no limit is given. A list of parameters takes three quarters of
 * the time of a JSON array.
 */
const AT_ONCE = 20;

/** In the order of `toEntry`. */
const ROWS = `SELECT e.key, e.file_id, e.offset, e.length, e.line, e.entry_id, e.parent_id, k.type, k.role, k.tool_name,
    e.timestamp, k.recovered
  FROM entries e CROSS JOIN entry_kinds k ON k.id = e.kind WHERE e.key IN (${Array(AT_ONCE).fill("?").join(", ")})`;
const IN_LINE =
  "SELECT count(*) AS all_of_line, sum(key <= ?) AS at FROM entries WHERE file_id = ? AND line = ?";
const PREVIEW = "SELECT preview FROM entries WHERE key = ?";

interface EntryRow extends Pick<Hit, "line" | "entryId" | "parentId" | "type" | "role" | "tool"> {
  key: number;
  fileId: number;
  offset: number;
  length: number;
  /** Unix ms. */
  timestamp: number | null;
  /** 1: it was found within a damaged line. */
  recovered: number;
}

interface HitRow extends EntryRow {
  session: HitSession;
}

/** What is shown of entries that match, each group an entry with its copies. */
export function readHits(index: Index, groups: Found[][], options: HitOptions): Hit[] {
  const branches = new Branches(options.connection);
  const reading = { ...options, branches };
  const shown: ShownHit[] = [];
  for (let at = 0; at < groups.length; at += AT_ONCE) {
    const some = groups.slice(at, at + AT_ONCE);
    const rows = rowsOf(some.flat(), options);
    for (const group of some) {
      const [row, ...copies] = group.flatMap(({ key }) => rows.get(key) ?? []).sort(originalFirst);
      if (row !== undefined) shown.push({ row, hit: hitOf([row, ...copies], group[0]?.score ?? 0, reading) });
    }
  }
  if (options.context > 0) {
    addContext(shown, new Neighbours(index, new BranchSteps(options.connection, branches), options));
  }
  return shown.map(({ hit }) => hit);
}

interface ShownHit {
  hit: Hit;
  row: HitRow;
}

/** Session by session, as `Neighbours` wants them. */
function addContext(shown: readonly ShownHit[], neighbours: Neighbours): void {
  for (const { hit, row } of shown.toSorted((a, b) => a.row.fileId - b.row.fileId)) {
    hit.context = neighbours.of(row);
  }
}

function rowsOf(found: Found[], { connection, sessions }: HitOptions): Map<number, HitRow> {
  const entries = entriesOf(connection, found);
  sessions.load(
    connection,
    entries.map(({ fileId }) => fileId),
  );
  const rows = new Map<number, HitRow>();
  for (const entry of entries) {
    const session = sessions.get(entry.fileId);
    if (session !== undefined) rows.set(entry.key, Object.assign(entry, { session }));
  }
  return rows;
}

function entriesOf(connection: Database, found: Found[]): EntryRow[] {
  const statement = prepared(connection, ROWS).raw();
  const entries: EntryRow[] = [];
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const keys = Array.from({ length: AT_ONCE }, (_, n) => found[at + n]?.key ?? null);
    for (const row of statement.all(keys) as unknown[][]) entries.push(toEntry(row));
  }
  return entries;
}

/** From a row as an array: an object with so many fields takes half the time here that it takes in the driver. */
function toEntry(row: readonly unknown[]): EntryRow {
  return {
    key: row[0] as number,
    fileId: row[1] as number,
    offset: row[2] as number,
    length: row[3] as number,
    line: row[4] as number,
    entryId: row[5] as string | null,
    parentId: row[6] as string | null,
    type: row[7] as string,
    role: row[8] as string | null,
    tool: row[9] as string | null,
    timestamp: row[10] as number | null,
    recovered: row[11] as number,
  };
}

interface Reading extends HitOptions {
  branches: Branches;
}

function hitOf([row, ...copies]: [HitRow, ...HitRow[]], score: number, reading: Reading): Hit {
  const { branches } = reading;
  const { session, key, fileId, entryId, parentId, type, role, tool } = row;
  const { snippet, highlights } = snippetOf(row, reading);
  return {
    ...placeOf(row, reading),
    entryId,
    parentId,
    type,
    role,
    tool,
    speaker: speakerOf(row),
    timestamp: isoOrNull(row.timestamp),
    snippet,
    highlights,
    onBranch: isLinear(session) || branches.holds({ key, fileId, ...session }),
    score,
    copies: copies.map((copy) => placeOf(copy, reading)),
  };
}

function isLinear({ branchCount, walkByText }: HitSession): boolean {
  return branchCount <= 1 && walkByText === 0;
}

/** The original is the copy whose money counts, too. */
function originalFirst(a: HitRow, b: HitRow): number {
  return compareRanks(rankOf(a), rankOf(b));
}

function rankOf({ session: { createdAt, path }, key }: HitRow): Rank {
  return { createdAt, path, entryKey: key };
}

function placeOf(row: HitRow, { connection, reveal }: HitOptions): HitPlace {
  const { session, line } = row;
  const { id, path, cwd, title, maskedTitle, shortName } = session;
  const handle = `${shortName}:${line}${placeInLine(row, connection)}`;
  return { session: { id, path, cwd, title: reveal ? title : maskedTitle }, handle, line };
}

/** `.2` for the second of several entries in a line: only a damaged line holds several, and one of an array file. */
function placeInLine({ key, fileId, line, recovered, session }: HitRow, connection: Database): string {
  if (recovered === 0 && !isArrayFileName(session.path)) return "";
  const [count, at] = prepared(connection, IN_LINE).raw().get(key, fileId, line) as [number, number];
  return count > 1 ? `.${at}` : "";
}

/** From the file; where that has changed, from what the index remembers. */
function snippetOf(
  row: HitRow,
  { connection, matcher, limits, reveal }: Reading,
): Pick<Hit, "snippet" | "highlights"> {
  const texts = readTextsOfBody(placeOfBody(row), limits) ?? [previewOf(row, { connection, reveal })];
  const cut = cutSnippet(texts, matcher);
  const { text, highlights } = reveal ? cut : maskSnippet(cut);
  return { snippet: text, highlights };
}

/** Each field is named, because spreading all fields of a row takes longer. */
function placeOfBody({ session, offset, length, line, entryId, type }: HitRow): BodyPlace {
  const { realPath, version } = session;
  return { realPath, version, offset, length, line, entryId, type };
}

function previewOf(
  { key }: HitRow,
  { connection, reveal }: Pick<HitOptions, "connection" | "reveal">,
): string {
  const preview = String(prepared(connection, PREVIEW).pluck().get(key) ?? "");
  return reveal ? preview : maskPreview(preview);
}

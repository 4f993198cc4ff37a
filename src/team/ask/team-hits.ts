import { shortIds } from "../../format/ids.ts";
import { speakerOf } from "../../format/speaker.ts";
import { compareTexts } from "../../runtime/collections.ts";
import type { Hit } from "../../search/hits/hit.ts";
import { cutSnippet, maskSnippet } from "../../search/hits/snippet.ts";
import { type Matcher, wordMatcher } from "../../search/query/matcher.ts";
import type { SearchQuery } from "../../search/query/search-query.ts";
import { isoOrNull } from "../../time/calendar.ts";
import type { TeamClient } from "../connect.ts";
import { TEXT_END } from "../words.ts";

/** Where an entry stands: a colleague's file is not here, so there is no path and no line. */
export interface TeamHitPlace {
  author: string;
  session: { id: string; project: string; title: string };
  /** `01a0e225/70c5dd8a`: the beginning of the session's id, and the entry's. */
  handle: string;
}

export interface TeamHit
  extends TeamHitPlace,
    Pick<Hit, "type" | "role" | "tool" | "speaker" | "timestamp" | "snippet" | "highlights" | "score"> {
  entryId: string;
  /** Where the entry stands in other sessions, also in those of others. */
  copies: TeamHitPlace[];
}

/** An entry that matches. */
export interface FoundEntry {
  author: string;
  file_id: number;
  offset: number;
  entry_id: string;
  type: string;
  role: string | null;
  tool_name: string | null;
  /** Unix ms. */
  timestamp: number | null;
  score: number;
}

interface SessionRow {
  file_id: number;
  session_id: string;
  project: string;
  title: string;
  created_at: number | null;
  short: string;
}

/** What is shown of entries that match, each group an entry with its copies. */
export async function readTeamHits(
  client: TeamClient,
  groups: readonly FoundEntry[][],
  { query, reveal }: { query: SearchQuery; reveal: boolean },
): Promise<TeamHit[]> {
  const sessions = await sessionsOf(client, groups.flat());
  const sorted = groups.map((group) => group.toSorted(firstByAge(sessions)));
  const texts = await textsOf(
    client,
    sorted.flatMap(([first]) => first ?? []),
  );
  const reading = { sessions, texts, matcher: wordMatcher(query), reveal };
  return sorted.flatMap(([first, ...copies]) => (first === undefined ? [] : [hitOf(first, copies, reading)]));
}

interface Reading {
  sessions: ReadonlyMap<number, SessionRow>;
  texts: ReadonlyMap<string, string>;
  matcher: Matcher;
  reveal: boolean;
}

function hitOf(found: FoundEntry, copies: readonly FoundEntry[], reading: Reading): TeamHit {
  const { entry_id: entryId, type, role, tool_name: tool, timestamp, score } = found;
  const { sessions, texts, matcher, reveal } = reading;
  const cut = cutSnippet((texts.get(nameOf(found)) ?? "").split(TEXT_END), matcher);
  const { text: snippet, highlights } = reveal ? cut : maskSnippet(cut);
  return {
    ...placeOf(found, sessions),
    entryId,
    type,
    role,
    tool,
    speaker: speakerOf({ role, type, tool }),
    timestamp: isoOrNull(timestamp),
    snippet,
    highlights,
    score,
    copies: copies.map((copy) => placeOf(copy, sessions)),
  };
}

function placeOf({ author, file_id, entry_id }: FoundEntry, sessions: Reading["sessions"]): TeamHitPlace {
  const { session_id: id = "", project = "", title = "", short = "" } = sessions.get(file_id) ?? {};
  return { author, session: { id, project, title }, handle: `${short}/${entry_id}` };
}

/** The original is the copy whose session was created first. */
function firstByAge(sessions: Reading["sessions"]): (a: FoundEntry, b: FoundEntry) => number {
  const createdAt = ({ file_id }: FoundEntry) => sessions.get(file_id)?.created_at ?? Number.MAX_SAFE_INTEGER;
  return (a, b) =>
    createdAt(a) - createdAt(b) ||
    compareTexts(a.author, b.author) ||
    a.file_id - b.file_id ||
    a.offset - b.offset;
}

const SESSIONS = `SELECT file_id, session_id, project, title, created_at FROM sessiondb_team.sessions
  WHERE file_id = ANY ($1)`;

async function sessionsOf(
  client: TeamClient,
  found: readonly FoundEntry[],
): Promise<Map<number, SessionRow>> {
  const ids = [...new Set(found.map(({ file_id }) => file_id))];
  const rows = await client.query<Omit<SessionRow, "short">>(SESSIONS, [ids]);
  const short = shortIds(rows.map((row) => row.session_id));
  return new Map(rows.map((row, at) => [row.file_id, { ...row, short: short[at] ?? row.session_id }]));
}

/** The whole text of an entry stands in its first part. */
const TEXTS = `SELECT e.author, e.file_id, e."offset", e.text FROM unnest($1::text[], $2::bigint[], $3::bigint[]) k(author, file_id, place)
  JOIN sessiondb_team.entry_text e ON e.author = k.author AND e.file_id = k.file_id AND e."offset" = k.place AND e.part = 0`;

type TextRow = Pick<FoundEntry, "author" | "file_id" | "offset"> & { text: string };

async function textsOf(client: TeamClient, found: readonly FoundEntry[]): Promise<Map<string, string>> {
  const rows = await client.query<TextRow>(TEXTS, [
    found.map(({ author }) => author),
    found.map(({ file_id }) => file_id),
    found.map(({ offset }) => offset),
  ]);
  return new Map(rows.map((row) => [nameOf(row), row.text]));
}

function nameOf({ author, file_id, offset }: Omit<TextRow, "text">): string {
  return `${file_id} ${offset} ${author}`;
}

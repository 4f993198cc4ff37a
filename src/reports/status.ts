import { statSync } from "node:fs";
import { inRoots, PROJECT, whereClause } from "../filters/where.ts";
import type { Sums } from "../format/usage.ts";
import { entriesBehind } from "../search/full-text-state.ts";
import type { Index } from "../store/open.ts";
import { isoOrNull } from "../time/calendar.ts";
import type { Session } from "./answers.ts";
import { listSessions } from "./sessions.ts";
import { sumUsage } from "./usage/usage-report.ts";

/** What there is, in short. */
export interface Status {
  /** Of people: those of sub-agents belong to them. */
  sessions: number;
  subagents: number;
  /** Different working directories. */
  projects: number;
  entries: number;
  /** Of the session files together. */
  sizeBytes: number;
  last30Days: Sums;
  /** The five that were active last. */
  recent: Session[];
  index: {
    path: string;
    /** Both databases, as in `IndexSize`. */
    bytes: number;
    searchPath: string;
    /** The full text's part of `bytes`. */
    searchBytes: number;
    /** Entries that are not searchable yet; where they are very many, estimated by their keys. */
    behind: number;
  };
  /** When the index last took in something of a session file, ISO 8601; null while it holds none. */
  lastSyncAt: string | null;
}

const COUNTS = `SELECT count(*) - total(s.root_file_id <> s.file_id) AS sessions,
  total(s.root_file_id <> s.file_id) AS subagents, count(DISTINCT ${PROJECT}) AS projects, total(s.entry_count) AS entries,
  total(f.size) AS sizeBytes, max(f.indexed_at) AS lastSyncAt
  FROM sessions s JOIN files f ON f.id = s.file_id`;

const RECENT = 5;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;

export interface StatusOptions {
  /** Unix ms. */
  now: number;
  /** Where the last 30 days begin, in Unix ms; exactly 30 days before `now` unless told. */
  since?: number;
  /** Only sessions below these folders. */
  roots?: string[];
}

export function readStatus(index: Index, options: StatusOptions): Status {
  const counts = readCounts(index, options.roots);
  const scope = options.roots === undefined ? {} : { roots: options.roots };
  const since = options.since ?? options.now - MONTH_MS;
  const { indexPath, searchPath } = index.location;
  const searchBytes = sizeOf(searchPath);
  return {
    sessions: counts.sessions,
    subagents: counts.subagents,
    projects: counts.projects,
    entries: counts.entries,
    sizeBytes: counts.sizeBytes,
    last30Days: sumUsage(index, { by: "model", timezone: "UTC", filter: { since }, ...scope }).totals,
    recent: listSessions(index, { limit: RECENT, ...scope }).sessions,
    index: {
      path: indexPath,
      bytes: sizeOf(indexPath) + searchBytes,
      searchPath,
      searchBytes,
      behind: entriesBehind(index, options.roots),
    },
    lastSyncAt: isoOrNull(counts.lastSyncAt),
  };
}

interface Counts extends Pick<Status, "sessions" | "subagents" | "projects" | "entries" | "sizeBytes"> {
  /** Unix ms. */
  lastSyncAt: number | null;
}

/** What the rows alone tell. The full text, which may be damaged or locked, is not opened. */
export function readCounts({ database }: Index, roots: string[] | undefined): Counts {
  const { sql, values } = whereClause(inRoots(roots));
  return database.prepare(`${COUNTS} ${sql}`).get(...values) as Counts;
}

/** What the index holds, and how large it is. */
export interface IndexSize {
  path: string;
  /** Both databases. */
  bytes: number;
  sessions: number;
  entries: number;
}

export function readIndexSize(index: Index): IndexSize {
  const { indexPath, searchPath } = index.location;
  const counts = index.database.prepare(SIZES).get() as Pick<IndexSize, "sessions" | "entries">;
  return { path: indexPath, bytes: sizeOf(indexPath) + sizeOf(searchPath), ...counts };
}

const SIZES = "SELECT count(*) AS sessions, total(entry_count) AS entries FROM sessions";

/** A file that is left alone until it changes, and why. */
export interface SkippedFile {
  path: string;
  why: string;
}

export function readSkippedFiles(index: Index): SkippedFile[] {
  return index.database.prepare(SKIPPED).all() as SkippedFile[];
}

const SKIPPED = "SELECT path, coalesce(error, '') AS why FROM files WHERE status = 'failed' ORDER BY path";

function sizeOf(path: string): number {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + wal;
}

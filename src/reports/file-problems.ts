import { ENTRY_TYPES } from "../format/types.ts";
import type { Index } from "../store/open.ts";

/** A file whose state in the index should be reported. */
export interface NotedFile {
  path: string;
  /** What there is to say: a code, a number, a version. */
  detail: string;
}

export interface EntryType {
  type: string;
  /** How many entries have it. */
  entries: number;
}

export interface MalformedRange {
  path: string;
  /** Lines, or elements of an array, that are no JSON objects: all of this file. */
  count: number;
  /** 1-based. */
  line: number;
  /** Bytes. */
  offset: number;
  length: number;
}

/** What the index knows of files that are not as they should be. */
export interface Health {
  unreadable: NotedFile[];
  /** Left alone until they change. */
  failed: NotedFile[];
  notSessions: NotedFile[];
  /** The first malformed line of each file that has any. */
  malformed: MalformedRange[];
  /** With bytes after the last complete line. */
  torn: NotedFile[];
  /** Of a format version this program does not know. */
  newer: NotedFile[];
  /** Sessions with something unusual about their lines; two headers are. */
  irregular: NotedFile[];
  /** Types this program does not know, with how many entries there are. */
  unknownTypes: EntryType[];
  /** Places whose usage makes no sense as numbers. */
  flawedUsage: number;
}

const FILES_BY_STATUS =
  "SELECT path, coalesce(error, '') AS detail FROM files WHERE status = ? ORDER BY path";

const MALFORMED = `SELECT f.path, f.malformed_lines AS count, m.line, m.offset, m.length
  FROM files f JOIN malformed_lines m ON m.file_id = f.id
  WHERE f.status = 'session' AND m.offset = (SELECT min(offset) FROM malformed_lines WHERE file_id = f.id) ORDER BY f.path`;

const TORN = `SELECT path, size - offset AS detail FROM files
  WHERE status = 'session' AND size > offset AND provisional_length = 0 AND settled = 1 ORDER BY path`;

const NEWER = `SELECT f.path, s.version AS detail FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.version > ? ORDER BY f.path`;

const IRREGULAR = `SELECT f.path, '' AS detail FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.irregular <> 0 ORDER BY f.path`;

const TYPES = `SELECT k.type, sum(e.count) AS entries
  FROM (SELECT kind, count(*) AS count FROM entries GROUP BY kind) e JOIN entry_kinds k ON k.id = e.kind
  GROUP BY k.type ORDER BY k.type`;

const FLAWED = "SELECT count(*) FROM usage WHERE kind IN (SELECT id FROM usage_kinds WHERE flawed <> 0)";

/** The empty type is that of a line too long to be decoded. */
const KNOWN_TYPES: readonly string[] = [...ENTRY_TYPES, ""];

/** @param newestVersion of the session format that is understood */
export function readHealth({ database }: Index, newestVersion: number): Health {
  const rows = (sql: string, ...values: unknown[]): NotedFile[] =>
    (database.prepare(sql).all(...values) as { path: string; detail: string | number }[]).map(
      ({ path, detail }) => ({ path, detail: String(detail) }),
    );
  const types = database.prepare(TYPES).all() as EntryType[];
  return {
    unreadable: rows(FILES_BY_STATUS, "unreadable"),
    failed: rows(FILES_BY_STATUS, "failed"),
    notSessions: [...rows(FILES_BY_STATUS, "not_session"), ...rows(FILES_BY_STATUS, "empty")],
    malformed: database.prepare(MALFORMED).all() as MalformedRange[],
    torn: rows(TORN),
    newer: rows(NEWER, newestVersion),
    irregular: rows(IRREGULAR),
    unknownTypes: types.filter(({ type }) => !KNOWN_TYPES.includes(type)),
    flawedUsage: Number(database.prepare(FLAWED).pluck().get()),
  };
}

import { PERSONAL_ROLES } from "../format/entry.ts";
import { ENTRY_TYPES } from "../format/types.ts";
import type { Index } from "../store/open.ts";
import { readSessionNodes } from "../store/tables/entry-nodes.ts";

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
  /** Whole entries that stand in such lines. */
  recovered: number;
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
  /** Sessions with an entry whose parent stands nowhere: that parent, and where the first such entry is. */
  gaps: (NotedFile & { line: number })[];
  /** Sessions whose last entries hide newer work: how many entries, and since which line. */
  hidden: { path: string; entries: number; line: number; newest: string }[];
  /** Places whose usage makes no sense as numbers. */
  flawedUsage: number;
}

const FILES_BY_STATUS =
  "SELECT path, coalesce(error, '') AS detail FROM files WHERE status = ? ORDER BY path";

const MALFORMED = `SELECT f.path, f.malformed_lines AS count, m.line, m.offset, m.length,
    (SELECT count(*) FROM entry_rows e WHERE e.file_id = f.id AND e.kind IN (SELECT id FROM entry_kinds WHERE recovered = 1)) AS recovered
  FROM files f JOIN malformed_lines m ON m.file_id = f.id
  WHERE f.status = 'session' AND m.offset = (SELECT min(offset) FROM malformed_lines WHERE file_id = f.id) ORDER BY f.path`;

const TORN = `SELECT path, size - offset AS detail FROM files
  WHERE status = 'session' AND size > offset AND provisional_length = 0 AND settled = 1 ORDER BY path`;

const NEWER = `SELECT f.path, s.version AS detail FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.version > ? ORDER BY f.path`;

const IRREGULAR = `SELECT f.path, '' AS detail FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.irregular <> 0 ORDER BY f.path`;

const GAPS = `SELECT f.path, e.unknown_parent AS detail, min(e.line) AS line
  FROM entry_rows e JOIN files f ON f.id = e.file_id
  WHERE e.parent_key IS NOT e.key - 1 AND e.parent_key IS NULL AND e.unknown_parent IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM entry_rows p WHERE p.file_id = e.file_id AND p.entry_id = e.unknown_parent)
  GROUP BY e.file_id ORDER BY f.path`;

/** Sessions that may hide something: on the way up from the leaf a branch goes off before anybody has said anything. */
const MAY_HIDE = `WITH RECURSIVE tail(file_id, key) AS (
    SELECT file_id, leaf_key FROM sessions WHERE (branch_count > 1 OR walk_by_text = 1) AND leaf_key IS NOT NULL
    UNION
    SELECT t.file_id, e.parent_key FROM tail t JOIN entry_rows e ON e.key = t.key JOIN entry_kinds k ON k.id = e.kind
    WHERE k.type <> 'branch_summary' AND coalesce(k.role, '') NOT IN (SELECT value FROM json_each(?))
      AND e.parent_key IS NOT NULL)
  SELECT DISTINCT f.id AS fileId, f.path, f.real_path AS realPath
  FROM tail t JOIN entry_rows e ON e.key = t.key JOIN files f ON f.id = t.file_id
  WHERE e.parent_key IS NOT e.key - 1 ORDER BY f.path`;

const TYPES = `SELECT k.type, sum(e.count) AS entries
  FROM (SELECT kind, count(*) AS count FROM entries GROUP BY kind) e JOIN entry_kinds k ON k.id = e.kind
  GROUP BY k.type ORDER BY k.type`;

const FLAWED = "SELECT count(*) FROM usage WHERE kind IN (SELECT id FROM usage_kinds WHERE flawed <> 0)";

/** The empty type is that of a line too long to be decoded. */
const KNOWN_TYPES: readonly string[] = [...ENTRY_TYPES, ""];

function readHidden(index: Index): Health["hidden"] {
  const rows = index.database.prepare(MAY_HIDE).all(JSON.stringify(PERSONAL_ROLES));
  return (rows as { fileId: number; path: string; realPath: string }[]).flatMap(({ path, ...session }) => {
    const hidden = readSessionNodes(index, session).hidden;
    if (hidden === undefined) return [];
    const { entries, since, newest } = hidden;
    return [{ path, entries: entries.length, line: since.line, newest: newest.entryId ?? `:${newest.line}` }];
  });
}

/** @param newestVersion of the session format that is understood */
export function readHealth(index: Index, newestVersion: number): Health {
  const { database } = index;
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
    gaps: database.prepare(GAPS).all() as Health["gaps"],
    hidden: readHidden(index),
    flawedUsage: Number(database.prepare(FLAWED).pluck().get()),
  };
}

/** Where sessions were held, as they say. */
export function workingDirectories({ database }: Index): string[] {
  return database.prepare("SELECT DISTINCT cwd FROM sessions WHERE cwd <> ''").pluck().all() as string[];
}

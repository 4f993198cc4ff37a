import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { PushLevel } from "../config/push-settings.ts";
import { packedFileOf } from "../files/archive-place.ts";
import { exclusionOf, type IsExcluded, isWithinAny } from "../files/session-path.ts";
import { PROJECT } from "../filters/where.ts";
import { maskedSession } from "../reports/masked-session.ts";
import { INDEX_DB } from "../store/databases.ts";
import type { Database } from "../store/native.ts";
import { indexIdOf } from "../store/statements.ts";
import type { PushedFile } from "./push-cursor.ts";

/** What the owner of a device allows to leave it. */
export interface PushRules {
  level: PushLevel;
  /** Absolute directories, with `*` for any part of a name; `*` alone is every project. */
  projects: readonly string[];
  /** Folders of sessions, and what of them is not read. */
  roots: readonly string[];
  isExcluded: IsExcluded;
  /** Makes hashes of paths that nobody can guess. */
  salt: string;
  /** The version of this program: another one may mask more. */
  client: string;
}

/** A session file that may be pushed. */
export interface PushableFile extends PushedFile {
  fileId: number;
  realPath: string;
  /** The format's version of the session. */
  version: number;
  createdAt: number | null;
  /** What is said of the session itself. */
  session: Record<string, string | number | null>;
}

/** What differs from what was pushed. */
export interface PushPlan {
  /** Newest first. */
  changed: { file: PushableFile; from: number }[];
  /** Files that were pushed, and are gone, or may not leave any more. */
  gone: string[];
}

/** Sessions with an entry that is labelled private, and those of their sub-agents, however deep. */
const PRIVATE = `WITH RECURSIVE private (id) AS (SELECT file_id FROM labels WHERE lower(label) = 'private'
    UNION SELECT s.file_id FROM private p JOIN sessions s ON p.id IN (s.parent_file_id, s.root_file_id)
      WHERE s.origin = 'subagent')`;

const FILES = `${PRIVATE} SELECT f.id AS fileId, f.path, f.real_path AS realPath, f.offset, f.provisional_length AS provisional,
    f.generation, f.head_fingerprint AS head, f.tail_fingerprint AS tail, f.whole_fingerprint AS whole,
    s.session_id, s.cwd, s.version, s.created_at, s.modified_at, s.origin, s.agent, s.title, s.name, s.message_count,
    s.entry_count, s.branch_count, s.models, s.last_model,
    (SELECT p.path FROM files p WHERE p.id = s.parent_file_id) AS parentPath,
    (SELECT r.path FROM files r WHERE r.id = s.root_file_id) AS rootPath,
    ${PROJECT} AS project,
    (SELECT p.remote FROM projects p WHERE p.cwd = s.cwd) AS remote,
    (SELECT count(*) || ':' || sum(u.accounted) || ':' || coalesce(sum(n.cost), 0) || ':' || coalesce(sum(n.total_tokens), 0)
      FROM usage_rows u LEFT JOIN unaccounted_usage n ON n.entry_key = u.entry_key
      WHERE u.file_id = f.id AND u.accounted <> 0) AS accounted
  FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE f.id NOT IN (SELECT id FROM private)
  ORDER BY s.modified_at DESC`;

interface FileRow {
  fileId: number;
  path: string;
  realPath: string;
  offset: number;
  provisional: number;
  generation: number;
  head: number;
  tail: number;
  whole: number;
  session_id: string;
  cwd: string;
  version: number;
  created_at: number | null;
  modified_at: number;
  origin: string;
  agent: string | null;
  title: string;
  name: string | null;
  message_count: number;
  entry_count: number;
  branch_count: number;
  models: string;
  last_model: string | null;
  parentPath: string | null;
  rootPath: string | null;
  project: string;
  remote: string | null;
  accounted: string;
}

/** The session files that may be pushed, newest first: of projects that are listed, without the label `private`. */
export function pushableFiles(database: Database, rules: PushRules): PushableFile[] {
  const isListed = listedBy(rules.projects);
  const indexId = indexIdOf(database);
  const rows = database.prepare(FILES).all() as FileRow[];
  return rows
    .filter(
      ({ path, cwd, project }) => isWithinAny(rules.roots, path) && (isListed(cwd) || isListed(project)),
    )
    .map((row) => toPushable(row, rules, indexId));
}

function listedBy(projects: readonly string[]): (directory: string) => boolean {
  return projects.includes("*") ? () => true : exclusionOf(projects);
}

function toPushable(row: FileRow, rules: PushRules, indexId: string): PushableFile {
  const session = sessionOf(row, rules);
  const { level, client } = rules;
  const meaning = [
    level,
    level === "usage" ? "" : client,
    INDEX_DB.ingestVersion,
    row.accounted,
    row.provisional,
    row.head,
  ];
  const seen = [row.offset, row.tail, row.whole];
  const { fileId, path, realPath, version } = row;
  return {
    fileId,
    path,
    realPath,
    version,
    createdAt: row.created_at,
    file: hashed(path, rules),
    // The index knows that it is the same content with more behind it, as long as it is the same index.
    content: digest([...meaning, indexId, row.generation]),
    pushed: row.offset + row.provisional,
    state: digest([...meaning, ...seen, JSON.stringify(session)]),
    session,
  };
}

function sessionOf(row: FileRow, rules: PushRules): PushableFile["session"] {
  const numbers = {
    session_id: row.session_id,
    created_at: row.created_at,
    modified_at: row.modified_at,
    origin: row.origin,
    message_count: row.message_count,
    entry_count: row.entry_count,
    branch_count: row.branch_count,
    models: shortList(row.models),
    last_model: row.last_model,
  };
  const hashOrNull = (path: string | null) => (path === null ? null : hashed(path, rules));
  const family = { parent_file: hashOrNull(row.parentPath), root_file: hashOrNull(row.rootPath) };
  const project = row.remote ?? row.project;
  if (rules.level === "usage") return { ...numbers, ...family, project: hashed(project, rules) };
  const { title, name } = maskedSession({ title: row.title, name: row.name }, (message) => message);
  return {
    ...numbers,
    ...family,
    project: row.remote ?? basename(row.project),
    agent: row.agent,
    title,
    name: name ?? null,
  };
}

export interface Pushed {
  pushed: ReadonlyMap<string, PushedFile>;
  /** Whether the index knows the file at a path. */
  isIndexed: (path: string) => boolean;
  /** Whether a path is within what is looked at: folders of sessions, without what is excluded. */
  isLookedAt: (path: string) => boolean;
  /** Those beside which sessions are archived. */
  roots: readonly string[];
  /** Whether everything is to be sent again. */
  all: boolean;
}

/** What differs from what was pushed. A file is gone that is not there any more, or may not leave now: not one that is yet to be indexed. */
export function planPush(
  files: readonly PushableFile[],
  { pushed, isIndexed, isLookedAt, roots, all }: Pushed,
): PushPlan {
  const now = new Set(files.map(({ file }) => file));
  const changed = files
    .filter(({ file, state }) => all || pushed.get(file)?.state !== state)
    .map((file) => {
      const held = pushed.get(file.file);
      const goesOn = !all && held?.content === file.content && held.pushed <= file.pushed;
      return { file, from: goesOn ? held.pushed : 0 };
    });
  const missing = [...pushed.values()].filter(({ file }) => !now.has(file));
  const isThere = (path: string): boolean => existsSync(path) || packedFileOf(path, roots) !== null;
  const gone = missing.filter(({ path }) => isIndexed(path) || !isLookedAt(path) || !isThere(path));
  return { changed, gone: gone.map(({ file }) => file) };
}

/** However many a session names, and however they are called. */
function shortList(models: string): string {
  return JSON.stringify((JSON.parse(models) as string[]).slice(0, 50).map((model) => model.slice(0, 200)));
}

function hashed(path: string, { salt }: PushRules): string {
  return digest([salt, path]);
}

function digest(parts: readonly unknown[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 24);
}

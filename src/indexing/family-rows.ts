import type { Origin } from "../files/session-path.ts";
import type { Database, Statement } from "../store/native.ts";
import { LAST } from "../store/tables/usage-rows.ts";

/* What the rows of sessions, of runs and of files say about who belongs to whom, question by question. */

const OLDEST_FIRST = `ORDER BY coalesce(s.created_at, ${LAST}), f.path LIMIT 2`;

const QUERIES = {
  member: `SELECT s.file_id AS fileId, f.path, f.real_path AS realPath, s.session_id AS sessionId,
    s.parent_path AS parentPath, s.parent_file_id AS parentFileId, s.root_file_id AS rootFileId, s.origin, s.agent, s.copied,
    coalesce(s.created_at, ${LAST}) AS createdAt
  FROM sessions s JOIN files f ON f.id = s.file_id WHERE s.file_id = ?`,
  atPath: `SELECT s.file_id FROM files f JOIN sessions s ON s.file_id = f.id WHERE f.path = @path
  UNION ALL SELECT s.file_id FROM files f JOIN sessions s ON s.file_id = f.id WHERE f.real_path = @path LIMIT 1`,
  /** A fork stands in for its parent where that is gone. */
  forkOf: `SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.parent_path = ? AND s.copied = 1 ${OLDEST_FIRST}`,
  /** Also where the parent was moved before it went: a fork names it as it was called, wherever it lay. */
  forkOfName: `SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.parent_path IS NOT NULL AND substr(s.parent_path, -length(@name)) = @name AND s.copied = 1 ${OLDEST_FIRST}`,
  ofSessionId: `SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.session_id = ? AND s.file_id <> ? ${OLDEST_FIRST}`,
  toldBy: `SELECT a.file_id AS fileId, a.agent FROM subagents a JOIN sessions s ON s.file_id = a.file_id
  JOIN files f ON f.id = a.file_id WHERE a.child_file_id = ? AND a.file_id <> a.child_file_id
  ORDER BY coalesce(s.created_at, ${LAST}), f.path, a.entry_key, a.run LIMIT 1`,
  below: `SELECT s.file_id FROM files f JOIN sessions s ON s.file_id = f.id WHERE f.path > ? AND f.path < ?`,
  children: "SELECT file_id FROM sessions WHERE parent_file_id = ?",
  naming: "SELECT file_id FROM sessions WHERE parent_path IN (?, ?)",
  /** Files whose runs may be those of a session. */
  telling: `SELECT file_id FROM subagents WHERE session_file IN (@path, @realPath)
  UNION SELECT file_id FROM subagents WHERE session_id = @sessionId
  UNION SELECT file_id FROM subagents WHERE child_file_id = @fileId`,
  tellersOf: "SELECT DISTINCT file_id FROM subagents WHERE child_file_id = @fileId AND file_id <> @fileId",
  /** Those that were there before it: a sub-agent may name whom it works for, too. */
  earlierTellersOf: `SELECT DISTINCT a.file_id FROM subagents a JOIN sessions s ON s.file_id = a.file_id
  JOIN files f ON f.id = a.file_id WHERE a.child_file_id = @fileId AND (coalesce(s.created_at, ${LAST}), f.path) < (@createdAt, @path)`,
  toldBelow: `WITH RECURSIVE below(id) AS (SELECT ? UNION SELECT a.child_file_id FROM below b
    JOIN subagents a ON a.file_id = b.id WHERE a.child_file_id IS NOT NULL) SELECT id FROM below`,
  tellingAt: "SELECT file_id FROM subagents WHERE session_file = ?",
  copies: "SELECT file_id FROM sessions WHERE session_id = ?",
  orphans: `SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.origin = 'subagent' AND s.parent_file_id IS NULL AND instr(f.path, ?) > 0`,
  /** Sub-agents of a session, whoever stands in for it. */
  inFolderOf: `SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.origin = 'subagent' AND instr(f.path, ?) > 0`,
  /** Sub-agents with which forks stand in for a session that is gone. */
  underForks: `SELECT s.file_id AS fileId, f.path FROM sessions p CROSS JOIN sessions s ON s.parent_file_id = p.file_id
  JOIN files f ON f.id = s.file_id WHERE p.parent_path IS NOT NULL AND p.copied = 1 AND s.origin = 'subagent'`,
  runs: `SELECT entry_key AS entryKey, run, session_file AS sessionFile, child_file_id AS childFileId
  FROM subagents WHERE file_id = ? AND session_file IS NOT NULL`,
};
export type FamilyQuery = keyof typeof QUERIES;
export type Statements = Readonly<Record<FamilyQuery, Statement>>;

/** Those of one column give its values, others rows. */
export function prepareAll(database: Database): Statements {
  const prepared = Object.entries(QUERIES).map(([name, sql]) => {
    const statement = database.prepare(sql);
    return [name, statement.columns().length === 1 ? statement.pluck() : statement];
  });
  return Object.fromEntries(prepared) as Statements;
}

/** A session as a member of its family. */
export interface Member {
  fileId: number;
  path: string;
  realPath: string;
  sessionId: string;
  parentPath: string | null;
  parentFileId: number | null;
  rootFileId: number;
  origin: Origin;
  agent: string | null;
  copied: 0 | 1;
  /** Unix ms; of unknown ones the last time there is. */
  createdAt: number;
}

/** A run of a sub-agent that names its session. */
export interface Run {
  entryKey: number;
  run: number;
  sessionFile: string;
  childFileId: number | null;
}

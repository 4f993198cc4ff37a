import { basename, dirname, join, sep } from "node:path";
import { beyond, familyFolder, familyOwner, insideOf, type Origin } from "../files/session-path.ts";
import { sessionIdInName } from "../format/subagents.ts";
import type { Database, Statement } from "../store/native.ts";
import { LAST } from "../store/tables/usage-rows.ts";

/*
 * Finds who belongs to whom, in the index as it stands: parents by the folder that a session lies in, children by the paths
 * that results name, and the files whose results may state what a session has spent.
 */

/** Folders above a session file in which the one of its parent is looked for. */
const MOST_ABOVE = 12;

const OLDEST_FIRST = `ORDER BY coalesce(s.created_at, ${LAST}), f.path LIMIT 2`;

const QUERIES = {
  member: `SELECT s.file_id AS fileId, f.path, f.real_path AS realPath, s.session_id AS sessionId,
    s.parent_path AS parentPath, s.parent_file_id AS parentFileId, s.root_file_id AS rootFileId, s.origin, s.agent, s.copied
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
  tellingAt: "SELECT file_id FROM subagents WHERE session_file = ?",
  copies: "SELECT file_id FROM sessions WHERE session_id = ?",
  orphans: `SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.origin = 'subagent' AND s.parent_file_id IS NULL AND instr(f.path, ?) > 0`,
  /** Sub-agents of a session, whoever stands in for it. */
  inFolderOf: `SELECT s.file_id FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.origin = 'subagent' AND instr(f.path, ?) > 0`,
  runs: `SELECT entry_key AS entryKey, run, session_file AS sessionFile, child_file_id AS childFileId
  FROM subagents WHERE file_id = ? AND session_file IS NOT NULL`,
};
type Query = keyof typeof QUERIES;
type Statements = Readonly<Record<Query, Statement>>;

/** Of one column its values are given, else rows. */
function prepareAll(database: Database): Statements {
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
}

/** A run of a sub-agent that names its session. */
export interface Run {
  entryKey: number;
  run: number;
  sessionFile: string;
  childFileId: number | null;
}

/** Looks relatives up. */
export class Relatives {
  readonly #statements: Statements;
  /** Sessions to which folders may belong: nearly all sessions of a project lie in one folder. */
  readonly #owners = new Map<string, number[]>();

  constructor(database: Database) {
    this.#statements = prepareAll(database);
  }

  /** Forgets which folders belong to whom. To be called whenever files may have come, gone or moved. */
  reset(): void {
    this.#owners.clear();
  }

  memberOf(fileId: number): Member | null {
    return (this.#statements.member.get(fileId) as Member | undefined) ?? null;
  }

  /** The runs of a file that name their sessions. */
  runsOf(fileId: number): Run[] {
    return this.#statements.runs.all(fileId) as Run[];
  }

  /** The session at a path; null where the index has none. */
  at(path: string): number | null {
    return this.#idOf("atPath", { path });
  }

  /** The run that tells of a session, the one in the oldest file. */
  toldBy(fileId: number): { fileId: number; agent: string | null } | undefined {
    return this.#statements.toldBy.get(fileId) as { fileId: number; agent: string | null } | undefined;
  }

  childrenOf(fileId: number): number[] {
    return this.#idsOf("children", fileId);
  }

  /** Files whose runs may be those of a session. */
  tellersOf(member: Member): number[] {
    return this.#idsOf("telling", { ...member });
  }

  /** Sessions whose place in their family may depend on a session that has come, or lies elsewhere now. */
  relatedTo({ path, realPath, sessionId, parentPath, copied }: Member): number[] {
    const folders = [familyFolder(path)];
    // Where its parent is gone, a fork stands in for it.
    if (copied && parentPath !== null) folders.push(familyFolder(parentPath));
    const id = copied ? sessionIdInName(parentPath) : null;
    return [
      ...folders.flatMap((folder) => this.#idsOf("below", insideOf(folder), beyond(folder))),
      ...(id === null ? [] : this.#idsOf("inFolderOf", `_${id}${sep}`)),
      // Of copies of a session the one that sorts first has its folder.
      ...this.#idsOf("copies", sessionId).flatMap((id) => this.childrenOf(id)),
      ...this.#idsOf("naming", path, realPath),
      ...this.#idsOf("orphans", `_${sessionId}${sep}`),
    ];
  }

  /** The session of a run: where it is said to be, else in the family's folder, wherever that lies now, else by its id. */
  childOf({ sessionFile }: Run, teller: Member): number | null {
    const stated = this.at(sessionFile);
    const found = stated ?? this.#inFamilyFolder(sessionFile, teller);
    const id = sessionIdInName(sessionFile);
    const child = found ?? (id === null ? null : this.#idOf("ofSessionId", id, teller.fileId));
    return child === teller.fileId ? null : child;
  }

  #inFamilyFolder(sessionFile: string, { path, sessionId }: Member): number | null {
    const folders = sessionFile.split(/[\\/]/);
    const at = folders.findIndex(
      (name) => name === familyFolder(path).split(/[\\/]/).at(-1) || name.endsWith(`_${sessionId}`),
    );
    const below = folders.slice(at + 1);
    if (at < 0 || below.length === 0) return null;
    return this.#idOf("atPath", { path: join(familyFolder(path), ...below) });
  }

  /** The nearest session in whose folder a session lies; where that is gone a fork or another copy of it. */
  parentByPlace({ fileId, path }: Pick<Member, "fileId" | "path">): number | null {
    let folder = dirname(path);
    for (let above = 0; above < MOST_ABOVE && dirname(folder) !== folder; above++, folder = dirname(folder)) {
      const owners = this.#owners.get(folder) ?? this.#ownersOf(folder);
      this.#owners.set(folder, owners);
      const found = owners.find((id) => id !== fileId);
      if (found !== undefined) return found;
    }
    return null;
  }

  /** Sessions to which a folder may belong by its name, the likeliest first. */
  #ownersOf(folder: string): number[] {
    const path = familyOwner(folder);
    if (path === null) return [];
    const owners = [...this.#idsOf("atPath", { path }), ...this.#idsOf("forkOf", path)];
    const id = sessionIdInName(path);
    if (id === null) return owners;
    // All names of parents are gone through, which is not worth it where one is known.
    if (owners.length === 0) owners.push(...this.#idsOf("forkOfName", { name: sep + basename(path) }));
    return [...owners, ...this.#idsOf("ofSessionId", id, 0)];
  }

  /** The session of a person that a sub-agent works for; the uppermost one there is where parents are gone, or go round. */
  rootOf(fileId: number, parentFileId: number | null): number {
    let [root, next] = [fileId, parentFileId];
    for (const seen = new Set([fileId]); next !== null && !seen.has(next); ) {
      const member = this.memberOf(next);
      if (member === null) break;
      seen.add(next);
      root = next;
      next = member.origin === "subagent" ? member.parentFileId : null;
    }
    return root;
  }

  /** Files with results that may state what is spent in a session. */
  paying(fileId: number): number[] {
    const member = this.memberOf(fileId);
    const paying = this.#idsOf("tellersOf", { fileId });
    if (member?.origin === "subagent") paying.push(...this.copiesOf(member.parentFileId));
    if (member?.copied && member.parentPath !== null) paying.push(...this.#payingAt(member.parentPath));
    return paying.filter((id) => id !== fileId);
  }

  /** A session and its copies, which have its results, but not its folder. */
  copiesOf(fileId: number | null): number[] {
    const member = fileId === null ? null : this.memberOf(fileId);
    return member === null ? [] : this.#idsOf("copies", member.sessionId);
  }

  /** Files with results that may state what was spent in a session that is gone, and of which there are forks. */
  #payingAt(path: string): number[] {
    if (this.#idOf("atPath", { path }) !== null) return [];
    const above = this.parentByPlace({ fileId: 0, path });
    const telling = this.#idsOf("tellingAt", path);
    return above === null ? telling : [above, ...telling];
  }

  #idOf(query: Query, ...values: unknown[]): number | null {
    return (this.#statements[query].get(...values) as number | undefined) ?? null;
  }

  #idsOf(query: Query, ...values: unknown[]): number[] {
    return this.#statements[query].all(...values) as number[];
  }
}

import { sep } from "node:path";
import { codeOf, isSqliteBusy } from "../errors.ts";
import { isFolderGone } from "../files/folder.ts";
import { type DirectoryPlace, placeOf } from "../files/repository.ts";
import { INDEX_DB, transaction } from "../store/databases.ts";
import type { Database } from "../store/native.ts";
import { isOutOfRoom } from "../store/sqlite-errors.ts";
import { prepared } from "../store/statements.ts";
import { RowInsert } from "../store/tables/row-sql.ts";
import { type AliasOf, FORGOTTEN } from "./due.ts";

/*
 * Which project a session belongs to: its working directory, by whichever name. What says so are the user's aliases and the
 * directories themselves, not session files, so it is noted when somebody asks and not when a file is indexed: directories may lie
 * on disks that do not answer, and a daemon must not wait for them. What was seen of a directory is kept when it is gone.
 */

interface Row {
  cwd: string;
  place: string;
  remote: string | null;
  inside: string;
  alias: string | null;
}

/**
 * Looks at directories, and notes which project each is. Where another process writes, or the disk is full, the next question
 * does it: no answer fails for this.
 */
export function identify(
  database: Database,
  due: readonly string[],
  { aliasOf, now }: { aliasOf: AliasOf; now: number },
): void {
  const rows = due.map((cwd) => rowOf(database, cwd, aliasOf(cwd)));
  try {
    transaction(database, INDEX_DB, () => save(database, rows, now));
  } catch (error) {
    if (!isSqliteBusy(error) && !isOutOfRoom(codeOf(error))) throw error;
  }
}

function rowOf(database: Database, cwd: string, alias: string | null): Row {
  const path = alias ?? cwd;
  const seen = isFolderGone(path) ? knownPlace(database, path) : placeOf(path);
  const { path: place, remote, inside } = seen ?? { path, remote: null, inside: "" };
  return { cwd, place, remote, inside, alias };
}

function knownPlace(database: Database, cwd: string): DirectoryPlace | undefined {
  const row = prepared(
    database,
    "SELECT place AS path, remote, inside FROM projects WHERE cwd = ? AND alias IS NULL",
  ).get(cwd);
  return row as DirectoryPlace | undefined;
}

function save(database: Database, rows: readonly Row[], lookedAt: number): void {
  const insert = new RowInsert(database, "projects", { replaces: true });
  const known = database.prepare("SELECT project FROM projects WHERE cwd = ?").pluck();
  for (const row of rows) {
    // What is new to a repository stands for nothing yet.
    const project = row.remote === null ? row.place : String(known.get(row.cwd) ?? "");
    insert.run({ ...row, project, lookedAt });
  }
  const forgotten = database.prepare(FORGET).pluck().all() as (string | null)[];
  for (const remote of new Set([...rows.map((row) => row.remote), ...forgotten]))
    if (remote !== null) unite(database, remote);
}

const FORGET = `DELETE FROM projects WHERE ${FORGOTTEN} RETURNING remote`;

const OF_REMOTE = `SELECT p.place, p.inside, p.project = p.place AS stands,
  (SELECT max(s.modified_at) FROM sessions s WHERE s.cwd = p.cwd) AS usedAt
  FROM projects p WHERE p.remote = ? ORDER BY stands DESC, usedAt DESC, p.place`;
const STAND = `UPDATE projects SET project = iif(inside = '', @top, @top || @sep || inside) WHERE remote = @remote`;

/** Work trees of one remote are one project: the one that stood for all does so as long as it is there, then the last used. */
function unite(database: Database, remote: string): void {
  const rows = database.prepare(OF_REMOTE).all(remote) as Pick<Row, "place" | "inside">[];
  const tops = [...new Set(rows.map(topOf))];
  const top = tops.find((each) => !isFolderGone(each)) ?? tops[0];
  database.prepare(STAND).run({ top, sep, remote });
}

function topOf({ place, inside }: Pick<Row, "place" | "inside">): string {
  return inside === "" ? place : place.slice(0, -(sep + inside).length);
}

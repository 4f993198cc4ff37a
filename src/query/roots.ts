import { dirname } from "node:path";
import { beyond, insideOf, isWithin } from "../files/session-path.ts";
import type { Database } from "../store/native.ts";
import { prepared } from "../store/statements.ts";
import { type Condition, inRoots, whereClause } from "./conditions.ts";

const NEXT = "SELECT path FROM files WHERE path >= ? ORDER BY path LIMIT 1";
const AFTER = "SELECT path FROM files WHERE path > ? ORDER BY path LIMIT 1";

/**
 * Whether every file in the index is one of the roots or lies below one. Usually that is so, and then hits need not be
 * checked one by one. In the order of paths, files below one root stand together and are passed over in one step.
 */
export function areAllWithin(reader: Database, roots: string[]): boolean {
  const next = prepared(reader, NEXT).pluck();
  const after = prepared(reader, AFTER).pluck();
  let path = next.get("");
  while (typeof path === "string") {
    const root = roots.find((each) => isWithin(each, String(path)));
    if (root === undefined) return false;
    path = path === root ? after.get(root) : next.get(beyond(root));
  }
  return true;
}

/** Sessions in the index that are not below the roots, and the folder that holds all of them; null for none. */
export function outsideOf(reader: Database, roots: string[]): { sessions: number; folder: string } | null {
  const where = whereClause(inRoots(roots).map(({ sql, values }) => ({ sql: `NOT (${sql})`, values })));
  const found = reader.prepare(`${OUTSIDE} ${where.sql}`).get(...where.values) as OutsideRow;
  if (found.first === null || found.last === null) return null;
  return { sessions: found.sessions, folder: commonFolder(found.first, found.last) };
}

const OUTSIDE = `SELECT count(*) AS sessions, min(f.path) AS first, max(f.path) AS last
  FROM sessions s JOIN files f ON f.id = s.file_id`;

interface OutsideRow {
  sessions: number;
  first: string | null;
  last: string | null;
}

/** The folder that holds all paths from the first to the last, in the order of paths: all of them begin as those two do. */
function commonFolder(first: string, last: string): string {
  let folder = dirname(first);
  while (!last.startsWith(insideOf(folder)) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** Files below the roots; no condition when there are no others: asking that once is cheaper than checking each row. */
export function inRootsIfNeeded(reader: Database, roots: string[] | undefined): Condition[] {
  return roots === undefined || areAllWithin(reader, roots) ? [] : inRoots(roots);
}

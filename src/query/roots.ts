import type { Database } from "../db/native.ts";
import { prepared } from "../db/prepared.ts";
import { beyondPrefix, type Condition, inRoots, prefixOf } from "./conditions.ts";

const NEXT = "SELECT path FROM files WHERE path >= ? ORDER BY path LIMIT 1";
const AFTER = "SELECT path FROM files WHERE path > ? ORDER BY path LIMIT 1";

/**
 * Whether every file in the index is one of the roots or lies below one. Mostly it is so, and then no hit need be
 * looked at for it. All that lies below a root stands together in the order of paths, and is passed over in one step.
 */
export function areAllWithin(reader: Database, roots: string[]): boolean {
  const next = prepared(reader, NEXT).pluck();
  const after = prepared(reader, AFTER).pluck();
  let path = next.get("");
  while (typeof path === "string") {
    const root = roots.find((each) => path === each || String(path).startsWith(prefixOf(each)));
    if (root === undefined) return false;
    path = path === root ? after.get(root) : next.get(beyondPrefix(root));
  }
  return true;
}

/** Files below the roots, where there are others: to ask once is cheaper than to ask of every row. */
export function inRootsIfNeeded(reader: Database, roots: string[] | undefined): Condition[] {
  return roots === undefined || areAllWithin(reader, roots) ? [] : inRoots(roots);
}

import { sep } from "node:path";

/** A path for people: the home directory as `~`. */
export function tildePath(path: string, home: string): string {
  if (home === "" || home === sep) return path;
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** The lengths at which the ids of pi (UUIDs) are cut, between two of their groups where it can be. */
const ID_LENGTHS = [8, 13, 18, 23];

/** The ids cut to one length at which all of them still differ. */
export function shortIds(ids: readonly string[]): string[] {
  const distinct = new Set(ids).size;
  const enough = ID_LENGTHS.find((length) => new Set(ids.map((id) => id.slice(0, length))).size === distinct);
  return enough === undefined ? [...ids] : ids.map((id) => id.slice(0, enough));
}

import { realpathSync } from "node:fs";
import { sep } from "node:path";
import { unlessUnreadable } from "../../file/unreadable.ts";

/** A path for people: the home directory as `~`, by its own name too where a link leads to it. */
export function tildePath(path: string, home: string): string {
  if (home === "" || home === sep) return path;
  return belowTilde(path, home) ?? belowTilde(path, realPathOf(home)) ?? path;
}

function belowTilde(path: string, home: string): string | null {
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : null;
}

/** Every path that is shown asks for the same one. */
const REAL_PATHS = new Map<string, string>();

function realPathOf(home: string): string {
  let real = REAL_PATHS.get(home);
  if (real === undefined) {
    real = unlessUnreadable(() => realpathSync.native(home)) ?? home;
    REAL_PATHS.set(home, real);
  }
  return real;
}

/** The lengths at which the ids of pi (UUIDs) are cut, between two of their groups where it can be. */
const ID_LENGTHS = [8, 13, 18, 23];

/** The ids cut to one length at which all of them still differ. */
export function shortIds(ids: readonly string[]): string[] {
  const distinct = new Set(ids).size;
  const enough = ID_LENGTHS.find((length) => new Set(ids.map((id) => id.slice(0, length))).size === distinct);
  return enough === undefined ? [...ids] : ids.map((id) => id.slice(0, enough));
}

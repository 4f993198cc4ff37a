import { sep } from "node:path";
import { nativeRealPathOrNull } from "../../file/real-path.ts";

/** A path for people: the home directory as `~`, also where the path has its real name and the home is a link to it. */
export function tildePath(path: string, home: string): string {
  if (home === "" || home === sep) return path;
  return belowTilde(path, home) ?? belowTilde(path, realHomeOf(home)) ?? path;
}

function belowTilde(path: string, home: string): string | null {
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : null;
}

/** Remembered, because it is needed for every path that is shown. */
const REAL_HOMES = new Map<string, string>();

function realHomeOf(home: string): string {
  let real = REAL_HOMES.get(home);
  if (real === undefined) {
    real = nativeRealPathOrNull(home) ?? home;
    REAL_HOMES.set(home, real);
  }
  return real;
}

import { existsSync, realpathSync } from "node:fs";

/** The path without links: pi and the index may know a folder by different names. As it stands if nothing is there. */
export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

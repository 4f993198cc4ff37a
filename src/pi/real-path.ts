import { existsSync, realpathSync } from "node:fs";

/** The name without links: pi and the index may know a folder by different ones. A path that is not there as it stands. */
export function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

import { statSync } from "node:fs";
import type { IndexLocation } from "./open.ts";

/** Which files an index consists of at some moment, as `fileAt` gives them. */
export type IndexFiles = Readonly<Record<keyof IndexLocation, string | null>>;

/**
 * Which file is at a path; null for none. With the time of birth, because a number that was freed is given to the next file
 * that is made. Only looked at: to open a database would drop the locks of those who have it open.
 */
export function fileAt(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`;
}

export function filesAt({ indexPath, searchPath }: IndexLocation): IndexFiles {
  return { indexPath: fileAt(indexPath), searchPath: fileAt(searchPath) };
}

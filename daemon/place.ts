import { statSync } from "node:fs";
import { dirname } from "node:path";
import { unlessUnreadable } from "../src/file/unreadable.ts";

/**
 * What the folder of an index lies in: pi's own folder, mostly. Where people move it, with everything in it, and put a
 * link in its place, a new one would be in their way.
 */
export function placeOf(indexPath: string): string {
  return dirname(dirname(indexPath));
}

/** Whether nothing is there. What cannot be looked at is. */
export function isMissing(path: string): boolean {
  return unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }) === undefined) ?? false;
}

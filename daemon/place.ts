import { statSync } from "node:fs";
import { dirname } from "node:path";
import { unlessUnreadable } from "../src/file/unreadable.ts";

/**
 * The parent of the index's folder, usually pi's agent directory. If it is missing, people may have moved it with
 * everything in it and be about to put a link in its place: a new folder there would be in their way.
 */
export function placeOf(indexPath: string): string {
  return dirname(dirname(indexPath));
}

/** Whether nothing is there. What cannot be looked at counts as being there. */
export function isMissing(path: string): boolean {
  return unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }) === undefined) ?? false;
}

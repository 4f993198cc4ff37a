import { isArrayFileName, isWithin } from "../file/names.ts";
import type { FileTrouble } from "../query/results.ts";
import type { Cursor, Cursors } from "./cursor.ts";

/** What the index knows to be wrong with files below the roots, whenever it was found out. */
export function standingTroubles(cursors: Cursors, roots: readonly string[]): FileTrouble[] {
  return cursors
    .troubled()
    .filter(({ path }) => roots.some((root) => isWithin(root, path)))
    .map(troubleOf)
    .filter((trouble) => trouble !== null);
}

/** A file without any entry yet is not a session either; other programs' `.json` files are nobody's trouble. */
function troubleOf({ path, status, error, malformedLines }: Cursor): FileTrouble | null {
  switch (status) {
    case "session":
      return malformedLines > 0 ? { path, kind: "malformed", detail: String(malformedLines) } : null;
    case "unreadable":
    case "failed":
      return { path, kind: status, detail: error ?? "" };
    case "not_session":
    case "empty":
      return isArrayFileName(path) ? null : { path, kind: "not_session", detail: "no session header" };
    default:
      return status satisfies never;
  }
}

import { isArrayFileName, isWithinAny } from "../files/session-path.ts";
import type { Database } from "../store/native.ts";
import { prepared } from "../store/statements.ts";
import { type Cursor, type CursorTable, HAS_ISSUE } from "../store/tables/cursors.ts";
import type { FileTrouble } from "./sync-report.ts";

/** What the index knows to be wrong with files below the roots, whenever it was found out. */
export function knownIssues(cursors: CursorTable, roots: readonly string[]): FileTrouble[] {
  return cursors
    .withIssues()
    .filter(({ path }) => isWithinAny(roots, path))
    .map(issueOf)
    .filter((issue) => issue !== null);
}

/** The first condition is that of a partial SQL index, so that no other files are looked at. */
const NOT_READ = `SELECT path FROM files WHERE ${HAS_ISSUE} AND status IN ('unreadable', 'failed')`;

/** Those of them that could not be read, so that nothing new of them is in the index. Cheap enough for every question. */
export function filesNotRead(database: Database, roots: readonly string[]): { path: string }[] {
  const files = prepared(database, NOT_READ).all() as { path: string }[];
  return files.filter(({ path }) => isWithinAny(roots, path));
}

/** A file without any entry yet is not a session either; other programs' `.json` files are nobody's issue. */
function issueOf({ path, status, error, malformedLines }: Cursor): FileTrouble | null {
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

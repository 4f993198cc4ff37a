import type { Database } from "../db/native.ts";
import { prepared } from "../db/prepared.ts";
import type { Unseen } from "../file/locate.ts";
import { isArrayFileName, isWithinAny } from "../file/names.ts";
import type { FileTrouble } from "../query/results.ts";
import { type Cursor, type Cursors, TROUBLED } from "./cursor.ts";

/** What the index knows of files below the roots that are not, or not wholly, sessions, whenever it was found out. */
export interface Standing {
  troubles: FileTrouble[];
  /** Paths of the files without a session in them, other programs' too. */
  notSessions: string[];
}

export function standingOf(cursors: Cursors, roots: readonly string[]): Standing {
  const troubled = cursors.troubled().filter(({ path }) => isWithinAny(roots, path));
  return {
    troubles: troubled.map(troubleOf).filter((trouble) => trouble !== null),
    notSessions: troubled.filter(isNoSession).map(({ path }) => path),
  };
}

/** Without those that could not be looked for, and those that are gone though the index keeps what it has of them. */
export function seenAmong(paths: readonly string[], unseen: Unseen, gone: ReadonlySet<string>): string[] {
  const unknown = [...unseen.missingRoots, ...unseen.unreadable.map(({ path }) => path)];
  return paths.filter((path) => !gone.has(path) && !isWithinAny(unknown, path));
}

function isNoSession({ status }: Cursor): boolean {
  return status === "not_session" || status === "empty";
}

/** By the first condition no other files are looked at. */
const NOT_READ = `SELECT path FROM files WHERE ${TROUBLED} AND status IN ('unreadable', 'failed')`;

/** Of these the files of which nothing new is in the index, since they could not be read; for every question. */
export function filesNotRead(database: Database, roots: readonly string[]): { path: string }[] {
  const files = prepared(database, NOT_READ).all() as { path: string }[];
  return files.filter(({ path }) => isWithinAny(roots, path));
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

import { pathPattern } from "../files/session-path.ts";
import type { Database } from "../store/native.ts";
import { prepared } from "../store/statements.ts";

/** Directories that stand for others: from a path, with `*` for any part of a name, to a path. */
export type Aliases = Readonly<Record<string, string>>;

const UNKNOWN = "SELECT DISTINCT cwd FROM sessions WHERE cwd <> '' AND cwd NOT IN (SELECT cwd FROM projects)";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A directory that is worked in is looked at once a day: it may have become a repository, or have got a remote. */
const IN_USE = `SELECT DISTINCT s.cwd FROM sessions s JOIN projects p ON p.cwd = s.cwd
  WHERE s.modified_at > @now - ${2 * DAY_MS} AND p.looked_at < @now - ${DAY_MS}`;

const ALIASED = "SELECT cwd, alias FROM projects";

export type AliasOf = (cwd: string) => string | null;

/** What a directory is called by the aliases; null where they say nothing of it. */
export function aliasesBy(aliases: Aliases): AliasOf {
  // The longest first: what is said of a folder goes before what is said of the one it lies in.
  const rules = Object.entries(aliases)
    .toSorted(([left], [right]) => right.length - left.length)
    .map(([from, to]) => ({ pattern: pathPattern([from]), to: to.replace(/(?<=.)[/\\]+$/, "") }));
  const once = (path: string): string | null => {
    for (const { pattern, to } of rules) {
      const [found] = pattern.exec(path) ?? [];
      if (found !== undefined) return to + path.slice(found.length);
    }
    return null;
  };
  return (cwd) => {
    let alias = once(cwd);
    // An alias may have one itself; each is followed once, so that what leads in a circle ends.
    for (let left = rules.length - 1; left > 0 && alias !== null; left--) alias = once(alias) ?? alias;
    return alias === cwd ? null : alias;
  };
}

/** Working directories that have to be looked at, each question asks for them. */
export function directoriesDue(database: Database, aliasOf: AliasOf, now: number): string[] {
  const unknown = prepared(database, UNKNOWN).pluck().all() as string[];
  const inUse = prepared(database, IN_USE).pluck().all({ now }) as string[];
  const known = prepared(database, ALIASED).all() as { cwd: string; alias: string | null }[];
  const changed = known.filter(({ cwd, alias }) => aliasOf(cwd) !== alias).map(({ cwd }) => cwd);
  return [...new Set([...unknown, ...inUse, ...changed])];
}

/** Directories in which no session was held that is left. */
export const FORGOTTEN = "cwd NOT IN (SELECT cwd FROM sessions)";
const ANY_FORGOTTEN = `SELECT 1 FROM projects WHERE ${FORGOTTEN} LIMIT 1`;

export function isAnyForgotten(database: Database): boolean {
  return prepared(database, ANY_FORGOTTEN).get() !== undefined;
}

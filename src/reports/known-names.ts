import type { Filter } from "../filters/filter.ts";
import { currentProvider, currentProviderOf } from "../filters/providers.ts";
import { type NameOptions, resolvePlace } from "../filters/resolve-session.ts";
import { type Condition, inRootsIfNeeded, isOfProject, isSession, whereClause } from "../filters/where.ts";
import type { Database } from "../store/native.ts";
import type { Index } from "../store/open.ts";
import { type EntryNode, readSessionNodes } from "../store/tables/entry-nodes.ts";

/* What can be asked for by name: told where an answer is empty because nothing has the name, and to shells that complete. */

/**
 * The names that a query gives, in order, of the files below the roots.
 *
 * @param query takes the WHERE clause of each of its tables, which have a `file_id`
 */
function namesWithin(
  reader: Database,
  roots: string[] | undefined,
  query: (where: string) => string,
): string[] {
  const bounds = inRootsIfNeeded(reader, roots);
  const { sql, values } = whereClause(bounds);
  const names =
    bounds.length === 0
      ? query("")
      : `WITH asked (id) AS (SELECT f.id FROM files f ${sql}) ${query("WHERE file_id IN asked")}`;
  const found = reader.prepare(`${names} ORDER BY 1`).pluck();
  // Empty where files do not say it: nobody can ask for that.
  return (found.all(...values) as string[]).filter((name) => name !== "");
}

/** What an answer was about. */
export interface Asked {
  filter: Filter;
  /** Only sessions below these folders. */
  roots?: string[] | undefined;
}

/** A condition of a filter that nothing in the index meets, whatever else was asked. */
export interface Unmatched {
  key: "project" | "session" | NamedKey | "author" | "project name";
  asked: string;
  /** What it could have been, in order. */
  known: string[];
}

/** Only of kinds that some entry still has: kinds of entries that are gone may be left over. */
const namesOfKinds = (column: string, where: string, name = `k.${column}`): string =>
  `SELECT DISTINCT ${name} FROM (SELECT DISTINCT kind FROM entries ${where}) e
    JOIN entry_kinds k ON k.id = e.kind WHERE k.${column} IS NOT NULL`;

/** `where` narrows each of their tables. */
const NAMES = {
  model: (where: string) => namesOfKinds("model", where),
  provider: (where: string) => namesOfKinds("provider", where, currentProviderOf("k.provider")),
  role: (where: string) => namesOfKinds("role", where),
  type: (where: string) => namesOfKinds("type", where),
  tool: (where: string) =>
    `SELECT DISTINCT name FROM tool_calls ${where} UNION ${namesOfKinds("tool_name", where)}`,
  label: (where: string) => `SELECT DISTINCT label FROM labels ${where}`,
};

const CWDS = (where: string) => `SELECT DISTINCT cwd FROM sessions ${where}`;

type NamedKey = keyof typeof NAMES;

const NAMED_KEYS: readonly NamedKey[] = ["model", "provider", "role", "type", "tool", "label"];

/**
 * Which conditions are met by no session below the roots, each taken by itself: otherwise a misspelt name, or a folder
 * without sessions, looks like any empty answer. It looks through all entries, so it is for empty answers only.
 */
export function unmatchedIn({ database }: Index, { filter, roots }: Asked): Unmatched[] {
  const unmatched: Unmatched[] = [];
  const { project } = filter;
  if (project !== undefined && !isThere(database, isOfProject(project), roots)) {
    unmatched.push({ key: "project", asked: project, known: namesWithin(database, roots, CWDS) });
  }
  const { session } = filter;
  if (session !== undefined && !isThere(database, isSession(session), roots))
    unmatched.push({ key: "session", asked: session, known: [] });
  for (const key of NAMED_KEYS) {
    const asked = filter[key];
    if (asked === undefined) continue;
    const known = namesWithin(database, roots, NAMES[key]);
    if (!known.some((name) => MEETS[key](name, asked))) unmatched.push({ key, asked, known });
  }
  return unmatched;
}

const isSame = (name: string, asked: string): boolean => name === asked;
const isSameProvider = (name: string, asked: string): boolean => name === currentProvider(asked);

/** As the conditions of `where.ts` compare them. */
const MEETS: Record<NamedKey, (name: string, asked: string) => boolean> = {
  model: (name, asked) => name.toLowerCase().includes(asked.toLowerCase()),
  provider: isSameProvider,
  role: isSame,
  type: isSame,
  tool: isSame,
  label: (name, asked) => name.toLowerCase() === asked.toLowerCase(),
};

/** Whether there is such a session below the roots. */
export function isThere(database: Database, condition: Condition, roots: string[] | undefined): boolean {
  const { sql, values } = whereClause([condition, ...inRootsIfNeeded(database, roots)]);
  const held = database.prepare(`SELECT 1 FROM sessions s JOIN files f ON f.id = s.file_id ${sql} LIMIT 1`);
  return held.get(...values) !== undefined;
}

/** Read from the smallest tables that hold them: nearly as fast in a large index as in a small one. */
const NAMES_IN_USE = {
  models: (where: string) => `SELECT DISTINCT model FROM usage_quarters ${where}`,
  providers: (where: string) =>
    `SELECT DISTINCT ${currentProviderOf("provider")} FROM usage_quarters ${where}`,
  tools: (where: string) => `SELECT DISTINCT name FROM tool_calls ${where}`,
  labels: (where: string) => `SELECT DISTINCT label FROM labels ${where}`,
};

/**
 * Models and providers that were paid, tools that were called, labels that entries carry, each in order, in sessions
 * below the roots.
 */
export function namesInUse(
  { database }: Index,
  kind: keyof typeof NAMES_IN_USE,
  roots: string[] | undefined,
): string[] {
  return namesWithin(database, roots, NAMES_IN_USE[kind]);
}

/**
 * The ends of the branches of the session that a name stands for, the newest first.
 *
 * @throws SessionDbError as `resolvePlace`
 */
export function branchEnds(index: Index, session: string, naming: NameOptions): EntryNode[] {
  const nodes = readSessionNodes(index, resolvePlace(index, session, naming).ref);
  const ends = [...nodes.inTreeOrder()].filter(({ children }) => children.length === 0);
  return ends.map(({ node }) => node).sort((a, b) => b.key - a.key);
}

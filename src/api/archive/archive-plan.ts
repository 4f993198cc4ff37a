import type { Filter } from "../../filters/filter.ts";
import { type NameOptions, resolveSession } from "../../filters/resolve-session.ts";
import type { Session } from "../../reports/answers.ts";
import { listSessions, readListedSession } from "../../reports/sessions.ts";
import { groupedBy } from "../../runtime/collections.ts";
import type { Index } from "../../store/open.ts";
import { whyNotArchived } from "./archive.ts";

/** Which sessions are to be moved. */
export type Choice =
  /** Those that a person has named. */
  | { kind: "named"; names: readonly string[]; naming: NameOptions }
  /** Those that a filter leaves. */
  | { kind: "filter"; filter: Filter };

export interface ArchiveChoice {
  choice: Choice;
  /** Unix ms: those that were active since stay, with their families; named ones go all the same. */
  before: number;
  /** Only sessions of sub-agents, without those of people that they belong to. */
  subagents: boolean;
}

export interface ArchivePlan {
  /** A session of a person with all those of its sub-agents. */
  sessions: Session[];
  /** What was asked for and stays where it is. */
  left: { session: Session; why: string }[];
}

interface World {
  roots: string[];
  /** Unix ms. */
  now: number;
}

/**
 * What is to be archived. A family moves as a whole, or not at all: pi would look for the rest of it in vain.
 *
 * @throws SessionDbError as `resolveSession`
 */
export function planArchive(index: Index, asked: ArchiveChoice, { roots, now }: World): ArchivePlan {
  const { choice, before } = asked;
  const families = groupedBy(
    listSessions(index, { allSessions: true, roots }).sessions,
    ({ rootPath }) => rootPath,
  );
  const isOld = ({ modifiedAt }: Session) => choice.kind === "named" || Date.parse(modifiedAt) < before;
  const plan: ArchivePlan = { sessions: [], left: [] };
  for (const session of chosenFor(index, asked, roots).filter(isOld)) {
    const family = asked.subagents ? [session] : (families.get(session.path) ?? [session]);
    const why = whyLeft(family, { isOld, roots, now });
    if (why === null) plan.sessions.push(...family.filter(({ archived }) => !archived));
    else plan.left.push({ session, why });
  }
  return { ...plan, sessions: [...new Set(plan.sessions)] };
}

function chosenFor(index: Index, { choice, subagents }: ArchiveChoice, roots: string[]): Session[] {
  const found = chosen(index, choice, { roots, subagents });
  // What the archive has already is not asked for again, unless by name.
  return choice.kind === "named" ? found : found.filter(({ archived }) => !archived);
}

function chosen(
  index: Index,
  choice: Choice,
  { roots, subagents }: { roots: string[]; subagents: boolean },
): Session[] {
  if (choice.kind === "named") {
    const ids = choice.names.map((name) => resolveSession(index, name, choice.naming).fileId);
    return [...new Set(ids)].flatMap((id) => readListedSession(index, id, roots) ?? []);
  }
  const filter: Filter = subagents ? { ...choice.filter, origin: "subagent" } : choice.filter;
  return listSessions(index, { filter, roots }).sessions;
}

function whyLeft(
  family: readonly Session[],
  { isOld, roots, now }: World & { isOld: (session: Session) => boolean },
): string | null {
  const left = family.filter(({ archived }) => !archived);
  if (left.length === 0) return "archived already";
  if (!left.every(isOld)) return "a sub-agent was active since";
  return left.map((each) => whyNotArchived(each, roots, now)).find((why) => why !== null) ?? null;
}

/** The archived ones of what is chosen: with a session of a person those of its sub-agents. @throws as `planArchive` */
export function planRestore(index: Index, choice: Choice, roots: string[]): Session[] {
  const all = listSessions(index, { allSessions: true, roots }).sessions;
  const wanted = new Set(chosen(index, choice, { roots, subagents: false }).map(({ path }) => path));
  return all.filter(({ archived, path, rootPath }) => archived && (wanted.has(path) || wanted.has(rootPath)));
}

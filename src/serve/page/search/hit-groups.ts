import type { Hit, SearchResult } from "../../../search/hits/hit.ts";
import type { TeamHit } from "../../../team/ask/team-hits.ts";

/** An entry of this machine's sessions, or of what somebody has pushed to the team's database. */
export type FoundHit = Hit | TeamHit;

export interface FoundHits extends Pick<SearchResult, "total" | "totalIs"> {
  hits: FoundHit[];
}

export interface HitGroup {
  key: string;
  title: string;
  project: string;
  /** Who has pushed it; null for a session of this machine. */
  author: string | null;
  hits: FoundHit[];
}

/** Hits by their sessions; those come in the order of their first hits. */
export function hitGroups(hits: readonly FoundHit[]): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of hits) {
    const session = sessionOf(hit);
    const group = groups.get(session.key) ?? { ...session, title: hit.session.title, hits: [] };
    group.hits.push(hit);
    groups.set(session.key, group);
  }
  return [...groups.values()];
}

function sessionOf(hit: FoundHit): Pick<HitGroup, "key" | "project" | "author"> {
  if (!("author" in hit)) return { key: hit.session.path, project: hit.session.cwd, author: null };
  const { author, session } = hit;
  return { key: `${author}/${session.id}`, project: session.project, author };
}

/** What stands between a session and an entry in a handle: `16`, `16.2`. */
export function placeInHandle(handle: string): string {
  return /:(\d+(?:\.\d+)?)$/.exec(handle)?.[1] ?? "";
}

/** What names the session in a handle. */
export function sessionInHandle(handle: string): string {
  return handle.replace(/:\d+(?:\.\d+)?$/, "");
}

/** How sure the number of hits is, in words before it. */
export const TOTAL_WORDS: Record<SearchResult["totalIs"], string> = {
  exact: "",
  atLeast: "at least ",
  atMost: "at most ",
};

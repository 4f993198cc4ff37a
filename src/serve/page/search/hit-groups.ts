import type { Hit, SearchResult } from "../../../search/hits/hit.ts";

export interface HitGroup {
  session: Hit["session"];
  hits: Hit[];
}

/** Hits by their sessions; those come in the order of their first hits. */
export function hitGroups(hits: readonly Hit[]): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of hits) {
    const group = groups.get(hit.session.path) ?? { session: hit.session, hits: [] };
    group.hits.push(hit);
    groups.set(hit.session.path, group);
  }
  return [...groups.values()];
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

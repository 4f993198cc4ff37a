import type { PageName, Query } from "./route.ts";

/** The filters that pages share: words of their addresses, and options of the commands, by the same names. */
const FILTER_NAMES = [
  "project",
  "author",
  "model",
  "provider",
  "since",
  "until",
  "has",
  "origin",
  "named",
  "tool",
  "role",
  "label",
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** What only this machine's index can be asked, and only a team's database. */
const UNKNOWN_TO_TEAM: readonly FilterName[] = ["has", "named", "tool", "label"];
const KNOWN_TO_TEAM: readonly FilterName[] = ["author"];

/** The pages that can be about a team. */
const OF_TEAM: readonly PageName[] = ["overview", "sessions", "usage", "search"];

export function canBeOfTeam(page: PageName): boolean {
  return OF_TEAM.includes(page);
}

/** Whether an address is about what a team has pushed, instead of this machine's sessions. */
export function isOfTeam({ team }: Query): boolean {
  return team === "true";
}

/** What an address says about whose sessions it is about, for links to other pages. */
export function whoseIn(query: Query): Query {
  return isOfTeam(query) ? { team: "true" } : {};
}

/** The filters that a page has fields for. */
export function filtersFor(query: Query, names: readonly FilterName[]): readonly FilterName[] {
  const unknown = isOfTeam(query) ? UNKNOWN_TO_TEAM : KNOWN_TO_TEAM;
  return names.filter((name) => !unknown.includes(name));
}

/** The filters in an address. */
export function filtersIn(query: Query): Partial<Record<FilterName, string>> {
  const names = filtersFor(query, FILTER_NAMES);
  return Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
}

/** What an address asks of a command: of whose sessions, and which. */
export function askedIn(query: Query): Query {
  return { ...whoseIn(query), ...filtersIn(query) };
}

/** What the address of a page says: all of its state stands there. */

/** Where each page is; the reader is at the session that it shows. */
export const PAGE_PATHS = {
  overview: "/",
  sessions: "/sessions",
  search: "/search",
  usage: "/usage",
  files: "/files",
  labels: "/labels",
  sql: "/sql",
  health: "/health",
} as const;

export type PageName = keyof typeof PAGE_PATHS | "reader" | "unknown";

export type Query = Readonly<Record<string, string>>;

export interface Route {
  page: PageName;
  /** What names the session, in the reader; else empty. */
  session: string;
  /** Where an entry stands, as a handle says it: `16`, `16.2`; empty without one. */
  place: string;
  query: Query;
}

const READER = /^\/s\/(.+?)(?::(\d+(?:\.\d+)?))?$/s;

export function parseRoute(path: string, search: string): Route {
  const query = Object.fromEntries(new URLSearchParams(search));
  const [, name = "", place = ""] = READER.exec(decoded(path)) ?? [];
  if (name !== "") return { page: "reader", session: name, place, query };
  return { page: pageAt(path.replace(/(.)\/$/, "$1")), session: "", place: "", query };
}

function pageAt(path: string): PageName {
  const [page] = Object.entries(PAGE_PATHS).find(([, each]) => each === path) ?? ["unknown"];
  return page as PageName;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** The address of a page; what is empty in the query is left out. */
export function pageAddress(path: string, query: Query = {}): string {
  const words = queryText(query);
  return words === "" ? path : `${path}?${words}`;
}

/** The address of a session, or of a place in it. */
export function sessionAddress(session: string, place: string | number = "", query: Query = {}): string {
  return pageAddress(`/s/${encodeURIComponent(session)}${place === "" ? "" : `:${place}`}`, query);
}

/** `a=1&b=2`, without what is empty. */
export function queryText(query: Query): string {
  return new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
}

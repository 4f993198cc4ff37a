import type { Session } from "../../../reports/answers.ts";
import type { TeamSession } from "../../../team/ask/team-sessions.ts";
import { askedIn } from "../filters.ts";
import type { Query } from "../route.ts";
import { apiPath } from "../server.ts";

/** A session of this machine's index, or one that somebody has pushed to the team's database. */
export type ListedSession = Session | TeamSession;

export interface ListedSessions {
  total: number;
  sessions: ListedSession[];
}

/** Rows that are asked for at once. */
export const BLOCK = 100;

/** What asks for the rows of a list that an address describes. */
export function blockPath(query: Query, block: number): string {
  const offset = block === 0 ? "" : String(block * BLOCK);
  return listPath(query, { limit: String(BLOCK), offset });
}

export function listPath(query: Query, more: Query): string {
  const { sort = "", "all-sessions": all = "" } = query;
  return apiPath("sessions", { ...askedIn(query), sort, "all-sessions": all, ...more });
}

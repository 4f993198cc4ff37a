import type { Query } from "../route.ts";
import { apiPath } from "../server.ts";

/** Entries of a piece. */
export const PIECE_SIZE = 50;

/** The branch of a session that is read. */
export interface ReadBranch {
  /** What names the session. */
  session: string;
  /** An entry of it; empty: the one that the session is on. */
  branch: string;
}

export function piecePath({ session, branch }: ReadBranch, piece: number, total: number): string {
  const from = piece * PIECE_SIZE;
  const count = Math.min(PIECE_SIZE, total - from);
  return apiPath("conversation/html", { session, branch, from: String(from), count: String(count) });
}

/** What asks for the outline of the branch that an address names. */
export function outlinePath(session: string, place: string, query: Query): string {
  const { branch = "" } = query;
  return apiPath("conversation/outline", { session: place === "" ? session : `${session}:${place}`, branch });
}

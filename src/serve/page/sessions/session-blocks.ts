import { filtersIn } from "../filters.ts";
import type { Query } from "../route.ts";
import { apiPath } from "../server.ts";

/** Rows that are asked for at once. */
export const BLOCK = 100;

/** What asks for the rows of a list that an address describes. */
export function blockPath(query: Query, block: number): string {
  const offset = block === 0 ? "" : String(block * BLOCK);
  return listPath(query, { limit: String(BLOCK), offset });
}

export function listPath(query: Query, more: Query): string {
  const { sort = "", "all-sessions": all = "" } = query;
  return apiPath("sessions", { ...filtersIn(query), sort, "all-sessions": all, ...more });
}

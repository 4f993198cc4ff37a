import { SessionDbError } from "../../errors.ts";

export const SEARCH_SORTS = ["relevance", "newest", "oldest"] as const;
export type SearchSort = (typeof SEARCH_SORTS)[number];

/** Also as other commands write it: a key with a direction. */
const WRITTEN: Readonly<Record<string, SearchSort>> = {
  relevance: "relevance",
  "relevance:desc": "relevance",
  newest: "newest",
  "newest:desc": "newest",
  "newest:asc": "oldest",
  oldest: "oldest",
  "oldest:asc": "oldest",
  "oldest:desc": "newest",
  time: "newest",
  "time:desc": "newest",
  "time:asc": "oldest",
};

/** @throws SessionDbError `usage`; `name` is what the setting is called there */
export function readSearchSort(text: string, name: string): SearchSort {
  const sort = Object.hasOwn(WRITTEN, text) ? WRITTEN[text] : undefined;
  if (sort !== undefined) return sort;
  throw new SessionDbError("usage", `${name} cannot be "${text}"`, {
    hint: `Choose one of: ${SEARCH_SORTS.join(", ")}, time:asc, time:desc.`,
  });
}

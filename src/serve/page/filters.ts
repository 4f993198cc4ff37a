import type { Query } from "./route.ts";

/** The filters that pages share: words of their addresses, and options of the commands, by the same names. */
const FILTER_NAMES = [
  "project",
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

/** The filters in an address, as they are asked. */
export function filtersIn(query: Query): Query {
  return Object.fromEntries(FILTER_NAMES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
}

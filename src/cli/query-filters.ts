import type { Args } from "./args.ts";

/** The options that may also stand in a search query as `key:value`. */
const KEYS = [
  "project",
  "since",
  "until",
  "model",
  "provider",
  "role",
  "type",
  "tool",
  "label",
  "has",
  "origin",
  "limit",
  "sort",
];
const FLAGS = ["here", "named"];

/** A word of the query, quoted parts whole. */
const WORD = /(?:"[^"]*"?|[^\s"])+/g;
const CONDITION = new RegExp(`^(${[...KEYS, ...FLAGS].join("|")}):(.+)$`, "s");

export interface SplitQuery {
  /** What is left to look for. */
  words: string;
  /** The conditions, named as the options are. */
  args: Args;
}

/**
 * Takes `role:user`, `since:7d`, `project:"a b"`, `named:yes` out of a query. Everything else stays: a colon
 * after another word means nothing, and in quotes (`"type:number"`) it never does.
 */
export function splitQuery(query: string): SplitQuery {
  const words: string[] = [];
  const args: Record<string, unknown> = {};
  for (const word of query.match(WORD) ?? []) {
    const [, key, value = ""] = CONDITION.exec(word) ?? [];
    if (key === undefined) words.push(word);
    else args[key] = FLAGS.includes(key) ? isYes(value) : value.replace(/^"(.*?)"?$/s, "$1");
  }
  return { words: words.join(" "), args };
}

function isYes(value: string): boolean {
  return !/^(no|false|0)$/i.test(value);
}

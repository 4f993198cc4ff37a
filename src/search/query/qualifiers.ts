import { SessionDbError } from "../../errors.ts";
import { VALUED_KEYS, type WrittenFilter } from "../../filters/filter-words.ts";

/** What may stand in a search query as `key:value`. */
const KEYS = [...VALUED_KEYS, "limit", "sort"] as const;
const FLAGS = ["here", "named"] as const;

/** A word of the query; a quoted part of it may hold spaces. */
const WORD = /(?:"[^"]*"?|[^\s"])+/g;
const CONDITION = new RegExp(`^(-?)(?:(${KEYS.join("|")})|(${FLAGS.join("|")})):(.+)$`, "s");

export interface QueryConditions extends WrittenFilter {
  limit?: string;
  sort?: string;
}

export interface SplitQuery {
  /** What is left to look for. */
  words: string;
  conditions: QueryConditions;
  /** What no hit may meet (`-role:user`), each by itself. */
  without: QueryConditions[];
}

/**
 * Takes `role:user`, `since:7d`, `project:"a b"`, `named:yes`, `-tool:bash` out of a query. Everything else stays: a
 * colon after another word means nothing, and in quotes (`"type:number"`) it never does.
 */
export function splitQuery(query: string): SplitQuery {
  const words: string[] = [];
  const conditions: QueryConditions = {};
  const without: QueryConditions[] = [];
  for (const word of query.match(WORD) ?? []) {
    const [, dash, key, flag, value = ""] = CONDITION.exec(word) ?? [];
    const condition: QueryConditions = dash === "-" ? {} : conditions;
    if (isOneOf(KEYS, key)) condition[key] = value.replace(/^"(.*?)"?$/s, "$1");
    else if (isOneOf(FLAGS, flag)) condition[flag] = isYes(value, flag);
    else words.push(word);
    if (dash === "-") without.push(condition);
  }
  return { words: words.join(" "), conditions, without };
}

function isOneOf<T extends string>(list: readonly T[], text: string | undefined): text is T {
  return list.some((each) => each === text);
}

/** @throws SessionDbError `usage` */
function isYes(value: string, flag: string): boolean {
  if (/^(?:yes|true|1)$/i.test(value)) return true;
  if (/^(?:no|false|0)$/i.test(value)) return false;
  throw new SessionDbError("usage", `${flag} cannot be "${value}"`, {
    hint: `Choose yes or no; to search for these words, put them in quotes: "${flag}:${value}".`,
  });
}

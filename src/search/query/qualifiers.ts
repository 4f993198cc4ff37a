import { SessionDbError } from "../../errors.ts";
import { VALUED_KEYS, type WrittenFilter } from "../../filters/filter-words.ts";
import { closersAt, withPlainQuotes } from "./query-pieces.ts";

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
  const all: string[] = withPlainQuotes(query).match(WORD) ?? [];
  let depth = 0;
  for (const [at, word] of all.entries()) {
    const { opened, bare, closed } = inGroup(word, depth);
    const [, dash, key, flag, value = ""] = CONDITION.exec(bare) ?? [];
    depth += opened - closed;
    if (key === undefined && flag === undefined) {
      words.push(word);
      continue;
    }
    if (depth + closed > 0) throw notAlone(bare, "in parentheses");
    if ([all[at - 1], all[at + 1]].includes("OR")) throw notAlone(bare, "beside OR");
    const isNot = all[at - 1] === "NOT";
    if (isNot) words.pop();
    const isUnwanted = (dash === "-") !== isNot;
    const condition: QueryConditions = isUnwanted ? {} : conditions;
    if (isOneOf(KEYS, key)) condition[key] = value.replace(/^"(.*?)"?$/s, "$1");
    else if (isOneOf(FLAGS, flag)) condition[flag] = isYes(value, flag);
    if (isUnwanted) without.push(condition);
  }
  return { words: words.join(" "), conditions, without };
}

/** A word without the parentheses of the groups that it opens and closes. */
function inGroup(word: string, depth: number): { opened: number; bare: string; closed: number } {
  const [before = ""] = /^-?\(+/.exec(word) ?? [];
  const opened = before.replace("-", "").length;
  const { body, closers } = closersAt(word.slice(before.length), depth + opened);
  return { opened, bare: opened > 0 || closers > 0 ? body : word, closed: closers };
}

/** @returns the error for a condition that seems to count for a part of the query only */
function notAlone(condition: string, where: string): SessionDbError {
  return new SessionDbError("usage", `${condition} cannot stand ${where}: it counts for the whole query`, {
    hint: `Write it at the end; as text to search for, put it in quotes: "${condition}".`,
  });
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

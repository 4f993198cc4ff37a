import type { SqlParameters, SqlValue } from "./sql-rows.ts";

/** What looks like a parameter in a string, a quoted name or a comment is none. */
const NUMBERED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?(\d+)/g;

/**
 * Values as better-sqlite3 takes them, one by one and then by name. To it `?1` is a parameter with the name `1`: the
 * value in that place goes by its name.
 */
export function boundValues(sql: string, { positional = [], named }: SqlParameters): unknown[] {
  const numbers = new Set([...sql.matchAll(NUMBERED)].flatMap(([, number]) => number ?? []));
  const numbered = [...numbers].flatMap((number): [string, SqlValue][] => {
    const value = positional[Number(number) - 1];
    return value === undefined ? [] : [[number, value]];
  });
  const places = new Set(numbered.map(([number]) => Number(number) - 1));
  const others = positional.filter((_value, place) => !places.has(place));
  if (named === undefined && numbered.length === 0) return others;
  return [...others, { ...named, ...Object.fromEntries(numbered) }];
}

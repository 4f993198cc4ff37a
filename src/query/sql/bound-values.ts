import type { SqlParameters, SqlValue } from "./sql-rows.ts";

/** Finds numbered parameters. It matches strings, quoted names and comments, too: what looks like one in them is none. */
const NUMBERED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?(\d+)/g;

/**
 * Values as better-sqlite3 takes them: first those without a name, then those by name. It takes `?1` for a parameter with
 * the name `1`, so the value for it is given by that name.
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

/** The same values, with whole numbers as SQLite's integers: it takes any other of JavaScript's for a REAL, `2` for 2.0. */
export function withIntegers({ positional, named }: SqlParameters): SqlParameters {
  return {
    ...(positional !== undefined && { positional: positional.map(asInteger) }),
    ...(named !== undefined && {
      named: Object.fromEntries(Object.entries(named).map(([name, value]) => [name, asInteger(value)])),
    }),
  };
}

/** Of the two zeros only the REAL one can be negative. */
function asInteger(value: SqlValue): SqlValue {
  return typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0)
    ? BigInt(value)
    : value;
}

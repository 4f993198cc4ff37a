import type { Query } from "../route.ts";

/** Values of a statement by their names, as they are typed. */
export type Values = Readonly<Record<string, string>>;

/** What is a text, a quoted name or a comment in a statement, and what stands for a value: `:name`. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[\s\S]*?(?:\*\/|$)|:([A-Za-z_]\w*)/g;

/** The names for which a statement wants values, each once. */
export function namesIn(sql: string): string[] {
  return [...new Set([...sql.matchAll(TOKENS)].flatMap(([, name]) => (name === undefined ? [] : [name])))];
}

/** What was typed, else what the address has: there a value stands under its name with a colon. */
export function valuesFor(names: readonly string[], from: { query: Query; typed: Values }): Values {
  const { query, typed } = from;
  return Object.fromEntries(names.map((name) => [name, typed[name] ?? query[`:${name}`] ?? ""]));
}

/** What the address says of a statement with its values. */
export function addressedAs(sql: string, values: Values): Query {
  return {
    q: sql,
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
  };
}

/** Values as they are sent: what is written as a number is one, as with `sessiondb sql --param`. */
export function parametersOf(values: Values): Record<string, string | number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plainValue(value)]));
}

/** A word that is written as a plain number is one; `007` and `1e5` may be ids. */
function plainValue(text: string): string | number {
  const number = Number(text);
  if (/^-?\d*\.\d+$/.test(text)) return number;
  return /^-?(0|[1-9]\d*)$/.test(text) && Number.isSafeInteger(number) ? number : text;
}

import type { UsageRow } from "../../../reports/usage/usage-shapes.ts";

/** What bars show of rows. */
export type Measure = "cost" | "totalTokens" | "requests";

interface StackPart {
  name: string;
  total: number;
  /** One for each period. */
  values: number[];
  /** Which colour, from 1 to 6; 7 is for the rest. */
  colour: number;
}

/** Periods, each made of the parts. */
export interface Stack {
  periods: readonly string[];
  /** The largest first, the rest last. */
  parts: StackPart[];
  totals: number[];
  highest: number;
}

/** As many parts have a colour of their own. */
const MOST_PARTS = 6;

/** Rows of periods with their models, as bars; periods without a row are empty. */
export function stackOf(rows: readonly UsageRow[], periods: readonly string[], measure: Measure): Stack {
  const places = new Map(periods.map((key, at) => [key, at]));
  const byName = new Map<string, number[]>();
  for (const row of rows) {
    const place = places.get(row.key);
    if (place === undefined) continue;
    for (const part of row.models ?? [row]) {
      const values = byName.get(part.key) ?? periods.map(() => 0);
      values[place] = (values[place] ?? 0) + part[measure];
      byName.set(part.key, values);
    }
  }
  const all = [...byName]
    .map(([name, values]) => ({ name, values, total: sum(values) }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total);
  const parts = withRest(all);
  const totals = periods.map((_, at) => sum(parts.map(({ values }) => values[at] ?? 0)));
  return { periods, parts, totals, highest: Math.max(0, ...totals) };
}

function withRest(all: readonly Omit<StackPart, "colour">[]): StackPart[] {
  // A rest of one is that one.
  const own = all.length === MOST_PARTS + 1 ? MOST_PARTS + 1 : MOST_PARTS;
  const parts = all.slice(0, own).map((part, at) => ({ ...part, colour: at + 1 }));
  const rest = all.slice(own);
  if (rest.length === 0) return parts;
  const values = (rest[0]?.values ?? []).map((_, at) => sum(rest.map((each) => each.values[at] ?? 0)));
  const other = { name: `other (${rest.length})`, values, total: sum(values), colour: MOST_PARTS + 1 };
  return [...parts, other];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

import { expect, test } from "vitest";
import type { UsageRow } from "../../../src/reports/usage/usage-shapes.ts";
import { stackOf } from "../../../src/serve/page/plots/stack.ts";
import { fc } from "../../helpers/drawn.ts";

function row(key: string, cost: number, models?: UsageRow[]): UsageRow {
  const sums = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost, requests: 1 };
  const rates = {
    unpriced: 0,
    costFromProvider: 0,
    cacheHitRate: null,
    cacheSavings: null,
    averageMs: null,
    tokensPerSecond: null,
  };
  return { key, ...sums, ...rates, ...(models && { models }) };
}

const PERIODS = ["a", "b", "c", "d"];

const drawn = fc.array(
  fc.record({
    period: fc.constantFrom(...PERIODS),
    model: fc.constantFrom(..."0123456789"),
    // In whole dollars sums are exact.
    cost: fc.nat(1000),
  }),
  { maxLength: 40 },
);

test("what a bar shows in all is what its period has cost, however many models there are", () => {
  fc.assert(
    fc.property(drawn, (all) => {
      const rows = PERIODS.map((period) => {
        const models = all
          .filter((each) => each.period === period)
          .map(({ model, cost }) => row(model, cost));
        return row(period, 0, models);
      });
      const stack = stackOf(rows, PERIODS, "cost");
      const expected = PERIODS.map((period) =>
        all.filter((each) => each.period === period).reduce((sum, { cost }) => sum + cost, 0),
      );
      expect(stack.totals).toEqual(expected);
      expect(stack.highest).toBe(Math.max(...expected));
      for (const part of stack.parts)
        expect(part.total).toBe(part.values.reduce((sum, each) => sum + each, 0));
      const own = stack.parts.filter(({ name }) => !name.startsWith("other"));
      expect(own.map(({ total }) => total)).toEqual(own.map(({ total }) => total).sort((a, b) => b - a));
      expect(stack.parts.length).toBeLessThanOrEqual(7);
    }),
  );
});

test("the six largest have colours of their own, the others one together", () => {
  const models = [9, 8, 7, 6, 5, 4, 3, 2].map((cost) => row(`m${cost}`, cost));
  const { parts } = stackOf([row("a", 44, models)], ["a", "b"], "cost");
  expect(parts.map(({ name, colour, values }) => [name, colour, values])).toEqual([
    ["m9", 1, [9, 0]],
    ["m8", 2, [8, 0]],
    ["m7", 3, [7, 0]],
    ["m6", 4, [6, 0]],
    ["m5", 5, [5, 0]],
    ["m4", 6, [4, 0]],
    ["other (2)", 7, [5, 0]],
  ]);
});

test("a seventh is not hidden behind a word", () => {
  const models = [9, 8, 7, 6, 5, 4, 3].map((cost) => row(`m${cost}`, cost));
  expect(stackOf([row("a", 42, models)], ["a"], "cost").parts.at(-1)?.name).toBe("m3");
});

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/format/json.ts";
import { readUsageNumbers, usageOf } from "../../src/format/usage.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";

const cost = { input: 0.1, output: 0.2, cacheRead: 0.3, cacheWrite: 0.4, total: 1 };
const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost };

describe("usage stands in", () => {
  const model = { provider: "anthropic", model: "claude-sonnet-4-5" };
  test.each<[string, JsonObject, object]>([
    [
      "an assistant message",
      { type: "message", message: { role: "assistant", usage, ...model, stopReason: "stop" } },
      { source: "assistant", ...model, stopReason: "stop" },
    ],
    [
      "a tool result",
      { type: "message", message: { role: "toolResult", usage } },
      { source: "tool", provider: null, model: null, stopReason: null },
    ],
    ["a compaction", { type: "compaction", summary: "s", usage }, { source: "compaction", model: null }],
    ["a branch summary", { type: "branch_summary", usage }, { source: "branch_summary", model: null }],
    [
      "a usage entry",
      { type: "usage", kind: "cache_warm", usage, ...model },
      { source: "cache_warm", ...model },
    ],
    ["a usage entry without kind", { type: "usage", usage }, { source: "usage" }],
    ["a usage entry with an empty kind", { type: "usage", kind: "", usage }, { source: "usage" }],
  ])("%s", (_place, entry, expected) => {
    expect(usageOf(entry)).toMatchObject({ ...expected, input: 1, totalTokens: 10, cost: 1, flawed: false });
  });
});

describe("no usage stands in", () => {
  test.each<[string, JsonObject]>([
    ["a user message", { type: "message", message: { role: "user", usage } }],
    ["a message that is no object", { type: "message", message: "usage", usage }],
    ["an assistant message without one", { type: "message", message: { role: "assistant" } }],
    [
      "an assistant message whose usage is a list",
      { type: "message", message: { role: "assistant", usage: [1] } },
    ],
    [
      "an assistant message whose usage is null",
      { type: "message", message: { role: "assistant", usage: null } },
    ],
    ["an extension's entry", { type: "custom", usage }],
    ["an entry without type", { usage }],
  ])("%s", (_place, entry) => {
    expect(usageOf(entry)).toBeNull();
  });
});

describe("A27: the numbers of a usage", () => {
  test("are taken as they are when they make sense", () => {
    expect(readUsageNumbers({ ...usage, cacheWrite1h: 4, reasoning: 1 })).toEqual({
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      cacheWrite1h: 4,
      reasoning: 1,
      totalTokens: 10,
      costInput: 0.1,
      costOutput: 0.2,
      costCacheRead: 0.3,
      costCacheWrite: 0.4,
      cost: 1,
      flawed: false,
    });
  });

  test("give a missing total as the sum of its parts", () => {
    const { totalTokens: _, ...rest } = usage;
    expect(
      readUsageNumbers({ ...rest, cost: { input: 0.5, output: 0.25, cacheRead: 0, cacheWrite: 0 } }),
    ).toMatchObject({ totalTokens: 10, cost: 0.75, flawed: false });
  });

  test("a total beyond all numbers is what its copy in a fork says, which is null", () => {
    const usage = { input: 100, output: 10, totalTokens: Number.POSITIVE_INFINITY };
    const [original, copy] = [usage, JSON.parse(JSON.stringify(usage))].map(readUsageNumbers);
    expect(original).toEqual({ ...copy, flawed: true });
  });

  test("give a total of null, which is how JSON writes NaN, as the sum of its parts", () => {
    expect(readUsageNumbers({ ...usage, totalTokens: null, cost: { ...cost, total: null } })).toMatchObject({
      totalTokens: 10,
      cost: 1,
    });
  });

  test("never add reasoning or one-hour cache writes again", () => {
    const { totalTokens: _, ...rest } = usage;
    expect(readUsageNumbers({ ...rest, reasoning: 2, cacheWrite1h: 4 }).totalTokens).toBe(10);
  });

  test.each([-1, "12abc", "7", null, true, {}, [3], Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53, 2 ** 63])(
    "count 0 and are flawed when they make no sense: %s",
    (value) => {
      const read = readUsageNumbers({ ...usage, input: value as number });
      expect(read).toMatchObject({ input: 0, flawed: true });
    },
  );

  test.each([-0.5, "1", null, Number.POSITIVE_INFINITY, Number.NaN, 1e300])(
    "count no dollars and are flawed when those make no sense: %s",
    (value) => {
      const read = readUsageNumbers({ ...usage, cost: { ...cost, input: value as number } });
      expect(read).toMatchObject({ costInput: 0, flawed: true });
    },
  );

  test("are whole tokens: fractions are rounded and flawed", () => {
    expect(readUsageNumbers({ ...usage, input: 1.6 })).toMatchObject({ input: 2, flawed: true });
  });

  test("can be added for ten thousand calls, whatever the JSON, as SQLite adds them", () => {
    const number = fc.oneof(
      fc.jsonValue(),
      fc.double(),
      fc.integer(),
      fc.constantFrom(2 ** 53 - 1, 2 ** 53, 1e15, 1e300, Number.MAX_VALUE, null, "5"),
    );
    const prices = fc.record(
      { input: number, output: number, cacheRead: number, cacheWrite: number, total: number },
      { requiredKeys: [] },
    );
    const counts = {
      input: number,
      output: number,
      cacheRead: number,
      cacheWrite: number,
      cacheWrite1h: number,
      reasoning: number,
      totalTokens: number,
      cost: fc.oneof(prices, number),
    };
    fc.assert(
      fc.property(fc.record(counts, { requiredKeys: [] }), (arbitrary) => {
        const { flawed: _, ...numbers } = readUsageNumbers(arbitrary as JsonObject);
        for (const [name, value] of Object.entries(numbers)) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value * 10_000).toBeLessThan(name.startsWith("cost") ? Number.POSITIVE_INFINITY : 2 ** 63);
        }
      }),
      { numRuns: runs(1000) },
    );
  });
});

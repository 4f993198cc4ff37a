import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPiCatalogue } from "../../../src/config/pi-catalogue.ts";
import { ModelPrices } from "../../../src/reports/usage/model-prices.ts";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { costing } from "../../helpers/installed-pi.ts";
import { importPeer, isMissing, peers } from "../../helpers/peers.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { indexOfSessions } from "../indexed.ts";

const tokens = { input: 1000, output: 100, cacheRead: 20_000, cacheWrite: 300 };
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
/** What a request of these tokens costs where a million of plain input costs a dollar, as `costing` has it. */
const WORTH = (1000 + 5 * 100 + 0.1 * 20_000 + 1.25 * 300) / 1e6;

type Costs = Record<string, Record<string, object>>;

function pricesOf(costs: Costs, more: { stored?: unknown; own?: unknown } = {}): ModelPrices {
  const providers = Object.fromEntries(
    Object.entries(costs).map(([provider, models]) => [
      provider,
      Object.entries(models).map(([id, cost]) => ({ id, cost })),
    ]),
  );
  return new ModelPrices({ version: "1", folder: "/pi", providers, stored: null, own: null, ...more });
}

/** What requests of the tokens above, each of a provider and model, would have cost by a list. */
function estimated(prices: ModelPrices, ...models: [provider: string, model: string][]) {
  const built = session().user("x");
  for (const [provider, model] of models)
    built.assistant({ provider, model, usage: { ...tokens, cost: free } });
  return sumUsage(indexOfSessions(built), { by: "model", timezone: "UTC", prices });
}

interface PiPrices {
  calculateCost(model: object, usage: object): { total: number };
}

describe.each([
  ["newestPi", "newestPiPrices"],
  ["pi", "piPrices"],
  ["oldPi", "oldPiPrices"],
] as const)("of a subscription of %s", (program, module) => {
  test.skipIf(isMissing(program, module))("each request is priced as pi prices it", async () => {
    const bin = tempDir();
    symlinkSync(peers[program], join(bin, "pi"));
    const catalogue = await readPiCatalogue({ agentDir: "/nowhere", searchPath: bin });
    const pi = await importPeer<PiPrices>(module);
    const prices = new ModelPrices(catalogue);
    const models = ["anthropic", "openai", "google", "xai", "openrouter"].flatMap((provider) =>
      ((catalogue.providers[provider] ?? []) as { id: string; type?: string; cost: { input: number } }[])
        .filter(({ type = "chat", cost }) => type === "chat" && cost.input > 0)
        .map((model) => ({ provider, model })),
    );
    expect(models.length).toBeGreaterThan(80);
    const counts = fc.record({
      model: fc.constantFrom(...models),
      input: fc.nat(400_000),
      output: fc.nat(9000),
      cacheRead: fc.nat(300_000),
      cacheWrite: fc.nat(50_000),
      // The old release knows nothing of writes that are kept for an hour.
      hour: module === "oldPiPrices" ? fc.constant(0) : fc.nat(100),
    });
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 30 }), (requests) => {
        const built = session().user("x");
        let sum = 0;
        for (const { model, hour, ...each } of requests) {
          const cacheWrite1h = Math.round((each.cacheWrite * hour) / 100);
          const usage = { ...each, cacheWrite1h };
          const isNothing = each.input + each.output + each.cacheRead + each.cacheWrite === 0;
          if (!isNothing) sum += pi.calculateCost(model.model, { ...usage, cost: { ...free } }).total;
          built.assistant({
            provider: model.provider,
            model: model.model.id,
            usage: { ...usage, cost: free },
          });
        }
        const report = sumUsage(indexOfSessions(built), { by: "provider", timezone: "UTC", prices });
        expect(report.estimatedCost).toBeCloseTo(sum, 8);
        const rows = report.rows.reduce((sofar, { estimatedCost = 0 }) => sofar + estimatedCost, 0);
        expect(rows).toBeCloseTo(sum, 8);
        expect([report.totals.cost, report.unknownModels]).toEqual([0, []]);
      }),
      { numRuns: runs(20) },
    );
  });
});

test("what was stated stays, and what was not stands beside it, in rows and their models", () => {
  const built = session()
    .user("x")
    .assistant({ usage: { ...tokens, cost: { ...free, total: 0.5 } } });
  built
    .assistant({ usage: { ...tokens, cost: free } })
    .assistant({ usage: { ...tokens, cost: free }, model: "haiku" });
  const index = indexOfSessions(built);
  const prices = pricesOf({ anthropic: { "claude-sonnet-4-5": costing(3) } });
  const options = { by: "provider", timezone: "UTC", breakdown: true } as const;
  const report = sumUsage(index, { ...options, prices });
  const plain = sumUsage(index, options);
  expect(report).toMatchObject({
    totals: plain.totals,
    unpriced: 2,
    estimatedRequests: 1,
    priceList: { version: "1" },
  });
  expect(report.estimatedCost).toBeCloseTo(3 * WORTH, 12);
  expect(report.rows).toMatchObject([{ key: "anthropic", cost: 0.5, estimatedRequests: 1 }]);
  const models = report.rows[0]?.models ?? [];
  expect(models.map(({ key, estimatedRequests }) => [key, estimatedRequests])).toEqual([
    ["claude-sonnet-4-5", 1],
    ["haiku", 0],
  ]);
  expect(report.unknownModels).toEqual([
    { provider: "anthropic", model: "haiku", requests: 1, totalTokens: 21_400 },
  ]);
  expect(Object.keys(plain)).not.toContain("estimatedCost");
});

test("a long prompt has the price of its tier, by all of its input", () => {
  const tiers = [
    { inputTokensAbove: 21_299, ...costing(2) },
    { inputTokensAbove: 21_300, ...costing(9) },
  ];
  const prices = pricesOf({ openai: { "gpt-5": costing(1, { tiers }) }, xai: { grok: costing(1) } });
  expect(prices.thresholds).toEqual([21_299, 21_300]);
  const report = estimated(prices, ["openai", "gpt-5"], ["xai", "grok"]);
  expect(report.rows.map(({ key, estimatedCost }) => [key, estimatedCost])).toEqual([
    ["gpt-5", expect.closeTo(2 * WORTH, 12)],
    ["grok", expect.closeTo(WORTH, 12)],
  ]);
});

test("a subscription costs what its model costs as API, by whichever name; local models have no price", () => {
  const nothing = costing(0);
  const prices = pricesOf({
    "github-copilot": { "claude-opus-4.5": nothing, "gpt-5": nothing },
    "openai-codex": { "gpt-5": nothing, spark: nothing },
    "azure-openai-responses": {},
    anthropic: { "claude-opus-4-5": costing(5) },
    openai: { "gpt-5": costing(1) },
    google: { "gemini-2.5-pro": costing(2), gemma: nothing },
  });
  const cost = (provider: string, model: string) =>
    prices.costOf(provider, model, { ...tokens, cacheWrite1h: 0, above: 0 });
  expect(cost("github-copilot", "claude-opus-4.5")).toBeCloseTo(5 * WORTH, 12);
  expect(cost("openai-codex", "gpt-5")).toBeCloseTo(WORTH, 12);
  expect(cost("google-gemini-cli", "gemini-2.5-pro")).toBeCloseTo(2 * WORTH, 12);
  expect(cost("azure", "gpt-5")).toBeCloseTo(WORTH, 12);
  for (const [provider, model] of [
    ["ollama", "gpt-5"],
    ["lm-studio", "claude-opus-4-5"],
    ["openai-codex", "spark"],
    ["google", "gemma"],
    ["", ""],
  ] as const)
    expect([provider, cost(provider, model)]).toEqual([provider, null]);
});

test("what pi has fetched comes before its list, and what the user has written before both", () => {
  const list = {
    openai: {
      a: costing(1),
      b: costing(1),
      c: costing(1),
      d: costing(1, { tiers: [{ inputTokensAbove: 9, ...costing(7) }] }),
    },
  };
  const stored = {
    openai: {
      models: [
        { id: "b", cost: costing(2) },
        { id: "c", cost: costing(2) },
        { id: "a", type: "image", cost: costing(9) },
      ],
    },
  };
  const own = {
    providers: {
      openai: {
        models: [{ id: "c", cost: costing(3) }, { id: "a" }],
        modelOverrides: { d: { cost: { output: 0 } }, b: {} },
      },
      proxy: { models: [{ id: "mine", cost: costing(4) }, { id: "a" }] },
      "half-written": null,
    },
  };
  const prices = pricesOf(list, { stored, own });
  const cost = (provider: string, model: string, above = 0) =>
    Number(prices.costOf(provider, model, { ...tokens, cacheWrite1h: 0, above }));
  expect(["a", "b", "c"].map((model) => cost("openai", model))).toEqual(
    [1, 2, 3].map((each) => expect.closeTo(each * WORTH, 12)),
  );
  expect(cost("openai", "d")).toBeCloseTo(WORTH - (5 * 100) / 1e6, 12);
  expect(cost("openai", "d", 9)).toBeCloseTo(7 * WORTH, 12);
  expect(cost("proxy", "mine")).toBeCloseTo(4 * WORTH, 12);
  expect(prices.costOf("proxy", "a", { ...tokens, cacheWrite1h: 0, above: 0 })).toBeNull();
});

test("lists that make no sense are as good as none", () => {
  const odd = {
    a: null,
    b: { input: 1 },
    c: { ...costing(1), output: -1 },
    d: { ...costing(1), input: "1" },
  };
  const prices = pricesOf(
    { openai: odd as never },
    { stored: [1], own: { providers: { openai: { models: "x", modelOverrides: [] } } } },
  );
  for (const model of Object.keys(odd))
    expect(prices.costOf("openai", model, { ...tokens, cacheWrite1h: 0, above: 0 })).toBeNull();
  expect(prices.thresholds).toEqual([]);
});

test("rows without a cost of their own go by their estimate, unless another order is asked for", () => {
  const prices = pricesOf({ openai: { cheap: costing(1), dear: costing(9) } });
  const keys = (report: { rows: { key: string }[] }) => report.rows.map(({ key }) => key);
  expect(keys(estimated(prices, ["openai", "cheap"], ["openai", "dear"], ["ollama", "local"]))).toEqual([
    "dear",
    "cheap",
    "local",
  ]);
});

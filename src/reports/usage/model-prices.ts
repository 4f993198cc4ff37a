import { currentProvider } from "../../filters/providers.ts";
import { isJsonObject } from "../../format/json.ts";
import type { UsageNumbers } from "../../format/usage.ts";

/** US dollars per million tokens. */
interface Rates {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

interface Tier extends Rates {
  /** For requests with more tokens of input, cached ones included, than this. */
  above: number;
}

/** What a model costs; `tiers` are for long prompts, in rising order. */
interface Price extends Rates {
  tiers: readonly Tier[];
}

/** What requests have in common that are priced together. */
export interface Priceable
  extends Pick<UsageNumbers, "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite1h"> {
  /** The highest of `thresholds` that the input of each of them is above; 0 for none. */
  above: number;
}

/** Where a price list comes from. */
export interface PriceList {
  /** The version of pi's package of models. */
  version: string;
  folder: string;
}

/** What pi and its user have written down of models, as it was read. */
export interface ModelLists extends PriceList {
  providers: Readonly<Record<string, readonly unknown[]>>;
  stored: unknown;
  own: unknown;
}

/** Whose API asks for the price of a model, where its provider asks for none. Of several the first one. */
const MAKERS = [
  ...["anthropic", "openai", "google", "xai", "deepseek", "mistral"],
  ...["moonshotai", "zai", "minimax", "xiaomi", "meta"],
];

/** Subscriptions that pi no longer knows. */
const FORMER = ["google-gemini-cli", "google-antigravity"];

/** Anthropic asks twice the price of plain input for what is kept for an hour, and pi prices all of it so. */
const HOUR_FACTOR = 2;
const MILLION = 1_000_000;

/** What models cost by the list of the installed pi, and by what its user has written down. */
export class ModelPrices {
  readonly source: PriceList;
  readonly #prices = new Map<string, Map<string, Price>>();
  readonly #known: ReadonlySet<string>;
  readonly #ofMakers = new Map<string, Price>();

  constructor({ version, folder, providers, stored, own }: ModelLists) {
    this.source = { version, folder };
    this.#known = new Set([...Object.keys(providers).map(currentProvider), ...FORMER]);
    for (const [provider, models] of Object.entries(providers)) this.#list(provider, models);
    for (const [provider, entry] of fieldsOf(stored)) this.#list(provider, listAt(entry, "models"));
    for (const [provider, entry] of fieldsOf(isJsonObject(own) ? own.providers : null)) {
      this.#list(provider, listAt(entry, "models"));
      this.#override(provider, isJsonObject(entry) ? entry.modelOverrides : null);
    }
    for (const maker of MAKERS.toReversed()) {
      for (const [model, price] of this.#prices.get(maker) ?? []) {
        if (isCharged(price)) this.#ofMakers.set(plainName(model), price);
      }
    }
  }

  /** Tokens of input above which some model has another price, in rising order. */
  get thresholds(): number[] {
    const prices = [...this.#prices.values()].flatMap((models) => [...models.values()]);
    const above = prices.flatMap(({ tiers }) => tiers.map((tier) => tier.above));
    return [...new Set(above)].sort((a, b) => a - b);
  }

  /**
   * US dollars; null for a model that has no price: one that nobody has listed, as local ones, or that is free. What a provider
   * gives without a price, as subscriptions do, is priced as its maker's API.
   */
  costOf(provider: string, model: string, requests: Priceable): number | null {
    const price = this.#priceOf(provider, model);
    if (price === null) return null;
    const rates = price.tiers.findLast(({ above }) => above <= requests.above) ?? price;
    const { input, output, cacheRead, cacheWrite, cacheWrite1h } = requests;
    const written = (cacheWrite - cacheWrite1h) * rates.cacheWrite + cacheWrite1h * rates.input * HOUR_FACTOR;
    return (input * rates.input + output * rates.output + cacheRead * rates.cacheRead + written) / MILLION;
  }

  #priceOf(provider: string, model: string): Price | null {
    const name = currentProvider(provider);
    const own = this.#prices.get(name)?.get(model);
    if (own !== undefined && isCharged(own)) return own;
    return this.#known.has(name) ? (this.#ofMakers.get(plainName(model)) ?? null) : null;
  }

  #list(provider: string, models: readonly unknown[]): void {
    const known = this.#modelsOf(provider);
    for (const model of models) {
      // A model that is no chat may have the name of one that is.
      if (!isJsonObject(model) || (model.type ?? "chat") !== "chat") continue;
      const price = priceIn(model.cost);
      if (price !== null) known.set(String(model.id), price);
    }
  }

  /** Changes some numbers of a model's price. */
  #override(provider: string, overrides: unknown): void {
    const known = this.#modelsOf(provider);
    for (const [model, override] of fieldsOf(overrides)) {
      const cost = isJsonObject(override) && isJsonObject(override.cost) ? override.cost : {};
      const { tiers = [], ...rates } = known.get(model) ?? {};
      const listed = tiers.map(({ above, ...each }) => ({ inputTokensAbove: above, ...each }));
      const price = priceIn({ ...rates, tiers: listed, ...cost });
      if (price !== null) known.set(model, price);
    }
  }

  #modelsOf(provider: string): Map<string, Price> {
    const name = currentProvider(provider);
    const known = this.#prices.get(name) ?? new Map<string, Price>();
    this.#prices.set(name, known);
    return known;
  }
}

/** A price as pi's lists have it; null for what is none. */
function priceIn(cost: unknown): Price | null {
  const rates = ratesIn(cost);
  if (rates === null) return null;
  const tiers = listAt(cost, "tiers").flatMap((tier) => {
    const [above, own] = [isJsonObject(tier) ? tier.inputTokensAbove : null, ratesIn(tier)];
    return Number.isSafeInteger(above) && own !== null ? [{ above: Number(above), ...own }] : [];
  });
  return { ...rates, tiers: tiers.sort((a, b) => a.above - b.above) };
}

function ratesIn(cost: unknown): Rates | null {
  if (!isJsonObject(cost)) return null;
  const { input, output, cacheRead, cacheWrite } = cost;
  if (![input, output, cacheRead, cacheWrite].every(isRate)) return null;
  return {
    input: Number(input),
    output: Number(output),
    cacheRead: Number(cacheRead),
    cacheWrite: Number(cacheWrite),
  };
}

/** Some lists have -1 for a price that changes with each request. */
function isRate(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isCharged({ input, output }: Rates): boolean {
  return input > 0 || output > 0;
}

/** `claude-opus-4.5` and `claude-opus-4-5` are one: providers write versions in either way. */
function plainName(model: string): string {
  return model.toLowerCase().replaceAll(".", "-");
}

function fieldsOf(value: unknown): [name: string, value: unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = isJsonObject(value) ? value[name] : null;
  return Array.isArray(list) ? list : [];
}

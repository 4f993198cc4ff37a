import type { UsageNumbers } from "../../format/usage.ts";
import type { WASTE_PARTS } from "./waste-shapes.ts";

/** What of a request decides whether the next one finds its prompt in the cache. */
export interface CachedPrompt {
  /** Tokens: plain input, and what was read from the cache and written to it. */
  tokens: number;
  /** Provider and model, as one name. */
  model: string;
  /** Unix ms. */
  at: number | null;
  /** Whether it, or one before it on the same way, has said anything of a cache. */
  usesCache: boolean;
}

/** Tokens, and US dollars. */
export type PromptBill = Pick<
  UsageNumbers,
  "input" | "cacheRead" | "cacheWrite" | "cost" | "costInput" | "costCacheRead" | "costCacheWrite"
>;

/** How long Anthropic keeps a prompt unless told otherwise, in ms; pi tells people by the same time why there was a miss. */
const CACHE_LIFE_MS = 5 * 60_000;

/** Up to so many tokens are what breakpoints of a cache leave over; pi's bound for the misses that it shows, too. */
const NOISE_TOKENS = 1024;

/**
 * How many tokens a request has paid for again that were in the prompt before it: what both prompts can have in common, less
 * what was read from the cache. 0 where providers do not cache, and for what is as good as nothing.
 */
export function missedTokens(own: PromptBill, above: CachedPrompt | null): number {
  const prompt = own.input + own.cacheRead + own.cacheWrite;
  // Where no cache has ever been mentioned, silence about it means nothing.
  const isCached = own.cacheRead + own.cacheWrite > 0 || above?.usesCache === true;
  if (above === null || prompt === 0 || !isCached) return 0;
  const missed = Math.min(above.tokens, prompt) - own.cacheRead;
  return missed > NOISE_TOKENS ? missed : 0;
}

/** How long a cache has been left alone before it was missed, which is probably why it was. */
export function pauseBetween(
  before: { at: number | null },
  after: { at: number | null },
): (typeof WASTE_PARTS)["cacheMisses"][number] {
  if (before.at === null || after.at === null) return "afterUnknownTime";
  return after.at - before.at > CACHE_LIFE_MS ? "afterFiveMinutes" : "withinFiveMinutes";
}

/**
 * US dollars that missed tokens have cost more than reading them from the cache would have: at the price that the request
 * itself states for them, less that of reading, which it states too, or else others of its model (`readPrice`). Null where
 * one of the two is not stated.
 */
export function missedCost(missed: number, own: PromptBill, readPrice: number | undefined): number | null {
  // They can only be among these.
  const paid = (own.costInput + own.costCacheWrite) / (own.input + own.cacheWrite);
  const read = own.cacheRead > 0 ? own.costCacheRead / own.cacheRead : readPrice;
  if (paid === 0 || read === undefined) return null;
  return Math.min(own.cost, missed * Math.max(0, paid - read));
}

import { durationMsOf } from "./entry.ts";
import { isJsonObject, type JsonObject, objectAt, stringOrNull } from "./json.ts";

/** Tokens and US dollars of one model call, as numbers that can be added. */
export interface UsageNumbers {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Part of `cacheWrite`. */
  cacheWrite1h: number;
  /** Part of `output`. */
  reasoning: number;
  totalTokens: number;
  costInput: number;
  costOutput: number;
  costCacheRead: number;
  costCacheWrite: number;
  cost: number;
  /**
   * Whether some number made no sense: it counts 0 (negative, not a number), is rounded (a fraction of a token) or,
   * where it is a total, is added up anew (not finite).
   */
  flawed: boolean;
}

/** Tokens, US dollars and model calls added up. `cost` is what the files state, never an estimate. */
export interface Sums {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: number;
  /** How many places hold usage: one per assistant message, tool result, compaction, branch summary, usage entry. */
  requests: number;
}

/** The names of the fields of `Sums`. */
export const SUM_NAMES = [
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "totalTokens",
  "cost",
  "requests",
] as const satisfies readonly (keyof Sums)[];

/** Sums with what tells the price of plain input, and from that what the prompt cache saved. */
export interface PricedSums extends Sums {
  /** Requests that state tokens and no cost. */
  unpriced: number;
  /** Input tokens whose cost is stated. */
  pricedInput: number;
  /** Tokens of cache read and written by requests that state the parts of their cost. */
  pricedCache: number;
  /** US dollars, parts of `cost`. */
  costInput: number;
  costCacheRead: number;
  costCacheWrite: number;
  /** US dollars, a part of `cost`: what the providers themselves have stated. */
  costFromProvider: number;
  /** Requests of which is known how long they took, their tokens of output, and how long all of them took, in ms. */
  timedRequests: number;
  timedOutput: number;
  durationMs: number;
}

/** The numbers of one place that holds usage that are added up. */
export type Spent = Pick<
  UsageNumbers,
  "input" | "output" | "cacheRead" | "cacheWrite" | "totalTokens" | "cost"
>;

/** When and on what something was spent. */
export interface SpentOn {
  /** Unix ms. */
  timestamp: number;
  provider: string | null;
  model: string | null;
  source: string;
  counted: boolean;
}

/** What is added up. The parts of the cost give the prices, and from those follows what the prompt cache saved. */
export type PricedSpent = Spent &
  Pick<UsageNumbers, "costInput" | "costOutput" | "costCacheRead" | "costCacheWrite"> & {
    /** Null where it was worked out from prices. */
    costFromProvider: number | null;
    /** Null where it is not known. */
    durationMs: number | null;
  };

/** What an entry spent. */
export interface EntryUsage extends UsageNumbers {
  /** `assistant`, `tool`, `compaction`, `branch_summary`, or the `kind` of a usage entry. */
  source: string;
  /** Null where the entry does not say: tool results and summaries usually do not. */
  provider: string | null;
  model: string | null;
  stopReason: string | null;
  /** How long the model has answered, in ms; null before pi 1.1. */
  durationMs: number | null;
  thinkingLevel: string | null;
  /** The cost, where the provider itself has stated it; null where it was worked out from a price list. */
  costFromProvider: number | null;
}

/**
 * The usage an entry holds, or null. Five places hold usage (FORMAT: assistant messages, tool results,
 * compactions, branch summaries, usage entries), and every one counts.
 */
export function usageOf(entry: JsonObject): EntryUsage | null {
  const place = usagePlace(entry);
  if (place === null) return null;
  const { usage, source, owner } = place;
  const [provider, model] = [stringOrNull(owner.provider), stringOrNull(owner.model)];
  // Not by spreading: copying so many numbers takes longer than reading them.
  const numbers = readUsageNumbers(usage);
  return Object.assign(numbers, {
    source,
    provider,
    model,
    stopReason: stringOrNull(owner.stopReason),
    // That of a tool result is the tool's.
    durationMs: source === "assistant" ? durationMsOf(owner.durationMs) : null,
    thinkingLevel: stringOrNull(owner.thinkingLevel),
    costFromProvider: isFromProvider(usage) ? numbers.cost : null,
  });
}

interface UsagePlace {
  usage: JsonObject;
  source: string;
  /** The object that names provider and model. */
  owner: JsonObject;
}

function usagePlace(entry: JsonObject): UsagePlace | null {
  switch (entry.type) {
    case "message":
      return messageUsagePlace(objectAt(entry, "message"));
    case "compaction":
    case "branch_summary":
      return placeAt(entry, entry.type);
    case "usage":
      return placeAt(entry, stringOrNull(entry.kind) || "usage");
    default:
      return null;
  }
}

function messageUsagePlace(message: JsonObject | null): UsagePlace | null {
  if (message?.role === "assistant") return placeAt(message, "assistant");
  if (message?.role === "toolResult") return placeAt(message, "tool");
  return null;
}

function placeAt(owner: JsonObject, source: string): UsagePlace | null {
  return isJsonObject(owner.usage) ? { usage: owner.usage, source, owner } : null;
}

/** Reads a usage object that nobody has validated: missing and senseless numbers count 0. */
export function readUsageNumbers(usage: JsonObject): UsageNumbers {
  const read = new NumberReader();
  const cost = objectAt(usage, "cost") ?? {};
  const input = read.tokens(usage.input);
  const output = read.tokens(usage.output);
  const cacheRead = read.tokens(usage.cacheRead);
  const cacheWrite = read.tokens(usage.cacheWrite);
  const costInput = read.amount(cost.input);
  const costOutput = read.amount(cost.output);
  const costCacheRead = read.amount(cost.cacheRead);
  const costCacheWrite = read.amount(cost.cacheWrite);
  const totalTokens = read.stated(usage.totalTokens);
  const total = read.stated(cost.total);
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    cacheWrite1h: read.tokens(usage.cacheWrite1h ?? 0),
    reasoning: read.tokens(usage.reasoning ?? 0),
    totalTokens:
      totalTokens === undefined ? input + output + cacheRead + cacheWrite : read.tokens(totalTokens),
    costInput,
    costOutput,
    costCacheRead,
    costCacheWrite,
    cost: total === undefined ? costInput + costOutput + costCacheRead + costCacheWrite : read.amount(total),
    flawed: read.flawed,
  };
}

/** pi 1.6 says so of what the provider has billed; a sum is, where every part is. */
function isFromProvider(usage: JsonObject): boolean {
  return objectAt(usage, "cost")?.totalFromProvider === true;
}

/**
 * More tokens or dollars than any call of a model takes. SQLite adds tokens as 64-bit integers and fails when a sum
 * overflows: with this bound that takes millions of calls.
 */
const MOST = 1e12;

/** Turns values into numbers that can be added, and remembers whether one of them made no sense. */
class NumberReader {
  flawed = false;

  /**
   * A total as it stands; undefined for one that is missing or not finite. JSON writes NaN and Infinity, as which
   * `1e400` is read, as null, and a copy in a fork has to count the same.
   */
  stated(value: unknown): unknown {
    if (typeof value !== "number" || Number.isFinite(value)) return value ?? undefined;
    this.flawed = true;
    return undefined;
  }

  /** A number of tokens, rounded to whole ones. */
  tokens(value: unknown): number {
    const number = this.amount(value);
    if (!Number.isInteger(number)) this.flawed = true;
    return Math.round(number);
  }

  amount(value: unknown): number {
    if (typeof value === "number" && value >= 0 && value <= MOST) return value;
    this.flawed = true;
    return 0;
  }
}

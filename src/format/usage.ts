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
  /** Some number made no sense (negative, not finite, not a number) and counts 0. */
  flawed: boolean;
}

/** What an entry spent. */
export interface EntryUsage extends UsageNumbers {
  /** `assistant`, `tool`, `compaction`, `branch_summary`, or the `kind` of a usage entry. */
  source: string;
  /** Null where the entry does not say: nested tool calls and summaries usually do not. */
  provider: string | null;
  model: string | null;
  stopReason: string | null;
}

/**
 * The usage an entry holds, or null. Five places hold usage (FORMAT: assistant messages, tool results,
 * compactions, branch summaries, usage entries), and every one counts.
 */
export function usageOf(entry: JsonObject): EntryUsage | null {
  const place = usagePlace(entry);
  if (place === null) return null;
  const { usage, source, owner } = place;
  return {
    ...readUsageNumbers(usage),
    source,
    provider: stringOrNull(owner.provider),
    model: stringOrNull(owner.model),
    stopReason: stringOrNull(owner.stopReason),
  };
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

/** Reads a usage object nobody has validated: what is missing or senseless counts 0. */
export function readUsageNumbers(usage: JsonObject): UsageNumbers {
  const read = new FlawCounter();
  const cost = objectAt(usage, "cost") ?? {};
  const input = read.tokens(usage.input);
  const output = read.tokens(usage.output);
  const cacheRead = read.tokens(usage.cacheRead);
  const cacheWrite = read.tokens(usage.cacheWrite);
  const costInput = read.dollars(cost.input);
  const costOutput = read.dollars(cost.output);
  const costCacheRead = read.dollars(cost.cacheRead);
  const costCacheWrite = read.dollars(cost.cacheWrite);
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    cacheWrite1h: read.tokens(usage.cacheWrite1h ?? 0),
    reasoning: read.tokens(usage.reasoning ?? 0),
    totalTokens:
      usage.totalTokens === undefined
        ? input + output + cacheRead + cacheWrite
        : read.tokens(usage.totalTokens),
    costInput,
    costOutput,
    costCacheRead,
    costCacheWrite,
    cost:
      cost.total === undefined
        ? costInput + costOutput + costCacheRead + costCacheWrite
        : read.dollars(cost.total),
    flawed: read.flawed,
  };
}

/** Turns values into numbers that can be added, and remembers whether one of them made no sense. */
class FlawCounter {
  flawed = false;

  /** Whole tokens; SQLite adds them as 64-bit integers, so they stay below 2^53. */
  tokens(value: unknown): number {
    const number = this.dollars(value);
    if (Number.isSafeInteger(number)) return number;
    this.flawed = true;
    return number < Number.MAX_SAFE_INTEGER ? Math.round(number) : 0;
  }

  dollars(value: unknown): number {
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
    this.flawed = true;
    return 0;
  }
}

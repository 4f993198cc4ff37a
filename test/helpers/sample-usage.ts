import type { Usage } from "../../src/format/messages.ts";

export interface TokenCounts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** US dollars per million tokens. */
const PRICE: TokenCounts = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** Usage with these counts (0 where absent), priced per million tokens, as pi computes it: unrounded floats. */
export function usageOf(counts: Partial<TokenCounts>, price: Partial<TokenCounts> = {}): Usage {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = counts;
  const per = { ...PRICE, ...price };
  const cost = {
    input: (per.input / 1_000_000) * input,
    output: (per.output / 1_000_000) * output,
    cacheRead: (per.cacheRead / 1_000_000) * cacheRead,
    cacheWrite: (per.cacheWrite / 1_000_000) * cacheWrite,
    total: 0,
  };
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost,
  };
}

/** Usage that differs for each `n`, without any count or cost of zero. */
export function sampleUsage(n: number): Usage {
  return usageOf({
    input: 1201 + 37 * n,
    output: 313 + 11 * n,
    cacheRead: 20_483 + 1009 * n,
    cacheWrite: 509 + 7 * n,
  });
}

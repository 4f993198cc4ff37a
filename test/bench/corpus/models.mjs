/** Models with their prices in US dollars per million tokens: input, output, cache read, cache write. */
export const MODELS = [
  { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5", price: [3, 15, 0.3, 3.75] },
  { api: "anthropic-messages", provider: "anthropic", model: "claude-opus-4-5", price: [5, 25, 0.5, 6.25] },
  { api: "anthropic-messages", provider: "anthropic", model: "claude-haiku-4-5", price: [1, 5, 0.1, 1.25] },
  { api: "openai-responses", provider: "openai", model: "gpt-5.1-codex", price: [1.25, 10, 0.125, 0] },
  { api: "google-generative-ai", provider: "google", model: "gemini-3-pro", price: [2, 12, 0.2, 0] },
  { api: "openai-completions", provider: "openrouter", model: "qwen/qwen3-coder", price: [0.22, 0.95, 0, 0] },
];

/**
 * Usage as pi writes it, costs unrounded.
 * @param {number[]} tokens input, output, cache read, cache write
 * @param {number[]} price
 */
export function usageOf([input = 0, output = 0, cacheRead = 0, cacheWrite = 0], price) {
  const [inputPrice = 0, outputPrice = 0, readPrice = 0, writePrice = 0] = price;
  const cost = {
    input: (inputPrice / 1_000_000) * input,
    output: (outputPrice / 1_000_000) * output,
    cacheRead: (readPrice / 1_000_000) * cacheRead,
    cacheWrite: (writePrice / 1_000_000) * cacheWrite,
    total: 0,
  };
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return { input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite, cost };
}

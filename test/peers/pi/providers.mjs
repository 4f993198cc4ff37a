// Model providers that answer what a script has queued, with the names and list prices of real ones.
import {
  calculateCost,
  createAssistantMessageEventStream,
  getApiProvider,
  getModel,
  registerApiProvider,
  registerFauxProvider,
} from "@mariozechner/pi-ai";

// One provider for each wire format: pi finds a provider by the model's api.
const offered = [
  { provider: "anthropic", models: ["claude-sonnet-4-6", "claude-opus-4-7", "claude-haiku-4-5"] },
  { provider: "openai", models: ["gpt-5.5", "gpt-5.4-mini"] },
  { provider: "google", models: ["gemini-3.1-pro-preview"] },
  { provider: "deepseek", models: ["deepseek-v4-pro"] },
];

/**
 * Registers them all. Returns `model("anthropic/claude-opus-4-7")`, `queue(model, responses)`, `pending()` and `clear()`.
 * @param hiddenTokens tokens of every prompt that the session file does not show (system prompt, tool definitions,
 *   project instructions), added to the usage
 */
export function registerProviders({ hiddenTokens }) {
  const registrations = new Map(offered.map((offer) => [offer.provider, register(offer, hiddenTokens)]));
  return {
    names: offered.map(({ provider }) => provider),
    model(name) {
      const [provider, id] = name.split("/");
      const model = registrations.get(provider)?.getModel(id);
      if (!model) throw new Error(`unknown model: ${name}`);
      return model;
    },
    queue: (model, responses) => registrations.get(model.provider).appendResponses(responses),
    clear: () => {
      for (const registration of registrations.values()) registration.setResponses([]);
    },
    pending: () =>
      [...registrations.values()].reduce(
        (sum, { getPendingResponseCount }) => sum + getPendingResponseCount(),
        0,
      ),
  };
}

function register({ provider, models }, hiddenTokens) {
  const served = new Set(); // sessions whose prompt the provider has in its cache
  const known = models.map((id) => getModel(provider, id));
  const { api } = known[0];
  const registration = registerFauxProvider({ api, provider, models: known });
  const faux = getApiProvider(api);
  // The tool definitions are among the hidden tokens; the faux provider would count them behind the messages, where no
  // prefix of a prompt can match the one before.
  const priced = (start) => (model, context, options) => {
    const outer = createAssistantMessageEventStream();
    const cached = served.has(options?.sessionId);
    forward(start(model, { ...context, tools: [] }, options), outer, (message) => {
      if (message.stopReason !== "error" && options?.sessionId) served.add(options.sessionId);
      return price(message, model, { hiddenTokens, cached });
    });
    return outer;
  };
  registerApiProvider(
    { api, stream: priced(faux.stream), streamSimple: priced(faux.streamSimple) },
    `priced-${api}`,
  );
  return registration;
}

/** The faux provider counts tokens but leaves every cost at 0: the same events again, with usage and cost filled in. */
async function forward(inner, outer, priceMessage) {
  for await (const event of inner) {
    if (event.type === "done") outer.push({ ...event, message: priceMessage(event.message) });
    else if (event.type === "error") outer.push({ ...event, error: priceMessage(event.error) });
    else outer.push(event);
  }
}

function price(message, model, circumstances) {
  const usage =
    message.stopReason === "error" ? nothingUsed() : tokensUsed(message.usage, model, circumstances);
  usage.totalTokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  usage.cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  calculateCost(model, usage); // fills usage.cost, US dollars
  return { ...message, usage };
}

/** The faux provider's prompt is `input + cacheRead`. Where writing to the cache has a price, new tokens are written to it. */
function tokensUsed(faux, model, { hiddenTokens, cached }) {
  const cacheRead = cached ? faux.cacheRead + hiddenTokens : 0;
  const fresh = faux.input + faux.cacheRead + hiddenTokens - cacheRead;
  const writesCache = model.cost.cacheWrite > 0;
  return {
    input: writesCache ? 3 : fresh,
    output: faux.output,
    cacheRead,
    cacheWrite: writesCache ? fresh : 0,
  };
}

function nothingUsed() {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
}

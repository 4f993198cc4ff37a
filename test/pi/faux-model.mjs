// An extension that gives pi a model which needs no network: told `search for WORDS` it calls session_search, and
// repeats what the tool answered; to anything else it says what it was told. Used with real pi, see run-pi.ts.
import {
  fauxAssistantMessage,
  fauxToolCall,
  getApiProvider,
  registerFauxProvider,
} from "@mariozechner/pi-ai";

const API = "faux-inner";
const MODEL = {
  id: "parrot",
  name: "Parrot",
  reasoning: false,
  input: ["text"],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  contextWindow: 200_000,
  maxTokens: 8192,
};

export default function fauxModel(pi) {
  const registration = registerFauxProvider({ api: API, models: [MODEL] });
  const answers = getApiProvider(API);
  pi.registerProvider("faux", {
    baseUrl: "http://127.0.0.1:9",
    apiKey: "none",
    api: "faux-outer",
    models: [MODEL],
    streamSimple: (model, context, options) => {
      registration.setResponses([answerTo(context.messages.at(-1))]);
      return answers.streamSimple({ ...model, api: API }, context, options);
    },
  });
}

function answerTo(message) {
  const text = textIn(message);
  if (message.role === "toolResult") return fauxAssistantMessage(`The tool answered: ${text}`);
  const [, query] = /^search for (.+)$/.exec(text) ?? [];
  if (query === undefined) return fauxAssistantMessage(`You said: ${text}`);
  return fauxAssistantMessage([fauxToolCall("session_search", { query })], { stopReason: "toolUse" });
}

function textIn({ content }) {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

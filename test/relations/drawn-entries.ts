import { fc } from "../helpers/drawn.ts";
import { usageOf } from "../helpers/sample-usage.ts";
import type { SessionBuilder } from "../helpers/session-builder.ts";
import type { EntryOptions } from "../helpers/session-parts.ts";

/** An entry as fast-check draws it: what it is, and numbers that choose everything else. */
export interface DrawnEntry {
  kind: keyof typeof SAY;
  words: number[];
  model: number;
  usage: number;
  /** When it happens, and how that is written. */
  delay: number;
  time: number;
  /** Which entry it is about, or branches from. */
  target: number;
  branches: boolean;
}

/** Whole words of one kind or another, the same in two spellings among them. */
export const WORDS = [
  "parser",
  "parse",
  "error",
  "parse_config",
  "sessionManager",
  "manager",
  "Ünïcode",
  "u\u0308nicode",
  "天气预报",
  "天气",
  "🍐",
  "की",
  "src/core/x.ts",
  "don't",
  "v1.2.3",
  "a-b",
  "straße",
  "İstanbul",
  "カレー",
  "ไทย",
  "x\u200dy",
  "été",
];
export const MODELS = [
  ["anthropic", "claude-sonnet-4-5"],
  ["openai", "gpt-5"],
  ["openai", "claude-sonnet-4-5"],
  ["local", "gpt-5-mini"],
] as const;
export const LABELS = ["todo", "Done", "天气", "todo "];
const TOOLS = ["bash", "read", "edit"];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DELAYS = [0, 1, 999, MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS, DAY_MS, 40 * DAY_MS, -5000];

/** What usage looks like, in files that are as they should be and in others. */
const USAGES = [
  usageOf({ input: 100, output: 20, cacheRead: 1000, cacheWrite: 50 }),
  usageOf({ input: 7, output: 1 }),
  usageOf({}),
  usageOf({ input: 50, output: 10 }, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }),
  { input: 5, output: 6, cacheRead: 0, cacheWrite: 0, cost: { total: 0.1 } },
  { input: 3, output: null, cost: null },
  { input: 1.5, output: 2, cacheRead: "x", totalTokens: 3.5, cost: { input: 0.1, output: 0.2, total: 0.3 } },
  { ...usageOf({ input: 11, output: 12, cacheRead: 13 }), reasoning: 5, cacheWrite1h: 3 },
];

type Say = (session: SessionBuilder, entry: DrawnEntry, options: EntryOptions) => unknown;

const SAY = {
  user: (s, e, o) => s.user(textOf(e), o),
  image: (s, e, o) => s.user([{ type: "text", text: textOf(e) }, IMAGE], o),
  assistant: (s, e, o) => s.assistant({ text: textOf(e), ...answeredBy(e) }, o),
  thinking: (s, e, o) => s.assistant({ thinking: textOf(e), ...answeredBy(e) }, o),
  call: (s, e, o) => s.assistant({ toolCalls: callsOf(e), ...answeredBy(e) }, o),
  failure: (s, e, o) => s.assistant({ text: textOf(e), stopReason: "error", ...answeredBy(e) }, o),
  result: (s, e, o) =>
    s.toolResult(textOf(e), { toolName: toolOf(e), isError: e.model === 0, ...atTimes(e) }, o),
  bash: (s, e, o) => s.bash(textOf(e), textOf(e), {}, o),
  compaction: (s, e, o) => s.compaction(textOf(e), atTimes(e), o),
  branchSummary: (s, e, o) => s.branchSummary(textOf(e), atTimes(e), o),
  usage: (s, e, o) => s.usage("cache_warm", answeredBy(e), o),
  label: (s, e, o) => s.label(targetOf(s, e), LABELS[e.usage % LABELS.length], o),
  unlabel: (s, e, o) => s.label(targetOf(s, e), e.model === 0 ? "" : undefined, o),
  name: (s, e, o) => s.name(e.usage === 0 ? undefined : textOf(e), o),
  modelChange: (s, e, o) => s.modelChange(...modelOf(e), o),
  custom: (s, e, o) => s.custom("extension", { text: textOf(e) }, o),
  customMessage: (s, e, o) => s.customMessage("extension", textOf(e), {}, o),
  hookMessage: (s, e, o) => s.hookMessage("extension", textOf(e), o),
  system: (s, e, o) => s.system(textOf(e), {}, o),
  contextEdit: (s, e, o) => s.contextEdit(targetOf(s, e), e.model === 0 ? null : textOf(e), o),
  unknown: (s, e, o) => s.entry("from_the_future", { text: textOf(e) }, o),
} satisfies Record<string, Say>;

const IMAGE = { type: "image", data: "aGVsbG8=", mimeType: "image/png" } as const;
const KINDS = Object.keys(SAY) as DrawnEntry["kind"][];

export const drawnEntry: fc.Arbitrary<DrawnEntry> = fc.record({
  kind: fc.oneof(fc.constantFrom("user", "assistant", "call", "result"), fc.constantFrom(...KINDS)),
  words: fc.array(fc.nat(WORDS.length - 1), { minLength: 1, maxLength: 4 }),
  model: fc.nat(MODELS.length - 1),
  usage: fc.nat(USAGES.length - 1),
  delay: fc.nat(DELAYS.length - 1),
  time: fc.nat(9),
  target: fc.nat(20),
  branches: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/** Adds the entry to a session. */
export function say(session: SessionBuilder, entry: DrawnEntry): void {
  const begun = Date.parse(session.header.timestamp);
  const at = begun + session.entries.length * 1000 + (DELAYS[entry.delay] ?? 0);
  session.at(at);
  if (entry.branches && session.lastId !== null) {
    session.branchFrom(entry.target === 0 ? null : targetOf(session, entry));
  }
  SAY[entry.kind](session, entry, timeOf(entry, at));
}

function timeOf({ time }: DrawnEntry, at: number): EntryOptions {
  switch (time) {
    case 0:
      return { timestamp: at };
    case 1:
      return { timestamp: "yesterday" };
    case 2:
      return { timestamp: new Date(at + 120 * MINUTE_MS).toISOString().replace("Z", "+02:00") };
    default:
      return {};
  }
}

function textOf({ words }: DrawnEntry): string {
  return words.map((at) => WORDS[at]).join(" ");
}

function modelOf({ model }: DrawnEntry): [provider: string, model: string] {
  const [provider, name] = MODELS[model] ?? MODELS[0];
  return [provider, name];
}

function answeredBy(entry: DrawnEntry) {
  const [provider, model] = modelOf(entry);
  return { provider, model, usage: USAGES[entry.usage] ?? null };
}

/** Usage where it may be missing. */
function atTimes({ usage }: DrawnEntry) {
  return usage % 2 === 0 ? { usage: USAGES[usage] ?? null } : {};
}

/** One, or two of which the second is answered first. */
function callsOf(entry: DrawnEntry) {
  const call = { name: toolOf(entry), arguments: { path: "src/main.ts", text: textOf(entry) } };
  return entry.model % 2 === 0 ? [call] : [{ ...call, name: "write" }, call];
}

function toolOf({ target }: DrawnEntry): string {
  return TOOLS[target % TOOLS.length] ?? "bash";
}

/** Entries of version 1 have no ids. */
function targetOf({ entries }: SessionBuilder, { target }: DrawnEntry): string {
  const id = entries[target % Math.max(1, entries.length)]?.id;
  return typeof id === "string" ? id : "nobody";
}

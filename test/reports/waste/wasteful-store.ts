import { dirname, join } from "node:path";
import { fc } from "../../helpers/drawn.ts";
import { usageOf } from "../../helpers/sample-usage.ts";
import { type SessionBuilder, session } from "../../helpers/session-builder.ts";

/** What happens next in a session, as fast-check draws it. */
export const happenings = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("ask" as const),
        new: fc.nat(9000),
        read: fc.nat(3),
        model: fc.nat(2),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("fail" as const), new: fc.nat(3000), reason: fc.nat(2) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("again" as const), new: fc.nat(3000), read: fc.nat(3) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("compact" as const), keep: fc.nat(3), paid: fc.boolean() }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("back" as const), to: fc.nat(40), summary: fc.boolean() }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom("warm" as const, "say" as const, "change" as const) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), minutes: fc.nat(12) }) },
  ),
  { minLength: 5, maxLength: 40 },
);
export type Happening = typeof happenings extends fc.Arbitrary<(infer T)[]> ? T : never;

const MODELS = [
  { provider: "anthropic", model: "claude-sonnet-4-5" },
  { provider: "azure-openai-responses", model: "gpt-5.5" },
  { provider: "ollama", model: "local" },
];
/** How much of the prompt before is read from the cache. */
const READ = [1, 0.9, 0.4, 0];

/** Plays what happens in a session. */
export function happenIn(built: SessionBuilder, all: readonly Happening[]): SessionBuilder {
  let prompt = 5000;
  let now = Date.parse(built.header.timestamp);
  const request = (fresh: number, read: number, model: number, more = {}): void => {
    const share = READ[read] ?? 0;
    const cacheRead = Math.round(prompt * share);
    prompt = prompt + fresh;
    const rest = prompt - cacheRead;
    // Half of the requests write what is new to the cache, others state it as plain input; local ones have no price.
    const writes = fresh % 2 === 0;
    const counts = { input: writes ? 3 : rest, output: 100, cacheRead, cacheWrite: writes ? rest : 0 };
    const price = model === 2 ? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } : {};
    built.assistant({ ...MODELS[model], usage: usageOf(counts, price), ...more });
  };
  built.user("begin").assistant({ usage: usageOf({ input: 3, cacheWrite: 5000, output: 9 }) });
  for (const each of all) {
    now += 20_000;
    if (each.kind === "pause") now += each.minutes * 60_000;
    built.at(now);
    switch (each.kind) {
      case "ask":
        built.user("go on");
        request(each.new, each.read, each.model);
        break;
      case "again":
        request(each.new, each.read, 0);
        break;
      case "fail":
        if (each.reason === 2)
          built.assistant({ usage: usageOf({}), stopReason: "error", errorMessage: "529" });
        else request(each.new, 0, 0, { stopReason: each.reason === 0 ? "error" : "aborted" });
        break;
      case "compact":
        prompt = 3000;
        built.compaction("so far", {
          firstKept: String(built.entries.at(-1 - each.keep)?.id ?? built.lastId),
          ...(each.paid && { usage: usageOf({ input: 4000, output: 500 }) }),
        });
        break;
      case "back":
        built.branchFrom(String(built.entries[each.to % built.entries.length]?.id));
        if (each.summary) built.branchSummary("was there", { usage: usageOf({ input: 900, output: 90 }) });
        break;
      case "warm":
        built.usage("cache_warm", { ...MODELS[0], usage: usageOf({ cacheRead: prompt, input: 1 }) });
        break;
      case "say":
        built.customMessage("note", "said by an extension");
        break;
      case "change":
        built.modelChange("openai", "gpt-5.5");
        break;
      default:
        each.kind satisfies "pause";
    }
  }
  return built;
}

/** A family: a session with a sub-agent's, and a fork of it that goes on. */
export function writeFamily(
  root: string,
  parts: readonly [Happening[], Happening[], Happening[]],
  at: number,
): void {
  const timestamp = new Date(Date.UTC(2026, 0, 1 + at, 7)).toISOString();
  const parent = happenIn(session({ id: `parent${at}`, cwd: "/p", timestamp }), parts[0]);
  const path = parent.writeBelow(root);
  happenIn(parent.fork({ id: `fork${at}` }).user("on its own"), parts[1]).writeBelow(root);
  // A second later, because what says the same at the same time would be a copy.
  const later = new Date(Date.parse(timestamp) + 1000).toISOString();
  const agent = session({ id: `agent${at}`, cwd: "/p", timestamp: later });
  happenIn(agent, parts[2]).write(
    join(dirname(path), path.replace(/^.*\/|\.jsonl$/g, ""), "0f", "run-0", "session.jsonl"),
  );
}

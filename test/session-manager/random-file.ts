import type { Random } from "./random.ts";

type Fields = Record<string, unknown>;

/** Few ids, so that they repeat, are missing and point in circles. */
const IDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"] as const;

/** Lines that are JSON, but no objects. */
const ODD: readonly [unknown[], ...unknown[][]] = [[5], [true], ["text"], [[1]], [null], [0, ""], [[], 7]];

/**
 * A session file of random entries: unknown parents, repeated ids, missing fields, odd values.
 * `endless` says whether some entry may be its own ancestor, on which pi may never come back.
 */
export function randomFile(random: Random): { text: string; endless: boolean } {
  const entries = Array.from({ length: random.below(14) }, (_, at) => randomEntry(random, at));
  const header = {
    type: "session",
    version: random.pick([3, 3, 3, 4, "3", 2, 1, undefined]),
    id: "session",
    timestamp: random.pick(["2026-01-01T00:00:00.000Z", "never", 5, undefined]),
    cwd: random.pick(["/work", "", 7, undefined]),
    parentSession: random.pick([undefined, "/parent.jsonl"]),
  };
  // Files of version 1 with such lines are read otherwise on purpose.
  const odd = Number(header.version ?? 1) > 1 && random.below(4) === 0 ? random.pick(ODD) : [];
  const at = random.below(entries.length + 1);
  const values = [header, ...entries.slice(0, at), ...odd, ...entries.slice(at)];
  const lines = values.map((value) => JSON.stringify(value));
  const end = random.pick(["\n", "\n", "", '{"torn', "\n\n"]);
  return { text: lines.join("\n") + end, endless: hasCircle(entries) };
}

function randomEntry(random: Random, at: number): Fields {
  const isOrderly = random.below(5) > 0;
  const id = isOrderly ? IDS[at % IDS.length] : random.pick(IDS);
  const parentId = isOrderly ? (IDS[at - 1] ?? null) : random.pick([null, undefined, "zz", ...IDS]);
  const timestamp = random.pick([
    `2026-01-0${1 + random.below(9)}T00:00:00.000Z`,
    1_767_000_000_000 + at,
    "x",
    undefined,
  ]);
  return { ...randomBody(random), id, parentId, timestamp };
}

function randomBody(random: Random): Fields {
  const target = random.pick([...IDS]);
  switch (random.below(12)) {
    case 0:
      return {
        type: "compaction",
        summary: random.pick(["s", undefined]),
        firstKeptEntryId: target,
        tokensBefore: 5,
        systemMessage: random.pick([undefined, message(random)]),
      };
    case 1:
      return { type: "branch_summary", summary: random.pick(["s", "", undefined]), fromId: target };
    case 2:
      return { type: "label", targetId: target, label: random.pick(["l", "m", "", undefined, null]) };
    case 3:
      return { type: "session_info", name: random.pick(["n", " ", "", undefined, null]) };
    case 4:
      return {
        type: "context_edit",
        targetId: target,
        replacement: random.pick([null, { content: "edited" }, { content: [] }]),
      };
    case 5:
      return {
        type: "custom_message",
        customType: "c",
        content: random.pick<unknown>(["text", null, undefined, []]),
        display: true,
      };
    case 6:
      return {
        type: random.pick(["thinking_level_change", "model_change"]),
        thinkingLevel: "high",
        provider: "p",
        modelId: "m",
      };
    case 7:
      return { type: random.pick(["custom", "usage", "hologram", undefined]) };
    default:
      return { type: "message", message: message(random) };
  }
}

function message(random: Random): unknown {
  const content = random.pick<unknown>([
    "text",
    [{ type: "text", text: "block" }],
    [{ type: "text" }, { type: "image", data: "", mimeType: "image/png" }],
    [null],
    [],
    null,
    undefined,
    5,
    {},
  ]);
  const role = random.pick([
    "user",
    "assistant",
    "user",
    "assistant",
    "toolResult",
    "system",
    "bashExecution",
    "custom",
    undefined,
    5,
  ]);
  const timestamp = random.pick<unknown>([1_767_000_000_000 + random.below(1000), "x", undefined]);
  if (random.below(25) === 0) return random.pick([null, undefined, 5, "text"]);
  // Without the field and with an undefined one is the same in JSON; both are drawn.
  return { role, content, provider: "p", model: "m", timestamp };
}

/** Any way counts along which entries of one id may be taken for each other, so some of these do end in pi. */
function hasCircle(entries: readonly Fields[]): boolean {
  return entries.some(({ id }) => {
    const ancestors = new Set<unknown>();
    const waiting = [id];
    for (const at of waiting) {
      const parents = entries.filter((entry) => entry.id === at).map((entry) => entry.parentId);
      const unseen = parents.filter((parent) => parent && !ancestors.has(parent));
      for (const parent of unseen) ancestors.add(parent);
      waiting.push(...unseen);
    }
    return ancestors.has(id);
  });
}

import type {
  AssistantMessage,
  BashExecutionMessage,
  CustomMessage,
  Message,
  SystemMessage,
} from "../../../src/format/messages.ts";
import type { ContextEditEntry } from "../../../src/format/types.ts";
import { sampleUsage } from "../../helpers/sample-usage.ts";
import { LINE_SEPARATOR } from "../line-separator.ts";
import type { Random } from "../random.ts";
import { drawId, type Maker, maybe } from "./operation.ts";

const IMAGE = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };

/** Everything that adds an entry below the leaf. */
export const appends: Record<string, Maker> = {
  appendMessage: [
    40,
    (random, step) => {
      const message = drawMessage(random, step);
      return ({ manager }) => manager.appendMessage(message);
    },
  ],
  appendThinkingLevelChange: [
    3,
    (random) => {
      const level = random.pick(["off", "low", "high", "xhigh"]);
      return ({ manager }) => manager.appendThinkingLevelChange(level);
    },
  ],
  appendModelChange: [
    3,
    (random) => {
      const model = random.pick(["sonnet", "opus", ""]);
      return ({ manager }) => manager.appendModelChange("anthropic", model);
    },
  ],
  appendUsage: [
    3,
    (random, step) => {
      const note = maybe(random, random.pick(["because", ""]));
      return ({ manager }) =>
        manager.appendUsage("cache_warm", "anthropic", "haiku", sampleUsage(step), note);
    },
  ],
  appendCompaction: [4, drawCompaction],
  appendCustomEntry: [
    3,
    (random) => {
      const data = maybe(random, random.pick([null, 0, { nested: { list: [1, "two", null] } }, "text"]));
      return ({ manager }) => manager.appendCustomEntry("plan", data);
    },
  ],
  appendSessionInfo: [
    4,
    (random) => {
      const name = random.pick(["pears", "  two\r\nlines\n\n", "", "   ", `梨 🍐${LINE_SEPARATOR}`]);
      return ({ manager }) => manager.appendSessionInfo(name);
    },
  ],
  appendCustomMessageEntry: [
    3,
    (random, step) => {
      const content = random.pick<CustomMessage["content"]>([
        `note ${step}`,
        [{ type: "text", text: "b" }, IMAGE],
      ]);
      const details = maybe(random, { step });
      const display = random.below(2) === 0;
      return ({ manager }) => manager.appendCustomMessageEntry("note", content, display, details);
    },
  ],
  appendContextEdit: [
    6,
    (random) => {
      const target = drawId(random);
      const replacement = drawReplacement(random);
      return ({ manager }) => manager.appendContextEdit(target(manager), replacement);
    },
  ],
  appendLabelChange: [
    8,
    (random) => {
      const target = drawId(random);
      const label = random.pick(["keep", "later", "", undefined]);
      return ({ manager }) => manager.appendLabelChange(target(manager), label);
    },
  ],
  branchWithSummary: [
    4,
    (random, step) => {
      const target = random.below(5) === 0 ? () => null : drawId(random);
      const [details, fromHook] = [maybe(random, { step }), maybe(random, true)];
      const usage = maybe(random, sampleUsage(step));
      const summary = random.pick(["what was tried", ""]);
      return ({ manager }) => manager.branchWithSummary(target(manager), summary, details, fromHook, usage);
    },
  ],
};

function drawCompaction(random: Random, step: number) {
  const keptNone = random.below(4) === 0;
  const firstKept = drawId(random);
  const [details, fromHook] = [maybe(random, { files: ["a.ts"] }), maybe(random, false)];
  const usage = maybe(random, sampleUsage(step));
  return ({ manager }: Parameters<ReturnType<Maker[1]>>[0]) => {
    const kept = keptNone ? null : firstKept(manager);
    return manager.appendCompaction(`summary ${step}`, kept, 1000 + step, details, fromHook, usage);
  };
}

function drawMessage(random: Random, step: number): Message | CustomMessage | BashExecutionMessage {
  const timestamp = 1_750_000_000_000 + step;
  switch (random.below(8)) {
    case 0:
    case 1: {
      const content = random.pick([`question ${step}`, "", [{ type: "text" as const, text: "with" }, IMAGE]]);
      return { role: "user", content, timestamp };
    }
    case 2:
    case 3:
      return assistant(random, step, timestamp);
    case 4: {
      const content = [{ type: "text" as const, text: `ok${LINE_SEPARATOR}\u0085` }];
      const result = {
        toolCallId: `call_${step}`,
        toolName: "bash",
        content,
        isError: random.below(3) === 0,
      };
      return { role: "toolResult", ...result, timestamp };
    }
    case 5:
      return bash(step, timestamp);
    case 6:
      return { role: "custom", customType: "note", content: `custom ${step}`, display: true, timestamp };
    default:
      return system(random, step, timestamp);
  }
}

function assistant(random: Random, step: number, timestamp: number): AssistantMessage {
  const call = { type: "toolCall" as const, id: `call_${step}`, name: "bash", arguments: { command: "ls" } };
  const content = random.pick<AssistantMessage["content"]>([
    [{ type: "text", text: `answer ${step}` }],
    [{ type: "thinking", thinking: "hm", thinkingSignature: "sig" }, call],
    [],
  ]);
  const model = random.pick(["sonnet", "opus"]);
  const stopReason = random.pick<AssistantMessage["stopReason"]>(["stop", "toolUse", "error", "aborted"]);
  const usage = sampleUsage(step);
  return {
    role: "assistant",
    content,
    api: "messages",
    provider: "anthropic",
    model,
    usage,
    stopReason,
    timestamp,
  };
}

function bash(step: number, timestamp: number): BashExecutionMessage {
  const said = { command: "ls", output: `out ${step}`, exitCode: 0, cancelled: false, truncated: false };
  return { role: "bashExecution", ...said, timestamp };
}

function system(random: Random, step: number, timestamp: number): SystemMessage {
  const tools = [
    { name: "read", description: `read ${step}`, parameters: {} },
    { name: "bash", description: "", parameters: { type: "object" } },
  ];
  return {
    role: "system",
    content: random.pick<SystemMessage["content"]>(["be brief", "", [{ type: "text", text: "in blocks" }]]),
    ...(random.below(2) ? { sections: { style: random.pick(["dry", null]), tone: "kind" } } : {}),
    ...(random.below(2) ? { toolsAdded: tools } : {}),
    ...(random.below(3) ? {} : { toolsRemoved: [{ name: "read" }] }),
    timestamp,
  };
}

/** What extensions pass, some of it against the declared type. */
function drawReplacement(random: Random): ContextEditEntry["replacement"] {
  const text = { type: "text", text: "edited" };
  const choice = random.pick([
    null,
    { content: "edited" },
    { content: [text] },
    { content: 5 },
    "text",
    {},
    undefined,
  ]);
  return choice as ContextEditEntry["replacement"];
}

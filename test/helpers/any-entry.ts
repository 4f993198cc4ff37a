/** Entries and headers whose fields may each be right, anything else, or absent. */
import { fc } from "./drawn.ts";

const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 2, arbitrary: fc.double() },
  fc.constantFrom<unknown>(-0, 2 ** 53, 8.64e15, -8.64e15 - 1, null, "", "\0", "\ud800", [], {}, [null]),
);
const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "d") }, anything);
const time = fc.oneof(
  fc.integer(),
  fc.date().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);

const duration = fc.oneof(fc.nat(), fc.double());

type Fields = Record<string, fc.Arbitrary<unknown>>;

/** An object with some of these fields, each right or anything else. */
function loosely(fields: Fields): fc.Arbitrary<Record<string, unknown>> {
  const either = Object.entries(fields).map(([name, right]) => [
    name,
    fc.oneof({ weight: 3, arbitrary: right }, anything),
  ]);
  return fc.record(Object.fromEntries(either) as Fields, { requiredKeys: [] });
}

const usage = loosely({
  input: fc.nat(),
  output: fc.nat(),
  cacheRead: fc.nat(),
  cacheWrite: fc.nat(),
  totalTokens: fc.nat(),
  cacheWrite1h: fc.nat(),
  reasoning: fc.nat(),
  cost: loosely({
    input: fc.double(),
    output: fc.double(),
    cacheWrite: fc.double(),
    total: fc.double(),
    totalFromProvider: fc.boolean(),
  }),
});

const ROLES = ["user", "assistant", "toolResult", "bashExecution", "custom", "branchSummary", "hookMessage"];

function messageWith(text: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> {
  return loosely({
    role: fc.constantFrom(...ROLES),
    content: contentWith(text),
    usage,
    provider: text,
    model: text,
    stopReason: text,
    timestamp: time,
    toolCallId: id,
    toolName: text,
    isError: fc.boolean(),
    command: text,
    output: text,
    exitCode: fc.integer(),
    summary: text,
    errorMessage: text,
    customType: text,
    durationMs: duration,
    nestedCalls: nestedCallsWith(text),
  });
}

function nestedCallsWith(text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const call = loosely({
    id,
    name: text,
    arguments: argumentsWith(text),
    status: fc.constantFrom("ok", "error", "unfinished"),
    durationMs: duration,
    error: text,
  });
  return loosely({ calls: fc.array(call, { maxLength: 3 }), complete: fc.boolean() });
}

function contentWith(text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const block = loosely({
    type: fc.constantFrom("text", "image", "thinking", "toolCall"),
    text,
    thinking: text,
    id,
    name: text,
    arguments: argumentsWith(text),
    argumentsError: text,
    data: text,
  });
  return fc.oneof(text, fc.array(block, { maxLength: 3 }));
}

function argumentsWith(text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const named = loosely({
    path: text,
    file_path: text,
    filePath: text,
    content: text,
    edits: fc.array(text),
  });
  return fc.oneof(fc.object(), named);
}

const TYPES = `message message message compaction branch_summary usage label session_info model_change
    thinking_level_change custom custom_message context_edit`.split(/\s+/);

/** An entry whose texts are drawn from `text`. */
export function anyEntry(text = fc.string({ maxLength: 20 })): fc.Arbitrary<Record<string, unknown>> {
  const content = contentWith(text);
  return loosely({
    type: fc.constantFrom(...TYPES),
    id,
    parentId: id,
    timestamp: time,
    message: messageWith(text),
    usage,
    summary: text,
    targetId: id,
    fromId: id,
    label: text,
    name: text,
    kind: text,
    note: text,
    provider: text,
    model: text,
    modelId: text,
    customType: text,
    thinkingLevel: text,
    stopReason: text,
    content,
    replacement: loosely({ content }),
  });
}

export const anyHeader: fc.Arbitrary<Record<string, unknown>> = fc.record({
  type: fc.constant("session"),
  id: fc.string({ maxLength: 20 }),
  version: fc.oneof(fc.constantFrom(1, 2, 3), anything),
  timestamp: anything,
  cwd: anything,
  parentSession: anything,
});

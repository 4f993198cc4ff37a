import fc from "fast-check";
import { expect, test } from "vitest";
import { feedSearch } from "../../src/sync/full-text/search-feed.ts";
import { syncAll } from "../../src/sync/sync-all.ts";
import { readNaively } from "../fixtures/naive-reader.ts";
import { LATER, Store } from "./store.ts";

const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 2, arbitrary: fc.double() },
  fc.constantFrom<unknown>(-0, 2 ** 53, 8.64e15, -8.64e15 - 1, null, "", "\0", "\ud800", [], {}, [null]),
);
const id = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "d") }, anything);

/** An object with some of these fields, each as it should be or anything else. */
function loosely(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const either = Object.entries(fields).map(([name, right]) => [
    name,
    fc.oneof({ weight: 3, arbitrary: right }, anything),
  ]);
  return fc.record(Object.fromEntries(either) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: [] });
}

const text = fc.string({ maxLength: 20 });
const usage = loosely({
  ...{ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat(), cacheWrite: fc.nat(), totalTokens: fc.nat() },
  cost: loosely({ input: fc.double(), total: fc.double() }),
});
const block = loosely({
  type: fc.constantFrom("text", "image", "thinking", "toolCall"),
  ...{ text, thinking: text, id, name: text, arguments: fc.object(), data: text },
});
const message = loosely({
  role: fc.constantFrom("user", "assistant", "toolResult", "bashExecution", "custom", "branchSummary"),
  content: fc.oneof(text, fc.array(block, { maxLength: 3 })),
  ...{ usage, provider: text, model: text, stopReason: text, timestamp: fc.integer(), toolCallId: id },
  ...{
    toolName: text,
    isError: fc.boolean(),
    command: text,
    output: text,
    exitCode: fc.integer(),
    summary: text,
  },
});
const entry = loosely({
  type: fc.constantFrom(
    "message",
    "compaction",
    "branch_summary",
    "usage",
    "label",
    "session_info",
    "model_change",
  ),
  ...{ id, parentId: id, timestamp: fc.oneof(fc.integer(), fc.date().map(String)), message, usage },
  ...{ summary: text, targetId: id, label: text, name: text, kind: text, provider: text, modelId: text },
});
const header = fc.record({
  ...{ type: fc.constant("session"), id: text, version: fc.oneof(fc.constantFrom(1, 2, 3), anything) },
  ...{ timestamp: anything, cwd: anything, parentSession: anything },
});

test("A21, I-12: no entry whatever keeps its file, or another one, out of the index", () => {
  const store = new Store();
  fc.assert(
    fc.property(header, fc.array(entry, { maxLength: 12 }), (first, entries) => {
      const bytes = Buffer.from([first, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
      store.write("file.jsonl", bytes);
      const { files, troubles } = syncAll(store.index, [store.root], { now: LATER });
      expect([files.failed, troubles]).toEqual([0, []]);
      expect(store.column("SELECT count(*) FROM entries")).toEqual([readNaively(bytes).entries]);
      expect(feedSearch(store.index)).toMatchObject({ complete: true, behind: 0 });
    }),
    { numRuns: 250 },
  );
});

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/format/json.ts";
import { INDEXED, searchableTexts } from "../../src/format/searchable.ts";

function textsOf(message: JsonObject): string[] {
  return searchableTexts({ type: "message", message });
}

const text = (words: string) => ({ type: "text", text: words });

describe("search looks into", () => {
  test("what a person said, block by block", () => {
    const content = [text("a"), { type: "image", data: "AAAA", mimeType: "image/png" }, text("b")];
    expect(textsOf({ role: "user", content })).toEqual(["a", "b"]);
  });

  test("what a model said, thought and called, and how it failed, without signatures", () => {
    const content = [
      { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" },
      { ...text("said"), textSignature: "c2ln" },
      {
        type: "toolCall",
        id: "call_1",
        name: "grep",
        arguments: { pattern: "x", n: 3 },
        thoughtSignature: "c2ln",
      },
      { type: "new_block", text: "unknown" },
    ];
    expect(textsOf({ role: "assistant", content, errorMessage: "overloaded" })).toEqual([
      "hm",
      "said",
      "grep",
      "x",
      "3",
      "overloaded",
    ]);
  });

  test("a tool's name and output", () => {
    const message = {
      role: "toolResult",
      toolName: "bash",
      content: [text("out")],
      details: { diff: "hidden" },
    };
    expect(textsOf(message)).toEqual(["bash", "out"]);
  });

  test("a tool's output up to 64 KB", () => {
    const [, output] = textsOf({ role: "toolResult", toolName: "t", content: [text("y".repeat(100_000))] });
    expect(output).toHaveLength(INDEXED.output);
  });

  test("a command and its output", () => {
    expect(textsOf({ role: "bashExecution", command: "ls", output: "a.txt" })).toEqual(["ls", "a.txt"]);
  });

  test.each<[string, JsonObject, string[]]>([
    ["a compaction's summary", { type: "compaction", summary: "S", details: "d" }, ["S"]],
    ["a branch's summary", { type: "branch_summary", summary: "S" }, ["S"]],
    ["a summary message", { type: "message", message: { role: "compactionSummary", summary: "S" } }, ["S"]],
    ["an extension's message", { type: "custom_message", content: "C", details: "d" }, ["C"]],
    ["a message an extension made", { type: "message", message: { role: "custom", content: "C" } }, ["C"]],
    ["an answer that is one text", { type: "message", message: { role: "assistant", content: "A" } }, ["A"]],
    [
      "a message of a role nobody knows",
      { type: "message", message: { role: "clerk", content: "C" } },
      ["C"],
    ],
    ["what stands in the context instead", { type: "context_edit", replacement: { content: "E" } }, ["E"]],
    ["a label", { type: "label", label: "L" }, ["L"]],
    ["a name", { type: "session_info", name: "N" }, ["N"]],
    ["a note on usage", { type: "usage", kind: "k", note: "idle" }, ["idle"]],
  ])("%s", (_name, entry, expected) => {
    expect(searchableTexts(entry)).toEqual(expected);
  });
});

describe("search does not look into", () => {
  test.each<[string, JsonObject]>([
    ["system prompts", { type: "message", message: { role: "system", content: "You are" } }],
    ["an extension's state", { type: "custom", customType: "todo", data: "state" }],
    ["settings", { type: "model_change", provider: "p", modelId: "m" }],
    ["what was taken out of the context", { type: "context_edit", targetId: "a", replacement: null }],
    ["entries nobody knows", { type: "hologram", text: "T" }],
    ["messages that are none", { type: "message", message: [text("a")] }],
    [
      "texts that are no strings",
      { type: "message", message: { role: "user", content: [{ type: "text", text: 5 }] } },
    ],
  ])("%s", (_name, entry) => {
    expect(searchableTexts(entry)).toEqual([]);
  });
});

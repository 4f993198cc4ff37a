import { describe, expect, test } from "vitest";
import { callText, imageBytes, partsOf } from "../../src/format/transcript.ts";
import { withinReason } from "../helpers/within-reason.ts";

const message = (fields: object) =>
  ({ type: "message", message: { ...fields } }) as Parameters<typeof partsOf>[0];

describe("what an entry shows", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" };
  const text = (said: string) => ({ type: "text", text: said });
  test.each<[string, Parameters<typeof partsOf>[0], object[]]>([
    ["words", message({ role: "user", content: "a" }), [{ kind: "text", text: "a" }]],
    [
      "words and pictures in their order",
      message({ role: "user", content: [text("a"), image, text(""), text("b")] }),
      [
        { kind: "text", text: "a" },
        { kind: "image", mimeType: "image/png", data: "AAAA" },
        { kind: "text", text: "b" },
      ],
    ],
    [
      "thinking, words and calls",
      message({
        role: "assistant",
        content: [
          { type: "thinking", thinking: "t" },
          text("a"),
          { type: "toolCall", name: "read", arguments: { path: "p" } },
          { type: "toolCall" },
        ],
        stopReason: "toolUse",
      }),
      [
        { kind: "thinking", text: "t" },
        { kind: "text", text: "a" },
        { kind: "call", name: "read", args: { path: "p" } },
        { kind: "call", name: "tool", args: null },
      ],
    ],
    [
      "what a tool printed",
      message({ role: "toolResult", content: [text("o")] }),
      [{ kind: "output", text: "o" }],
    ],
    [
      "what a tool has called, and what went wrong with it",
      message({
        role: "toolResult",
        content: [text("o")],
        nestedCalls: {
          calls: [
            { name: "read", arguments: { path: "p" }, status: "ok" },
            { name: "edit", status: "error", error: "gone" },
            { name: "bash", arguments: { command: "sleep" }, status: "unfinished" },
          ],
        },
      }),
      [
        { kind: "call", name: "read", args: { path: "p" } },
        { kind: "call", name: "edit", args: null },
        { kind: "error", text: "gone" },
        { kind: "call", name: "bash", args: { command: "sleep" } },
        { kind: "error", text: "unfinished" },
        { kind: "output", text: "o" },
      ],
    ],
    [
      "a command that ended well",
      message({ role: "bashExecution", command: "ls", output: "o", exitCode: 0, cancelled: false }),
      [
        { kind: "call", name: "$", args: "ls" },
        { kind: "output", text: "o" },
      ],
    ],
    [
      "a command that failed without a word",
      message({ role: "bashExecution", command: "false", output: "", exitCode: 1 }),
      [
        { kind: "call", name: "$", args: "false" },
        { kind: "error", text: "exit code 1" },
      ],
    ],
    [
      "a command that was cancelled",
      message({ role: "bashExecution", command: "sleep 9", exitCode: 143, cancelled: true }),
      [
        { kind: "call", name: "$", args: "sleep 9" },
        { kind: "error", text: "cancelled" },
      ],
    ],
    [
      "why an answer failed",
      message({ role: "assistant", content: [], stopReason: "error", errorMessage: "429" }),
      [{ kind: "error", text: "429" }],
    ],
    [
      "that an answer was cut off",
      message({ role: "assistant", content: "a", stopReason: "length" }),
      [
        { kind: "text", text: "a" },
        { kind: "error", text: "length" },
      ],
    ],
    ["summaries", { type: "compaction", summary: "s" }, [{ kind: "text", text: "s" }]],
    ["what another role says", message({ role: "custom", content: "c" }), [{ kind: "text", text: "c" }]],
    [
      "which model goes on",
      { type: "model_change", provider: "p", modelId: "m" },
      [{ kind: "note", text: "model p/m" }],
    ],
    ["a name", { type: "session_info", name: "n" }, [{ kind: "note", text: 'named "n"' }]],
    ["that a name was cleared", { type: "session_info", name: "" }, [{ kind: "note", text: "name cleared" }]],
    ["a label", { type: "label", targetId: "x", label: "l" }, [{ kind: "note", text: 'labelled "l"' }]],
    ["that a label was cleared", { type: "label", targetId: "x" }, [{ kind: "note", text: "label cleared" }]],
    ["what usage is of", { type: "usage", kind: "k", note: "n" }, [{ kind: "note", text: "k: n" }]],
    [
      "what was left out of the context",
      { type: "context_edit", targetId: "x", replacement: null },
      [{ kind: "note", text: "taken out of the context" }],
    ],
    ["of bookkeeping nothing", { type: "custom", customType: "x", data: 1 }, []],
    ["of damage nothing", { type: "message", message: 5 }, []],
  ])("%s", (_what, entry, parts) => {
    expect(partsOf(entry)).toEqual(parts);
  });
});

test.each<[unknown, string, string]>([
  [{ path: "a.ts", oldText: "x" }, "a.ts", "oldText: x"],
  [{ offset: 3, path: "a.ts" }, "a.ts", "offset: 3"],
  [{ limit: 5 }, "5", ""],
  [{ command: "a\nb", timeout: 1 }, "", "command:\n  a\n  b\ntimeout: 1"],
  [{ timeout: 1, command: "a\nb" }, "", "timeout: 1\ncommand:\n  a\n  b"],
  [{ script: "a\nb" }, "", "a\nb"],
  [{ path: "p", edits: [{ a: 1 }, { b: ["x", null] }] }, "p", "edits:\n  - a: 1\n  - b:\n      - x\n      -"],
  [{ path: "p", deep: [[[[[[["x"]]]]]]] }, "p", `deep:\n  ${"- ".repeat(6)}…`],
  [{ path: "p", none: null, empty: {} }, "p", "none: \nempty: "],
  ["words", "words", ""],
  [null, "", ""],
])("the arguments %j are about %j, and the rest is %j", (args, about, rest) => {
  expect(callText(args as Parameters<typeof callText>[0])).toEqual({ about, rest });
});

test.each([
  ["QUI=", 2],
  ["QQ==", 1],
  [`QQ${"=".repeat(300_000)}QQ`, 225_003],
])("an image has the bytes that its base64 stands for", (data, bytes) => {
  expect(withinReason(() => imageBytes({ kind: "image", mimeType: "image/png", data }))).toBe(bytes);
});

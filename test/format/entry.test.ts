import { describe, expect, test } from "vitest";
import {
  activityTimeOf,
  answeredCallOf,
  attributesOf,
  spokenText,
  timeOf,
  toolCallsOf,
} from "../../src/format/entry.ts";
import type { JsonObject } from "../../src/format/json.ts";

const TEN = "2026-03-01T10:00:00.000Z";
const TEN_MS = Date.parse(TEN);
const base = { id: "b", parentId: "a", timestamp: TEN };
const message = (fields: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "message",
  ...base,
  message: fields,
  ...rest,
});

describe("the attributes of an entry", () => {
  test("are its base, and nothing where it says nothing", () => {
    expect(attributesOf({ type: "hologram", ...base })).toEqual({
      id: "b",
      parentId: "a",
      type: "hologram",
      role: null,
      timestamp: TEN_MS,
      provider: null,
      model: null,
      toolName: null,
      isError: false,
      customType: null,
      targetId: null,
      hasImage: false,
      preview: "",
    });
  });

  test.each<[string, JsonObject, object]>([
    [
      "an assistant message has role, provider and model",
      message({ role: "assistant", provider: "p", model: "m", content: [] }),
      { role: "assistant", provider: "p", model: "m" },
    ],
    ["a tool result has its tool", message({ role: "toolResult", toolName: "bash" }), { toolName: "bash" }],
    [
      "a model change has its model",
      { type: "model_change", provider: "p", modelId: "m" },
      { provider: "p", model: "m" },
    ],
    [
      "a usage entry has its model",
      { type: "usage", provider: "p", model: "m" },
      { provider: "p", model: "m" },
    ],
    ["an extension's entry has its type", { type: "custom", customType: "todo" }, { customType: "todo" }],
    [
      "an extension's message has its type",
      message({ role: "custom", customType: "todo" }),
      { customType: "todo" },
    ],
    ["a label has its target", { type: "label", targetId: "t" }, { targetId: "t" }],
    ["a branch summary has where it came from", { type: "branch_summary", fromId: "f" }, { targetId: "f" }],
    ["an image is noticed", message({ role: "user", content: [{ type: "image" }] }), { hasImage: true }],
    [
      "an extension's image is noticed",
      { type: "custom_message", content: [{ type: "image" }] },
      { hasImage: true },
    ],
    ["a string is no image", message({ role: "user", content: "image" }), { hasImage: false }],
    [
      "what is no string is no id",
      { id: 7, parentId: { a: 1 }, type: 5 },
      { id: null, parentId: null, type: "" },
    ],
    ["an entry's role counts in messages only", { type: "custom", role: "user" }, { role: null }],
    [
      "an entry without a time has its message's",
      message({ timestamp: 5 }, { timestamp: "?" }),
      { timestamp: 5 },
    ],
  ])("%s", (_name, entry, expected) => {
    expect(attributesOf(entry)).toMatchObject(expected);
  });
});

describe("a failure is", () => {
  test.each<[string, JsonObject, boolean]>([
    ["an answer that ended in an error", { role: "assistant", stopReason: "error" }, true],
    ["no answer that was interrupted", { role: "assistant", stopReason: "aborted" }, false],
    ["a tool result that says so", { role: "toolResult", isError: true }, true],
    ["no tool result that says nothing", { role: "toolResult" }, false],
    ["a command with another exit code than 0", { role: "bashExecution", exitCode: 2 }, true],
    ["no command that ended well", { role: "bashExecution", exitCode: 0 }, false],
    ["no command without an exit code", { role: "bashExecution" }, false],
  ])("%s", (_name, fields, expected) => {
    expect(attributesOf(message(fields)).isError).toBe(expected);
  });
});

describe("A28: a time", () => {
  test.each<[unknown, number | null]>([
    [TEN, TEN_MS],
    [TEN_MS, TEN_MS],
    [TEN_MS + 0.4, TEN_MS],
    [0, 0],
    [-1, -1],
    ["+275760-09-13T00:00:00.000Z", 8.64e15],
    ["+275760-09-13T00:00:00.001Z", null],
    [8.64e15 + 1, null],
    [-8.64e15 - 1, null],
    [String(TEN_MS), null],
    ["", null],
    ["yesterday", null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [null, null],
    [undefined, null],
    [{ at: 1 }, null],
  ])("of %j is %j", (value, expected) => {
    expect(timeOf(value)).toBe(expected);
  });
});

describe("the activity of a session is at", () => {
  test.each<[string, JsonObject, number | null]>([
    ["a message's own time", message({ role: "user", content: "a", timestamp: 5 }), 5],
    ["its entry's where it has none", message({ role: "assistant", content: [] }), TEN_MS],
    ["no time for a tool result", message({ role: "toolResult", content: [], timestamp: 5 }), null],
    ["no time for a message without content", message({ role: "user", timestamp: 5 }), null],
    ["no time for another entry", { type: "label", ...base }, null],
  ])("%s", (_name, entry, expected) => {
    expect(activityTimeOf(entry)).toBe(expected);
  });
});

describe("what was said", () => {
  test.each(["user", "assistant"])("is the text of a message by: %s", (role) => {
    expect(spokenText(message({ role, content: "a" }))).toBe("a");
  });

  test.each<[string, JsonObject]>([
    ["an empty message", message({ role: "user", content: "" })],
    ["a tool result", message({ role: "toolResult", content: "a" })],
    ["another entry", { type: "custom_message", content: "a" }],
  ])("is nothing for %s", (_name, entry) => {
    expect(spokenText(entry)).toBe("");
  });
});

describe("the tool calls of an answer", () => {
  const call = (fields: JsonObject) => ({ type: "toolCall", ...fields });
  const callsIn = (...content: JsonObject[]) => toolCallsOf(message({ role: "assistant", content }));

  test("come in order, with the path each tool was given", () => {
    const calls = callsIn(
      call({ id: "1", name: "read", arguments: { path: "/a" } }),
      { type: "text", text: "then" },
      call({ id: "2", name: "Edit", arguments: { file_path: "/b" } }),
      call({ id: "3", name: "write", arguments: { filePath: "/c" } }),
      call({ id: "4", name: "bash", arguments: { command: "ls" } }),
    );
    expect(calls.map(({ callId, name, path }) => [callId, name, path])).toEqual([
      ["1", "read", "/a"],
      ["2", "Edit", "/b"],
      ["3", "write", "/c"],
      ["4", "bash", null],
    ]);
  });

  test("are there with empty words where they say nothing", () => {
    expect(callsIn(call({ arguments: "x" }))).toEqual([{ callId: "", name: "", path: null }]);
  });

  test("are none in what is no answer", () => {
    expect(toolCallsOf(message({ role: "user", content: [call({ id: "1" })] }))).toEqual([]);
  });
});

test("a tool result names the call it answers", () => {
  expect(answeredCallOf(message({ role: "toolResult", toolCallId: "1" }))).toBe("1");
});

test("nothing else names a call", () => {
  expect(answeredCallOf(message({ role: "user", toolCallId: "1" }))).toBeNull();
});

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/format/json.ts";
import { LONGEST_TEXT } from "../../src/format/long-text.ts";
import { digestOf, UNREAD } from "../../src/format/record.ts";

const NOON = "2026-03-01T12:00:00.000Z";
const NOON_MS = Date.parse(NOON);
const entry = (type: string, fields: JsonObject): JsonObject => ({
  type,
  id: "b",
  parentId: "a",
  timestamp: NOON,
  ...fields,
});
const message = (fields: JsonObject) => entry("message", { message: fields });
const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0.5 } };

describe("the digest of an entry", () => {
  test("keeps a beginning of what is longer than a book, and says that rows do not have all of it", () => {
    const block = (text: string) => ({ type: "text", text });
    const said = (text: string) => digestOf(message({ role: "user", content: [block(text), block("b")] }));
    expect(said("a".repeat(LONGEST_TEXT - 2))).toMatchObject({ irregular: false });
    const { spoken, irregular } = said("a".repeat(LONGEST_TEXT - 1));
    expect([spoken.length, spoken.endsWith("a "), irregular]).toEqual([LONGEST_TEXT, true, true]);
  });

  test("of an assistant has what it said, called and spent, and when", () => {
    const content = [
      { type: "text", text: "Look" },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
      { type: "text", text: "here" },
    ];
    expect(digestOf(message({ role: "assistant", content, usage, timestamp: 5 }))).toMatchObject({
      facts: { id: "b", role: "assistant", preview: "Look here" },
      spoken: "Look here",
      activityAt: 5,
      irregular: false,
      calls: [{ callId: "c1", name: "read", path: "a.ts" }],
      answers: null,
      usage: { source: "assistant", totalTokens: 3, cost: 0.5 },
    });
  });

  test("of a tool result has the call it answers, and nothing was said", () => {
    const digest = digestOf(message({ role: "toolResult", toolCallId: "c1", content: "done" }));
    expect(digest).toMatchObject({ answers: "c1", spoken: "", activityAt: null, calls: [], usage: null });
  });

  test("of what a person said has the time of the entry where the message has none", () => {
    const digest = digestOf(message({ role: "user", content: "hello" }));
    expect(digest).toMatchObject({ spoken: "hello", activityAt: NOON_MS });
  });

  test.each<[string, JsonObject, string | null]>([
    ["the label it sets", entry("label", { targetId: "a", label: " here " }), " here "],
    ["nothing where it clears the label", entry("label", { targetId: "a", label: "" }), null],
    ["the name it gives, trimmed", entry("session_info", { name: " name " }), "name"],
    ["nothing where it clears the name", entry("session_info", { name: "  " }), null],
    ["nothing where it gives no name", entry("custom", { name: "name", label: "label" }), null],
  ])("has %s", (_what, said, given) => {
    expect(digestOf(said).given).toBe(given);
  });

  test("is irregular where rows cannot repeat it", () => {
    expect(digestOf(entry("custom", { id: 5 })).irregular).toBe(true);
  });
});

test("a line nobody could decode has no facts, and makes its session irregular", () => {
  expect([UNREAD.facts.id, UNREAD.facts.type, UNREAD.irregular]).toEqual([null, "", true]);
});

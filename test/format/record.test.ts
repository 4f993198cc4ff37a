import { describe, expect, test } from "vitest";
import { LONGEST_TEXT } from "../../src/format/content.ts";
import type { JsonObject } from "../../src/format/json.ts";
import { recordOf, UNREAD } from "../../src/format/record.ts";

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

describe("the record of an entry", () => {
  test("keeps a beginning of what is longer than a book, and says that rows do not have all of it", () => {
    const block = (text: string) => ({ type: "text", text });
    const said = (text: string) => recordOf(message({ role: "user", content: [block(text), block("b")] }));
    const words = (length: number) => "a ".repeat(length / 2).padEnd(length, "a");
    expect(said(words(LONGEST_TEXT - 2))).toMatchObject({ roundTrips: true });
    const { spoken, roundTrips } = said(words(LONGEST_TEXT - 1));
    expect([spoken.length, spoken.endsWith("a "), roundTrips]).toEqual([LONGEST_TEXT, true, false]);
    expect(said("a".repeat(5000))).toMatchObject({ spoken: `${"a".repeat(256)}… b`, roundTrips: false });
  });

  test("of an assistant has what it said, called and spent, and when", () => {
    const content = [
      { type: "text", text: "Look" },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
      { type: "text", text: "here" },
    ];
    expect(recordOf(message({ role: "assistant", content, usage, timestamp: 5 }))).toMatchObject({
      attributes: { id: "b", role: "assistant", preview: "Look here" },
      spoken: "Look here",
      activityAt: 5,
      roundTrips: true,
      calls: [{ callId: "c1", name: "read", path: "a.ts" }],
      answers: null,
      usage: { source: "assistant", totalTokens: 3, cost: 0.5 },
    });
  });

  test("of a tool result has the call it answers, and nothing was said", () => {
    const record = recordOf(message({ role: "toolResult", toolCallId: "c1", content: "done" }));
    expect(record).toMatchObject({ answers: "c1", spoken: "", activityAt: null, calls: [], usage: null });
  });

  test("of what a person said has the time of the entry where the message has none", () => {
    const record = recordOf(message({ role: "user", content: "hello" }));
    expect(record).toMatchObject({ spoken: "hello", activityAt: NOON_MS });
  });

  test.each<[string, JsonObject, string | null]>([
    ["the label it sets", entry("label", { targetId: "a", label: " here " }), " here "],
    ["nothing where it clears the label", entry("label", { targetId: "a", label: "" }), null],
    ["the name it gives, trimmed", entry("session_info", { name: " name " }), "name"],
    ["nothing where it clears the name", entry("session_info", { name: "  " }), null],
    ["nothing where it gives no name", entry("custom", { name: "name", label: "label" }), null],
  ])("has %s", (_what, said, given) => {
    expect(recordOf(said).given).toBe(given);
  });

  test("does not round-trip where rows cannot repeat it", () => {
    expect(recordOf(entry("custom", { id: 5 })).roundTrips).toBe(false);
  });
});

test("a line nobody could decode has no attributes, and makes its session irregular", () => {
  expect([UNREAD.attributes.id, UNREAD.attributes.type, UNREAD.roundTrips]).toEqual([null, "", false]);
});

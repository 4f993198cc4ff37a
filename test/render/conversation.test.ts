import { expect, test } from "vitest";
import type { JsonObject } from "../../src/format/json.ts";
import { Colours } from "../../src/render/code-colours.ts";
import { Conversation } from "../../src/render/conversation.ts";
import { Cleaner } from "../../src/render/exported-session.ts";
import type { EntryNode } from "../../src/store/tables/entry-nodes.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk";

function asks(...ids: string[]): JsonObject {
  const content = ids.map((id) => ({
    type: "toolCall",
    id,
    name: "bash",
    arguments: { command: `do ${id}` },
  }));
  return { type: "message", message: { role: "assistant", content } };
}

function answers(id: string, text: string, about: JsonObject = {}): JsonObject {
  const content = [{ type: "text", text }];
  return {
    type: "message",
    message: { role: "toolResult", toolCallId: id, toolName: "bash", content, ...about },
  };
}

/** What each entry of a branch gives the page, in its order. */
function piecesOf(entries: readonly JsonObject[]): string[] {
  const nodes = entries.map(nodeOf);
  const shown = { clean: new Cleaner({ reveal: false }), colours: new Colours(), timezone: "UTC" };
  const conversation = new Conversation(shown, (node) => entries[nodes.indexOf(node)] ?? null);
  return nodes.map((node, at) => conversation.htmlOf(node, nodes.slice(at + 1)).source);
}

function nodeOf(entry: JsonObject, at: number): EntryNode {
  const message = entry.message as JsonObject | undefined;
  const role = typeof message?.role === "string" ? message.role : null;
  const place = { key: at, line: at + 2, offset: at, length: 1, realPath: "/x/one.jsonl", version: 3 };
  const kind = { type: String(entry.type), role, tool: role === "toolResult" ? "bash" : null };
  const isError = message?.isError === true;
  return {
    ...place,
    ...kind,
    isError,
    entryId: `e${at}`,
    parentId: null,
    timestamp: null,
    label: null,
    preview: "",
  };
}

test("results stand with their calls in the order of the calls, however they came", () => {
  const [turn = "", ...rest] = piecesOf([asks("a", "b"), answers("b", "B"), answers("a", "A")]);
  const told = [...turn.matchAll(/<code>([^<]*)<\/code>/g)].map(([, text]) => text);
  expect([told, rest]).toEqual([
    ["do a", "A", "do b", "B"],
    ["", ""],
  ]);
  expect(turn).toContain('id="L3"');
  expect(turn).toContain('id="L4"');
});

test("a call has all of its results, also those behind bookkeeping", () => {
  const [turn, note, second] = piecesOf([
    asks("a"),
    { type: "model_change", provider: "p", modelId: "m" },
    answers("a", "one"),
    answers("a", "two"),
  ]);
  expect(turn).toMatch(/<code>one<\/code>.*<code>two<\/code>/);
  expect(note).toContain("model p/m");
  expect(second).toBe("");
});

test("a call without a result stays, and a result without its call stands by itself", () => {
  const [turn, stray] = piecesOf([asks("a"), answers("z", "stray")]);
  expect(turn).toContain("<code>do a</code>");
  expect(stray).toMatch(/^<section id="L3">.*bash: <code>stray<\/code>/);
});

test("a result that comes after somebody has spoken stands where it came", () => {
  const said = { type: "message", message: { role: "user", content: "stop" } };
  const [, , late] = piecesOf([asks("a"), said, answers("a", "late")]);
  expect(late).toContain("<section");
  expect(late).toContain("late");
});

test("of two calls with one id the first has the result", () => {
  const [turn = ""] = piecesOf([asks("a", "a"), answers("a", "once")]);
  expect(turn.split("once")).toHaveLength(2);
});

test("a failure stands open, with how long it took", () => {
  const [turn] = piecesOf([asks("a"), answers("a", "one\ntwo", { isError: true, durationMs: 3200 })]);
  expect(turn).toContain('<details class="call" open>');
  expect(turn).toMatch(
    /failed<\/span><\/small><small> · 2 lines<\/small><small> · 3\.2 s<\/small><\/summary>/,
  );
});

test("pictures of a result are in sight", () => {
  const image = { type: "image", data: PNG, mimeType: "image/png" };
  const content = [{ type: "text", text: "one\ntwo" }, image];
  const [turn] = piecesOf([asks("a"), answers("a", "", { content })]);
  expect(turn).toMatch(/<\/details><img /);
});

test("what a file was read as has the colours of its ending, and what failed has none", () => {
  const read = (about: JsonObject): string => {
    const call = { type: "toolCall", id: "a", name: "read", arguments: { path: "src/x.ts" } };
    const turn = { type: "message", message: { role: "assistant", content: [call] } };
    return piecesOf([turn, answers("a", "const a = 1;\nconst b = 2;", about)])[0] ?? "";
  };
  expect(read({})).toContain('<span class="c-keyword">const</span>');
  expect(read({ isError: true })).not.toContain("c-keyword");
});

test("of a thought the first line that says something is in sight, the rest folded", () => {
  const content = [{ type: "thinking", thinking: "\n**Why** <b>?\n\nBecause." }];
  const [turn] = piecesOf([{ type: "message", message: { role: "assistant", content } }]);
  expect(turn).toMatch(
    /<summary>Thinking <bdi>\*\*Why\*\* &lt;b&gt;\?<\/bdi><\/summary><pre[^>]*>[^<]*Because\./,
  );
});

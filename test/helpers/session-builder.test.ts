import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { usageOf } from "./sample-usage.ts";
import { session } from "./session-builder.ts";
import { tempDir } from "./temp-dir.ts";

const parsed = (lines: string[]) => lines.map((line): Record<string, unknown> => JSON.parse(line));

test("the same calls give the same bytes", () => {
  const build = () => session().user("hi").assistant({ thinking: "hm", text: "hello" }).name("n").bytes();
  expect(build().equals(build())).toBe(true);
});

test("entries are chained, and branchFrom chains from elsewhere", () => {
  const built = session()
    .user("a", { id: "a" })
    .assistant({}, { id: "b" })
    .branchFrom("a")
    .user("c", { id: "c" });
  expect(built.entries.map((entry) => [entry.id, entry.parentId])).toEqual([
    ["a", null],
    ["b", "a"],
    ["c", "a"],
  ]);
  expect(built.lastId).toBe("c");
});

test("made-up ids are eight hex digits and unlike those of another session", () => {
  const ids = [session({ id: "x" }), session({ id: "y" })].map((built) => built.user("u").user("v").entries);
  const all = ids.flat().map((entry) => String(entry.id));
  expect(new Set(all).size).toBe(4);
  for (const id of all) expect(id).toMatch(/^[0-9a-f]{8}$/);
});

test("the clock starts at the header, gains a second an entry and can be set", () => {
  const built = session({ timestamp: "2025-01-01T00:00:00.000Z" })
    .user("a")
    .at("2025-03-01T12:00:00Z")
    .user("b");
  expect(built.user("c", { timestamp: 7 }).entries.map((entry) => entry.timestamp)).toEqual([
    "2025-01-01T00:00:01.000Z",
    "2025-03-01T12:00:00.000Z",
    7,
  ]);
});

test("an assistant message has a usage whose costs are not round, unless told otherwise", () => {
  const [, first, second] = parsed(session().assistant().assistant({ usage: null }).lines());
  expect(first).toHaveProperty("message.usage.cost.total");
  expect(JSON.stringify(first)).toMatch(/"total":0\.\d{6,}/);
  expect(second).not.toHaveProperty("message.usage");
});

test("a tool result answers the tool call before it", () => {
  const built = session().assistant({ toolCalls: [{ name: "read", arguments: { path: "a.ts" } }] });
  const message = parsed(built.toolResult("text", { usage: usageOf({ input: 1 }) }).lines())[2]?.message;
  expect(message).toMatchObject({ toolCallId: "call_0_0", toolName: "read", usage: { totalTokens: 1 } });
  expect(built.entries[0]).toHaveProperty("message.stopReason", "toolUse");
});

test("version 1 has no ids and compacts by line index", () => {
  const [header, ...entries] = parsed(
    session({ version: 1 }).user("a").assistant().user("b").compaction("s").lines(),
  );
  expect(header).toMatchObject({ type: "session", provider: "anthropic" });
  expect(header).not.toHaveProperty("version");
  expect(entries.some((entry) => "id" in entry || "parentId" in entry)).toBe(false);
  expect(entries[3]).toHaveProperty("firstKeptEntryIndex", 3);
});

test("version 2 calls an extension's message hookMessage, version 3 custom", () => {
  const roleOf = (version: 2 | 3) => session({ version }).hookMessage("note", "text").entries[0]?.message;
  expect(roleOf(2)).toHaveProperty("role", "hookMessage");
  expect(roleOf(3)).toHaveProperty("role", "custom");
});

test("every other entry type has its fields", () => {
  const built = session()
    .user("a", { id: "a" })
    .compaction("s")
    .branchSummary("b")
    .label("a", "star")
    .label("a");
  built
    .name("n")
    .usage("cache_warm")
    .modelChange("openai", "gpt")
    .thinkingLevel("high")
    .custom("t", { n: 1 });
  built.customMessage("t", "text").contextEdit("a", null).bash("ls", "out").system("rules");
  expect(built.entries.map((entry) => entry.type)).toEqual(
    `message compaction branch_summary label label session_info usage model_change thinking_level_change
    custom custom_message context_edit message message`.split(/\s+/),
  );
  expect(built.entries[1]).toHaveProperty("firstKeptEntryId", "a");
  expect(built.entries[4]).not.toHaveProperty("label");
});

test("a fork holds its parent's lines byte for byte under a header of its own", () => {
  const parent = session({ id: "p" }).user("a").assistant();
  const fork = parent.fork({ id: "f", parentSession: "/p.jsonl" }).user("b");
  expect(fork.lines().slice(1, 3)).toEqual(parent.lines().slice(1));
  expect(fork.header).toMatchObject({ id: "f", parentSession: "/p.jsonl", cwd: "/home/ada/project" });
  expect(fork.entries[2]?.parentId).toBe(parent.lastId);
  expect(parent.entries).toHaveLength(2);
});

test("raw lines, torn tails and other newlines come out byte for byte", () => {
  const built = session().raw(Uint8Array.of(0xff, 0)).torn('{"half');
  const header = JSON.stringify(built.header);
  expect(built.bytes().toString("latin1")).toBe(`${header}\n\xff\0\n{"half`);
  expect(built.bytes("\r\n").toString("latin1")).toBe(`${header}\r\n\xff\0\r\n{"half`);
});

test("a file lands where pi would put it, or where told, as lines or as an array", () => {
  const root = tempDir();
  const built = session({ id: "abc", cwd: "/home/ada/a:b" }).user("é");
  const path = built.writeBelow(root);
  expect(path).toBe(join(root, "--home-ada-a-b--", "2025-11-20T10-00-00-000Z_abc.jsonl"));
  expect(readFileSync(path).equals(built.bytes())).toBe(true);
  expect(JSON.parse(readFileSync(built.write(join(root, "x.json")), "utf8"))).toHaveLength(2);
});

import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countFolder } from "./independent-count.ts";
import { readSessionsFolder } from "./independent-read.ts";
import { findWord } from "./independent-words.ts";
import { usageOf } from "./sample-usage.ts";
import { session } from "./session-builder.ts";
import { tempDir } from "./temp-dir.ts";

const ten = usageOf({ input: 10 });

test("all five places of usage are added up, each as one request", () => {
  const root = tempDir();
  const built = session().user("a").assistant({ usage: ten }).toolResult("r", { usage: ten });
  built.compaction("s", { usage: ten }).branchSummary("b", { usage: ten }).usage("warm", { usage: ten });
  built.writeBelow(root);
  const { totals, files, byModel } = countFolder(root);
  expect(totals).toMatchObject({ input: 50, totalTokens: 50, requests: 5, cacheRead: 0 });
  expect(totals.cost).toBeCloseTo(5 * ten.cost.total, 12);
  expect(files[0]).toMatchObject({ entryCount: 6, messageCount: 3, malformed: 0 });
  expect(files[0]?.usage.map((spending) => spending.source)).toEqual([
    "assistant",
    "tool",
    "compaction",
    "branch_summary",
    "warm",
  ]);
  expect([...byModel.keys()]).toEqual(["claude-haiku-4-5", "claude-sonnet-4-5", "unknown"]);
});

test("what a fork copied is counted in the session created first, whatever its path", () => {
  const root = tempDir();
  const parent = session({ id: "z-parent" }).user("a").assistant({ usage: ten });
  const fork = parent.fork({ id: "a-fork" }).assistant({ usage: ten });
  const paths = [parent.write(join(root, "z.jsonl")), fork.write(join(root, "a.jsonl"))];
  const { totals, copies, bySession } = countFolder(root);
  expect([totals.requests, copies.requests]).toEqual([2, 1]);
  const requests = paths.map((path) => {
    const file = bySession.get(path);
    return [file?.all.requests, file?.own.requests, file?.inherited.requests];
  });
  expect(requests).toEqual([
    [1, 1, 0],
    [2, 1, 1],
  ]);
});

test("of two sessions created at the same moment the smaller path counts", () => {
  const root = tempDir();
  const built = session().assistant({ usage: ten });
  built.write(join(root, "b.jsonl"));
  built.write(join(root, "a.jsonl"));
  expect(countFolder(root).files.map((file) => file.own.requests)).toEqual([1, 0]);
});

test("entries of version 1 are told apart by their line", () => {
  const root = tempDir();
  const usage = { timestamp: "2025-01-01T00:00:00Z" };
  session({ version: 1 }).assistant({ usage: ten }, usage).assistant({ usage: ten }, usage).writeBelow(root);
  const { totals, files } = countFolder(root);
  expect(totals.requests).toBe(2);
  expect(files[0]?.entries.map((entry) => entry.id)).toEqual(["v1-2", "v1-3"]);
});

test("missing and senseless numbers count nothing, missing totals are sums", () => {
  const root = tempDir();
  const usage = { input: 3, output: 4, cacheRead: "5", cacheWrite: -6, cost: { input: 0.5, output: 0.25 } };
  const line = '{"type":"usage","id":"x","timestamp":0,"kind":"k","usage":{"input":1e400,"totalTokens":7}}';
  session().assistant({ usage }).raw(line).writeBelow(root);
  expect(countFolder(root).totals).toEqual({
    input: 3,
    output: 4,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 14,
    cost: 0.75,
    requests: 2,
  });
});

test("days are those of the zone asked for", () => {
  const root = tempDir();
  session().at("2025-03-30T22:30:00Z").assistant().writeBelow(root);
  expect([...countFolder(root).byDay.keys()]).toEqual(["2025-03-30"]);
  expect([...countFolder(root, { zone: "Europe/Berlin" }).byDay.keys()]).toEqual(["2025-03-31"]);
});

test("only files whose first parsed line is a header are sessions, each file once", () => {
  const root = tempDir();
  const path = session({ id: "s" })
    .user("a")
    .raw("not json")
    .raw("")
    .raw("[1]")
    .torn('{"half')
    .write(join(root, "1.jsonl"));
  writeFileSync(join(root, "no-header.jsonl"), '{"type":"message"}\n');
  writeFileSync(join(root, "empty.jsonl"), "");
  session({ id: "t" })
    .user("b")
    .write(join(root, "deep", "er", "array.json"));
  linkSync(path, join(root, "2.jsonl"));
  symlinkSync(root, join(root, "deep", "loop"));
  symlinkSync("nowhere", join(root, "dangling.jsonl"));
  const files = readSessionsFolder(root);
  expect(files.map((file) => [file.header.id, file.entries.length, file.malformed])).toEqual([
    ["s", 1, 1],
    ["t", 1, 0],
  ]);
});

test("a complete last line counts though its newline is missing", () => {
  const root = tempDir();
  const line = JSON.stringify(session().user("last").entries[0]);
  session().user("first").torn(line).writeBelow(root);
  expect(readSessionsFolder(root)[0]?.entries).toHaveLength(2);
});

test("a word is found whole, in any case, in what was said and in no signature", () => {
  const root = tempDir();
  const built = session().user("The Needle.").assistant({ thinking: "needle", text: "needles" });
  built.assistant({ toolCalls: [{ name: "grep", arguments: { deep: [{ pattern: "a_needle" }] } }] });
  built
    .bash("find needle")
    .label(built.lastId ?? "", "needle!")
    .custom("state", "needle")
    .name("haystack");
  built.assistant({
    thinking: "none",
    content: [{ type: "thinking", thinking: "x", thinkingSignature: "needle" }],
  });
  built.writeBelow(root);
  expect(findWord(root, "needle").map(({ line, type, role }) => [line, type, role])).toEqual([
    [2, "message", "user"],
    [3, "message", "assistant"],
    [4, "message", "assistant"],
    [5, "message", "bashExecution"],
    [6, "label", null],
  ]);
});

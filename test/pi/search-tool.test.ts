import { expect, test } from "vitest";
import { CommandLine } from "../../src/pi/command-line.ts";
import type { Context } from "../../src/pi/host.ts";
import { searchTool } from "../../src/pi/search-tool.ts";
import { answering, recordingExec } from "./programs.ts";

const OWN = "/sessions/own.jsonl";
const cwd = process.cwd();

/** What the model is told, and what the command line was asked, of hits with these paths and tools. */
async function searching(params: object, hits: { path: string; tool?: string }[] = []) {
  const { exec, asked } = recordingExec();
  const found = hits.map(({ path, tool }, at) => ({ session: { path, title: "tide" }, line: at + 1, tool }));
  const tool = searchTool(new CommandLine(exec, [answering({ total: hits.length, hits: found })]));
  const context = { cwd, sessionManager: { getSessionFile: () => OWN } } as unknown as Context;
  const { content, details } = await tool.execute("call", params, undefined, undefined, context);
  return { text: content[0]?.text ?? "", details, words: asked[0]?.args.slice(4) };
}

test("the conversation that asks, and what this tool has answered before, are left out and not counted", async () => {
  const hits = [
    { path: OWN },
    { path: "/a.jsonl", tool: "session_search" },
    { path: "/b.jsonl", tool: "bash" },
  ];
  const { text, details } = await searching({ query: "tide" }, [...hits, { path: "/c.jsonl" }]);
  expect(details).toEqual({ total: 2, places: ["/b.jsonl:3", "/c.jsonl:4"] });
  expect([...text.matchAll(/^\/\w\.jsonl:\d$/gm)].flat()).toEqual(["/b.jsonl:3", "/c.jsonl:4"]);
});

test("as many matches as it asks for remain when its own conversation matches too", async () => {
  const hits = [...Array(6).fill({ path: OWN }), ...Array(6).fill({ path: "/a.jsonl" })];
  const { details } = await searching({ query: "tide", limit: 4 }, hits);
  expect(details).toMatchObject({ total: 6, places: { length: 4 } });
});

test.each([
  [undefined, "28"],
  [3, "23"],
  [2.5, "22"],
  [0, "21"],
  [1000, "40"],
  ["many", "21"],
])("of matches it can have 1 to 20, and 8 unless it says how many: %s", async (limit, asked) => {
  const { words } = await searching({ query: "tide", limit });
  expect(words).toEqual(["search", "--limit", asked, "--", "tide"]);
});

test("what it restricts the search to is passed on, and nothing it writes is taken for an option", async () => {
  const { words } = await searching({ query: "--reveal", here: true, role: "user", since: "7d", limit: 1 });
  const options = ["--project", cwd, "--role=user", "--since=7d"];
  expect(words).toEqual(["search", "--limit", "21", ...options, "--", "--reveal"]);
});

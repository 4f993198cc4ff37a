import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandLine } from "../../src/panels/command-line.ts";
import type { Context } from "../../src/pi/host.ts";
import { searchTool } from "../../src/pi/search-tool.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { program, recordingRun } from "./programs.ts";

const OWN = "/sessions/own.jsonl";
const cwd = process.cwd();

interface GivenHit {
  path: string;
  tool?: string;
}

/** A program that gives as many of these hits as it is asked for. */
function finding(hits: GivenHit[]) {
  const found = hits.map(({ path, tool }, at) => ({ session: { path, title: "tide" }, line: at + 1, tool }));
  return program(`const limit = process.argv[process.argv.indexOf("--limit") + 1];
    const hits = ${JSON.stringify(found)}.slice(0, limit);
    console.log(JSON.stringify({ schemaVersion: 1, total: ${found.length}, hits }))`);
}

/** What the model is told, and what the command line was asked, of hits with these paths and tools. */
async function searching(params: object, hits: GivenHit[] = [], own = OWN) {
  const { run, asked } = recordingRun();
  const tool = searchTool(new CommandLine([finding(hits)], run));
  const context = { cwd, sessionManager: { getSessionFile: () => own } } as unknown as Context;
  const { content, details } = await tool.execute("call", params, undefined, undefined, context);
  return { text: content[0]?.text ?? "", details, words: asked[0]?.args.slice(4), asked: asked.length };
}

test("the conversation that asks, and what this tool has answered before, are left out and not counted", async () => {
  const hits = [
    { path: OWN },
    { path: "/a.jsonl", tool: "session_search" },
    { path: "/b.jsonl", tool: "bash" },
  ];
  const { text, details } = await searching({ query: "tide" }, [...hits, { path: "/c.jsonl" }]);
  expect(details).toEqual({ total: 2, places: ["/b.jsonl:3", "/c.jsonl:4"] });
  expect([...text.matchAll(/^\/\w\.jsonl:\d/gm)].flat()).toEqual(["/b.jsonl:3", "/c.jsonl:4"]);
});

test("as many matches as it asks for remain when its own conversation matches too", async () => {
  const hits = [...Array(6).fill({ path: OWN }), ...Array(6).fill({ path: "/a.jsonl" })];
  const { details } = await searching({ query: "tide", limit: 4 }, hits);
  expect(details).toMatchObject({ total: 6, places: { length: 4 } });
});

test("what its own conversation says before all others does not hide them", async () => {
  const hits = [...Array(300).fill({ path: OWN }), { path: "/a.jsonl" }];
  const { details, asked } = await searching({ query: "tide" }, hits);
  expect(details).toEqual({ total: 1, places: ["/a.jsonl:301"] });
  expect(asked).toBe(3);
});

test("its own conversation is left out by whichever of its names pi knows it", async () => {
  const dir = tempDir();
  mkdirSync(join(dir, "real"));
  symlinkSync("real", join(dir, "link"));
  const [real = "", linked = ""] = ["real", "link"].map((name) => join(dir, name, "own.jsonl"));
  writeFileSync(real, "");
  const hits = [{ path: linked }, { path: "/a.jsonl" }];
  for (const own of [real, linked]) {
    expect((await searching({ query: "tide" }, hits, own)).details).toEqual({
      total: 1,
      places: ["/a.jsonl:2"],
    });
  }
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

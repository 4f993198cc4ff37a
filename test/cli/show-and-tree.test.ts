import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { widthOf } from "../../src/text/width.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

describe.each(["show", "tree"])("%s", (command) => {
  test.each([60, 80, 200])(
    "fits a terminal of %i columns, with Chinese and a long list of rails",
    async (columns) => {
      const agentDir = emptyAgent(tempDir());
      const built = session({ cwd: "/home/ada/天气" }).name("名".repeat(90)).user("长".repeat(300));
      for (let i = 0; i < 30; i++) {
        const { lastId } = built;
        built
          .assistant({ text: `${i} ${"word ".repeat(60)}` })
          .branchFrom(lastId)
          .user("天气 ".repeat(50));
      }
      built.label(built.lastId ?? "", "标签".repeat(60)).writeBelow(join(agentDir, "sessions"));
      const { stdout } = await runCli([command, "latest"], { agentDir, columns });
      const path = /^\S.*\.jsonl$/;
      const wide = stripVTControlCharacters(stdout)
        .split("\n")
        .filter((line) => widthOf(line) > columns && !path.test(line));
      expect(wide).toEqual([]);
    },
  );

  test.each([40, 80])("fits a terminal of %i columns, with a long name of a tool", async (columns) => {
    const agentDir = emptyAgent(tempDir());
    const name = "mcp__a_server__".repeat(8);
    const built = session()
      .assistant({ toolCalls: [{ name, arguments: {} }] })
      .toolResult("said", {}, { id: "plain" })
      .toolResult("marked", {}, { id: "marked" });
    built.label("marked", "标签".repeat(60)).writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli([command, "latest", "--full"], { agentDir, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.filter((line) => widthOf(line) > columns && !line.endsWith(".jsonl"))).toEqual([]);
    expect(lines.find((line) => line.includes("result of mcp"))).toContain("plain");
    expect(stdout).not.toMatch(/\[…?\]/);
  });

  test("F8: gives a terminal nothing to obey", async () => {
    const agentDir = emptyAgent(tempDir());
    const evil = "\x1b]52;c;eA==\x07\x1b[2J\u009b31m\u202e\rfine";
    session({ cwd: `/tmp/${evil}` })
      .name(evil)
      .user(evil)
      .assistant({ text: evil, thinking: evil, toolCalls: [{ name: evil, arguments: { path: evil } }] })
      .toolResult(evil, { toolName: evil })
      .bash(evil, evil)
      .custom(evil)
      .label("x", evil)
      .compaction(evil)
      .writeBelow(join(agentDir, "sessions"));
    for (const columns of [undefined, 80]) {
      const world = { agentDir, ...(columns !== undefined && { columns, env: { NO_COLOR: "1" } }) };
      const { stdout, stderr } = await runCli([command, "latest", "--full"], world);
      expect(stdout).toContain("fine");
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    }
  });

  test("needs to know which session", async () => {
    expect((await runCli([command], samples)).code).toBe(2);
    const { code, stderr } = await runCli([command, "01a1"], samples);
    expect(code).toBe(1);
    expect(stderr.split("\n").filter((line) => line.startsWith("  01a1"))).toHaveLength(10);
  });
});

test("an ambiguous name is told in JSON with its candidates", async () => {
  const { stderr } = await runCli(["show", "01a1", "--json"], samples);
  const { error } = JSON.parse(stderr.slice(stderr.indexOf("{"))) as {
    error: { code: string; choices: string[] };
  };
  expect(error.code).toBe("ambiguous");
  expect(error.choices).toHaveLength(11);
});

test("on a terminal the candidates of an ambiguous name have a line each that fits", async () => {
  const { stderr } = await runCli(["show", "01a1"], { ...samples, columns: 60 });
  const candidates = stripVTControlCharacters(stderr).split("\n").slice(1, -1);
  expect(candidates).toHaveLength(11);
  expect(candidates.filter((line) => widthOf(line) > 60 || !line.startsWith("  "))).toEqual([]);
  expect(candidates.some((line) => widthOf(line) === 60)).toBe(true);
});

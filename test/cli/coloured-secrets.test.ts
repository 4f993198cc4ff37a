import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandLine, type Run } from "../../src/panels/command-line.ts";
import type { Context } from "../../src/pi/host.ts";
import { searchTool } from "../../src/pi/search-tool.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { printing } from "../pi/programs.ts";
import { emptyAgent, runCli } from "./pretend-world.ts";

/** In two pieces each, so that nobody takes this file for one that holds a secret. */
const REST = "Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u";
const TOKEN = `ghp_${REST}`;
const PASSWORD = `Xk29${"vQpL8rTz5mWn"}`;

const ESC = "\u001b";
/** As `grep --color` marks what it has found. */
const marked = (text: string) => `${ESC}[01;31m${ESC}[K${text}${ESC}[m${ESC}[K`;
/** As `ls`, `jq` and `git` colour. */
const green = (text: string) => `${ESC}[32m${text}${ESC}[0m`;

const SHOWN = {
  green: green(TOKEN),
  found: `${marked("ghp_")}${REST}`,
  widthless: `ghp_\u200e${REST.slice(0, 9)}\u200b${REST.slice(9)}`,
  rainbow: [...TOKEN].map((each) => `${ESC}[38;5;39m${each}${ESC}[39m`).join(""),
  name: `${marked("password")}=${PASSWORD}`,
  quoted: `api_key: ${green(`"${PASSWORD}"`)}`,
  value: `password=${marked(PASSWORD.slice(0, 4))}${PASSWORD.slice(4)}`,
};

const agentDir = emptyAgent(sharedTempDir());
for (const [id, secret] of Object.entries(SHOWN)) {
  const text = `marker ${secret} end`;
  session({ id, cwd: "/srv" })
    .user(text, { id: "u1" })
    .assistant(
      { text, thinking: text, toolCalls: [{ name: "bash", arguments: { command: text } }] },
      { id: "a1" },
    )
    .toolResult(`${"line\n".repeat(400)}${text}\n${"line\n".repeat(400)}`, {}, { id: "t1" })
    .custom("x", { secret, deep: [{ secret }] })
    .label("u1", `l ${secret}`)
    .writeBelow(join(agentDir, "sessions"));
}

/** What is seen of a text on a screen, and as JSON says it. */
function seenIn(text: string): string {
  const unescaped = text.replace(/\\u([0-9a-f]{4})/g, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
  return unescaped.replace(/\u001b\[[\d;]*[mK]|<[^>]*>|[\u200b\u200e\s]/g, "");
}

function expectNoSecret(text: string): void {
  const seen = seenIn(text);
  expect(seen).toContain("masked");
  for (const secret of [REST, PASSWORD]) {
    for (let at = 0; at + 8 <= secret.length; at++) expect(seen).not.toContain(secret.slice(at, at + 8));
  }
}

describe("a secret in colour, or with marks that are not seen, is masked in what is shown by", () => {
  test.each([
    ["list"],
    ["labels"],
    ["search", "marker", "--limit", "0"],
    ["search", "marker", "--limit", "0", "--context", "2"],
    ["search", "marker", "--limit", "0", "--json"],
    ["search", "marker", "--limit", "0", "--context", "2", "--json"],
    ["search", "marker", "--limit", "0", "--substring", "--json"],
    ["usage", "label", "--all"],
    ["usage", "session", "--all"],
  ])("%s %s %s %s", async (...words) => {
    const { stdout } = await runCli(words.filter(Boolean), { agentDir });
    expect(stdout).toMatch(/marker|masked/);
    expectNoSecret(stdout);
    expectNoSecret((await runCli(words.filter(Boolean), { agentDir, columns: 300 })).stdout);
  });

  test.each(
    Object.keys(SHOWN).flatMap((id) => [
      ["show", id, "--full"],
      ["show", id],
      ["tree", id],
      ["export", id, "--format", "md"],
      ["export", id, "--format", "html"],
      ["export", id, "--format", "jsonl"],
    ]),
  )("%s %s %s %s", async (...words) => {
    const { stdout } = await runCli(words.filter(Boolean), { agentDir });
    expectNoSecret(stdout);
  });

  test("the tool of pi's model", async () => {
    const run: Run = async (_command, args) => {
      const { code, stdout, stderr } = await runCli(args, { agentDir });
      return { ...printing(stdout), code, stderr };
    };
    const tool = searchTool(new CommandLine([{ command: "sessiondb", before: [] }], run));
    const context = { cwd: "/", sessionManager: { getSessionFile: () => undefined } } as unknown as Context;
    for (const query of ["marker", "bash", "end"]) {
      const { content } = await tool.execute("call", { query, limit: 20 }, undefined, undefined, context);
      expectNoSecret(content[0]?.text ?? "");
    }
  });
});

import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CommandLine } from "../../src/panels/command-line.ts";
import type { CommandContext } from "../../src/pi/host.ts";
import { usageCommand } from "../../src/pi/usage-command.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { project } from "./run-pi.ts";

/** What `/usage` says in the session at a path. */
async function toldIn(agentDir: string, path: string): Promise<string> {
  const main = join(project, "dist", "src", "cli", "main.js");
  const program = { command: process.execPath, before: [main, "--agent-dir", agentDir] };
  const told: string[] = [];
  const context = {
    cwd: dirname(agentDir),
    hasUI: true,
    sessionManager: { getSessionFile: () => path },
    ui: { notify: (text: string) => told.push(text) },
  } as unknown as CommandContext;
  await usageCommand(new CommandLine([program])).handler("", context);
  return told.join();
}

test("what this session cost is told by whichever of its names pi knows it", async () => {
  const dir = tempDir();
  const built = session()
    .user("x")
    .assistant({ usage: { input: 7, totalTokens: 7, cost: { total: 3 } } });
  const path = built.write(join(dir, "agent", "sessions", "--w--", "own.jsonl"));
  symlinkSync("agent", join(dir, "link"));
  const linked = join(dir, "link", "sessions", "--w--", "own.jsonl");
  expect(await toldIn(join(dir, "agent"), linked)).toMatch(/^This session +\$3\.00 +7 +1$/m);
  expect(await toldIn(join(dir, "link"), path)).toMatch(/^This session +\$3\.00 +7 +1$/m);
});

test("what has no price is not said to have cost nothing", async () => {
  const agentDir = join(tempDir(), "agent");
  const built = session({ timestamp: new Date().toISOString() }).user("x");
  built.assistant({ model: "local", usage: { input: 7, totalTokens: 7 } });
  const path = built.write(join(agentDir, "sessions", "--w--", "own.jsonl"));
  const told = await toldIn(agentDir, path);
  for (const what of ["Today", "Last 7 days", "This session", "Today, local"]) {
    expect(told).toMatch(new RegExp(`^${what} +not priced +7 +1$`, "m"));
  }
  expect(told).toMatch(/^This project +\$0 +0 +0$/m);
});

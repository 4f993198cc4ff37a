import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandLine } from "../../src/pi/command-line.ts";
import type { CommandContext } from "../../src/pi/host.ts";
import { usageCommand } from "../../src/pi/usage-command.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { project } from "./run-pi.ts";

test("what this session cost is told by whichever of its names pi knows it", async () => {
  const dir = tempDir();
  const built = session()
    .user("x")
    .assistant({ usage: { input: 7, totalTokens: 7, cost: { total: 3 } } });
  const path = built.write(join(dir, "agent", "sessions", "--w--", "own.jsonl"));
  symlinkSync("agent", join(dir, "link"));
  const linked = join(dir, "link", "sessions", "--w--", "own.jsonl");
  const main = join(project, "dist", "src", "cli", "main.js");
  for (const [agentDir, own] of [
    [join(dir, "agent"), linked],
    [join(dir, "link"), path],
  ] as const) {
    const program = { command: process.execPath, before: [main, "--agent-dir", agentDir] };
    const told: string[] = [];
    const context = {
      cwd: dir,
      hasUI: true,
      sessionManager: { getSessionFile: () => own },
      ui: { notify: (text: string) => told.push(text) },
    } as unknown as CommandContext;
    await usageCommand(new CommandLine([program])).handler("", context);
    expect(told.join()).toMatch(/^This session +\$3\.00 +7 +1$/m);
  }
});

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sumUsage } from "../../src/query/usage.ts";
import { ccusageCommand, isMissing } from "../helpers/peers.ts";
import { writePiStore } from "../helpers/pi-store.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { indexOf } from "./indexed.ts";

interface Day {
  date: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
  totalTokens: number;
  totalCost: number;
}

function ccusage(root: string, timezone: string): Day[] {
  const options = ["--json", "--offline", "-z", timezone, "--pi-path", root];
  const output = execFileSync(ccusageCommand(), ["pi", "daily", ...options], { encoding: "utf8" });
  return (JSON.parse(output) as { daily: Day[] }).daily;
}

/** Sessions of all kinds but copies, which ccusage counts in its own way. */
function writeStoreWithoutForks(agentDir: string): string {
  const { sessionsDir, sessions } = writePiStore({ sessions: 48, seed: 5, agentDir });
  for (const { file, kind } of sessions) if (["fork", "branchOff"].includes(kind)) rmSync(file);
  return sessionsDir;
}

/** ccusage knows assistant messages only. */
function ours(root: string, timezone: string): Day[] {
  const { rows } = sumUsage(indexOf(root), { by: "daily", timezone, filter: { role: "assistant" } });
  return rows.map((row) => ({
    date: row.key,
    inputTokens: row.input,
    outputTokens: row.output,
    cacheReadTokens: row.cacheRead,
    cacheCreationTokens: row.cacheWrite,
    totalTokens: row.totalTokens,
    totalCost: row.cost,
  }));
}

describe.skipIf(isMissing("ccusage", "piAgentModule"))("the assistant's days are those of ccusage", () => {
  const folder = sharedTempDir();
  let root = "";
  beforeAll(() => {
    root = writeStoreWithoutForks(join(folder, "agent"));
  });

  test.each(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"])("in %s", (timezone) => {
    const theirs = ccusage(root, timezone).map(({ date, totalCost, ...tokens }) => ({
      date,
      inputTokens: tokens.inputTokens,
      outputTokens: tokens.outputTokens,
      cacheReadTokens: tokens.cacheReadTokens,
      cacheCreationTokens: tokens.cacheCreationTokens,
      totalTokens: tokens.totalTokens,
      totalCost: expect.closeTo(totalCost, 9),
    }));
    expect(theirs.length).toBeGreaterThan(3);
    expect(ours(root, timezone)).toEqual(theirs);
  });
});

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import { ccusageCommand, isMissing } from "../../helpers/peers.ts";
import { writePiStore } from "../../helpers/pi-store.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { indexOf } from "../indexed.ts";

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

interface Totals {
  inputTokens: number;
  totalCost: number;
}

function totalsOfCcusage(root: string): Totals {
  const options = ["--json", "--offline", "-z", "UTC", "--pi-path", root];
  const output = execFileSync(ccusageCommand(), ["pi", "daily", ...options], { encoding: "utf8" });
  return (JSON.parse(output) as { totals: Totals }).totals;
}

describe.skipIf(isMissing("ccusage"))("the comparison in docs/usage.md holds:", () => {
  test("copies in forks that name no response are counted again, in the samples for $0.24 on top of $0.95", () => {
    const root = join(import.meta.dirname, "..", "..", "samples", "agent", "sessions");
    const { totals, copies } = sumUsage(indexOf(root), { by: "model", timezone: "UTC" });
    const theirs = totalsOfCcusage(root);
    expect(theirs.inputTokens).toBe(totals.input + copies.input);
    expect(theirs.totalCost).toBeCloseTo(totals.cost + copies.cost, 9);
    expect([totals.cost.toFixed(2), copies.cost.toFixed(2)]).toEqual(["0.95", "0.24"]);
  });

  test("tools, compactions, summaries and usage entries are left out", () => {
    const root = tempDir();
    const usage = (cost: number) => ({
      input: 10,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      cost: { total: cost },
    });
    const built = session()
      .user("q")
      .assistant({ usage: usage(1), toolCalls: [{ name: "task", arguments: {} }] });
    built.toolResult("done", { usage: usage(2) }).compaction("so far", { usage: usage(4) });
    built.branchSummary("left", { usage: usage(8) }).usage("cache_warm", { usage: usage(16) });
    built.writeBelow(root);
    const { rows, totals } = sumUsage(indexOf(root), { by: "source", timezone: "UTC" });
    expect(totalsOfCcusage(root)).toMatchObject({ inputTokens: 10, totalCost: 1 });
    expect([totals.cost, rows.map(({ key, cost }) => [key, cost])]).toEqual([
      31,
      [
        ["cache_warm", 16],
        ["branch_summary", 8],
        ["compaction", 4],
        ["tool", 2],
        ["assistant", 1],
      ],
    ]);
  });
});

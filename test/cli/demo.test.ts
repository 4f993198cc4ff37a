import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { imageOf } from "../indexing/store.ts";
import { emptyAgent, runCli } from "./pretend-world.ts";

const SAMPLES = fileURLToPath(new URL("../samples/agent", import.meta.url));
const NOTE = 'note: a demo with bundled sessions; without "demo" it is about your own.\n';

const agentDir = emptyAgent(sharedTempDir());
const demo = (...argv: string[]) => runCli(["demo", ...argv], { agentDir, now: Date.now });

describe("demo", () => {
  test("shows what there is, says in one line that it is a demo, and what to try next works", async () => {
    const { code, stdout, stderr } = await demo();
    expect([code, stderr]).toEqual([0, NOTE]);
    expect(stdout).toContain("13 sessions");
    const steps = [...stdout.matchAll(/^sessiondb demo (.*?) {2}/gm)].map(([, words = ""]) =>
      words.split(" "),
    );
    expect(steps.map(([name]) => name)).toEqual(["search", "show", "usage", "serve"]);
    // The page stays until it is told to end.
    for (const words of steps.slice(0, 3)) expect((await demo(...words)).stdout.length).toBeGreaterThan(100);
  });

  test("takes any command with its options, at the time of the samples", async () => {
    expect((await demo("list", "--since", "7d", "--json")).stdout).toMatch(/"total": 2/);
    expect((await demo("search", "-z", "Asia/Tokyo", "中文", "-搜索")).code).toBe(0);
    expect((await demo("search", "delete")).code).toBe(0);
    expect((await demo("search", "--help")).stdout).toMatch(/^sessiondb search/);
    expect((await demo("--help")).stdout).toMatch(/^sessiondb demo/);
    expect((await demo("serch")).stderr).toContain("search");
  });

  test.each([
    ["delete", "latest"],
    ["--timezone", "UTC", "archive", "--older", "1d", "--yes"],
    ["restore", "--all"],
    ["push"],
    ["team", "status"],
    ["daemon", "start"],
    ["resume", "latest", "--exec"],
  ])("refuses %s %s", async (...words) => {
    const { code, stderr } = await demo(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining("sessiondb demo only reads")]);
  });

  test("leaves nothing behind, and the samples as they are", async () => {
    const before = imageOf(SAMPLES);
    const temporary = tempDir();
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    await demo("verify");
    await demo("resume", "latest");
    expect(imageOf(SAMPLES)).toEqual(before);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

describe("resume", () => {
  test("prints a command that changes to the session's directory", async () => {
    const dir = tempDir();
    const agentDir = emptyAgent(dir);
    const cwd = join(dir, "it's here");
    mkdirSync(cwd);
    const path = session({ cwd }).user("hi").writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["resume", "latest"], { agentDir });
    expect(stdout).toMatch(/^cd '.*it'\\''s here' && pi --session /);
    expect(await runJson(["resume", "latest"], { agentDir })).toMatchObject({
      cwd,
      argv: ["pi", "--session", path],
    });
  });

  test("does not lead pi to a file that it would empty, or not open: a session that is one JSON array", async () => {
    const agentDir = emptyAgent(tempDir());
    const path = join(agentDir, "sessions", "it's one.json");
    session({ id: "array" }).user("hi").write(path);
    const { code, stdout, stderr } = await runCli(["resume", "array"], { agentDir });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("pi cannot open a session that is one JSON array");
    // What is advised works.
    const words = /sessiondb (export '.*one\.json') (--format jsonl --reveal) -o FILE\.jsonl/.exec(stderr);
    expect(words?.[1]).toBe(`export '${path.replace("'", "'\\''")}'`);
    const exported = await runCli(["export", path, ...(words?.[2] ?? "").split(" ")], { agentDir });
    expect(exported.stdout.trimEnd().split("\n")).toHaveLength(2);
  });

  test.each([
    ["", "the session does not say in which directory it was held; pi will ask."],
    ["test", "the directory test no longer exists; pi will ask."],
    [import.meta.filename, `the directory ${import.meta.filename} no longer exists; pi will ask.`],
  ])("changes to no directory where the session's is %j", async (cwd, note) => {
    const agentDir = emptyAgent(tempDir());
    session({ cwd })
      .user("hi")
      .write(join(agentDir, "sessions", "one.jsonl"));
    const { stdout, stderr } = await runCli(["resume", "latest"], { agentDir });
    expect([stdout.slice(0, 13), stderr]).toEqual(["pi --session ", `note: ${note}\n`]);
    const asked = await runCli(["resume", "latest", "--json"], { agentDir });
    expect([JSON.parse(asked.stdout), asked.stderr]).toEqual([expect.objectContaining({ cwd }), ""]);
  });

  test("says when the directory is gone", async () => {
    const { stdout, stderr } = await runCli(["resume", "latest"], samples);
    expect(stdout).toMatch(/^pi --session .+\n$/);
    expect(stderr).toContain("the directory /home/ada/projects/orchard no longer exists");
  });
});

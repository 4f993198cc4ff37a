import { spawnSync } from "node:child_process";
import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

const project = join(import.meta.dirname, "..", "..");
const PROGRAM = join(project, "dist", "src", "cli", "main.js");
const SAMPLES = join(project, "test", "samples", "agent", "sessions");
/** A user nobody has ever heard of: no name, no home. Only root can become it. */
const STRANGER = 54_242;

function run(argv: string[], env: NodeJS.ProcessEnv) {
  const { PATH } = process.env;
  const user = { uid: STRANGER, gid: STRANGER };
  return spawnSync(process.execPath, [PROGRAM, ...argv], {
    ...user,
    cwd: "/",
    env: { PATH, ...env },
    encoding: "utf8",
  });
}

function readableAgent(): string {
  const agentDir = tempDir();
  cpSync(SAMPLES, join(agentDir, "sessions"), { recursive: true });
  chmodSync(agentDir, 0o777);
  return agentDir;
}

const isPossible = process.geteuid?.() === 0 && run(["--version"], { HOME: "/" }).status === 0;

describe.skipIf(!isPossible)("a user without a home", () => {
  test("is answered from pi's directory, where it is named", () => {
    const { status, stdout } = run(["list", "--limit", "1"], { PI_CODING_AGENT_DIR: readableAgent() });
    expect([status, stdout]).toEqual([0, expect.stringContaining("In SQLite, how do I get")]);
  });

  test("is told in one line where an index can be kept, and keeps it there", () => {
    const agentDir = readableAgent();
    chmodSync(agentDir, 0o555);
    const { status, stderr } = run(["list"], { PI_CODING_AGENT_DIR: agentDir });
    expect([status, stderr.trim().split("\n")]).toEqual([
      1,
      [expect.stringMatching(/cannot be opened.*--db FILE/)],
    ]);
    const place = tempDir();
    chmodSync(place, 0o777);
    const found = run(["list", "--db", join(place, "i.db")], { PI_CODING_AGENT_DIR: agentDir });
    expect(found.status).toBe(0);
  });

  test("is shown what would start the daemon at login", () => {
    const agentDir = readableAgent();
    const env = { PI_CODING_AGENT_DIR: agentDir, HOME: agentDir };
    const { status, stdout, stderr } = run(["daemon", "install", "--print"], env);
    expect([status, stdout], stderr).toEqual([0, expect.stringContaining("daemon")]);
  });

  test("gets one line and no stack where there is nothing at all", () => {
    const { status, stderr } = run(["list"], {});
    expect(status).toBe(1);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(stderr).toContain("error: the index cannot be opened");
  });
});

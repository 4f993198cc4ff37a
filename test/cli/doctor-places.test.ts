import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Finding, Level } from "../../src/reports/finding.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli } from "./pretend-world.ts";

/** Whether nobody else may enter the folder of temporary files, as on macOS: then nothing in it is open. */
const isTempShut = (statSync(tmpdir()).mode & 0o011) === 0;

/** An agent directory that is as it should be, with an index. */
async function healthy(folder = tempDir()): Promise<string> {
  const agentDir = emptyAgent(folder);
  for (const folder of [agentDir, join(agentDir, "sessions")]) chmodSync(folder, 0o700);
  session()
    .user("apple")
    .write(join(agentDir, "sessions", "one.jsonl"));
  await runCli(["search", "apple"], { agentDir });
  return agentDir;
}

async function findingsOf(agentDir: string, ...argv: string[]): Promise<Finding[]> {
  const { stdout } = await runCli(["doctor", "--json", ...argv], { agentDir });
  return (JSON.parse(stdout) as { findings: Finding[] }).findings;
}

const found = (level: Level, what: string) =>
  expect.objectContaining({ level, what: expect.stringContaining(what) });

test("the gravest comes first, and the last line counts what there is", async () => {
  const agentDir = await healthy();
  writeFileSync(join(agentDir, "auth.json"), "{}", { mode: 0o644 });
  chmodSync(join(agentDir, "auth.json"), 0o644);
  const argv = ["--db", join(agentDir, "sessions", "index.db")];
  expect(await findingsOf(agentDir, ...argv)).toEqual([
    found("error", "inside a sessions folder"),
    found("warning", "may hold secrets"),
    found("note", "there is no index yet"),
  ]);
  const { stdout } = await runCli(["doctor", ...argv], { agentDir });
  expect(stdout).toMatch(/^error {4}the index is inside [\s\S]*\n\n1 error, 1 warning, 1 note\.\n$/);
  const { stdout: one } = await runCli(["doctor", "--db", join(tempDir(), "index.db")], { agentDir });
  expect(one).toMatch(/\n\n1 warning, 1 note\.\n$/);
});

test("a setting that nobody knows is a warning, with the file it stands in", async () => {
  const agentDir = await healthy();
  const config = join(agentDir, "config.json");
  writeFileSync(config, '{"colour": "never"}');
  const [finding, ...more] = await findingsOf(agentDir, "--config", config);
  expect([finding, more]).toEqual([found("warning", "colour"), []]);
  expect(finding?.where).toBe(config);
});

test("settings of pi's that cannot be read are a warning, with the file they stand in", async () => {
  const agentDir = await healthy();
  const settings = join(agentDir, "settings.json");
  writeFileSync(settings, "{", { mode: 0o600 });
  const [finding, ...more] = await findingsOf(agentDir);
  expect([finding, more]).toEqual([found("warning", "is not valid JSON"), []]);
  expect(finding?.where).toBe(settings);
});

test("an index of an earlier version, which the next question brings up to date, is a note", async () => {
  const agentDir = await healthy();
  withIndex(join(agentDir, "sessiondb"), ({ database }) => database.pragma("user_version = 1"));
  expect(await findingsOf(agentDir)).toEqual([found("note", "brought up to date")]);
});

test.skipIf(process.platform === "win32").each([[""], [".."]])(
  "a folder for the index that leads to a disk that is missing is an error (%s)",
  async (above) => {
    const agentDir = await healthy();
    const folder = join(agentDir, "far", "index");
    mkdirSync(join(agentDir, "far"));
    const link = join(folder, above);
    rmSync(link, { recursive: true, force: true });
    symlinkSync(join(agentDir, "missing"), link);
    const [finding] = await findingsOf(agentDir, "--db", join(folder, "index.db"));
    expect(finding).toEqual(found("error", "there is no folder for the index"));
    expect(finding?.where).toBe(folder);
  },
);

test("a sessions folder that is not there is told of once", async () => {
  const agentDir = await healthy();
  rmSync(join(agentDir, "sessions"), { recursive: true });
  expect(await findingsOf(agentDir)).toEqual([found("warning", "there is no sessions folder")]);
});

test.skipIf(process.platform === "win32")(
  "what cannot be a session is named behind a link too, and only where it bears the name of one",
  async () => {
    const agentDir = await healthy();
    const elsewhere = tempDir();
    symlinkSync(elsewhere, join(agentDir, "sessions", "link"));
    for (const name of ["pipe.jsonl", "pipe.txt"]) spawnSync("mkfifo", [join(elsewhere, name)]);
    const [finding, ...more] = await findingsOf(agentDir);
    expect([finding, more]).toEqual([found("note", "is not a regular file"), []]);
    expect(finding?.where).toBe(join(agentDir, "sessions", "link", "pipe.jsonl"));
  },
);

describe.skipIf(process.platform === "win32")("who may get at what", () => {
  test("a sessions folder that cannot be reached is an error with its code", async () => {
    const agentDir = await healthy();
    const loop = join(agentDir, "loop");
    symlinkSync(loop, loop);
    const [finding] = await findingsOf(agentDir, "--sessions-dir", loop);
    expect(finding).toEqual(found("error", "the sessions folder cannot be reached (ELOOP)"));
  });

  test("sessions below a folder that is shut, however far above, are nobody else's to read", async () => {
    const home = tempDir();
    const agentDir = await healthy(join(home, "a", "b"));
    const sessions = join(agentDir, "sessions");
    for (const folder of [join(home, "a"), join(home, "a", "b"), agentDir, sessions])
      chmodSync(folder, 0o755);
    expect(await findingsOf(agentDir)).toEqual([]);
    const link = join(tempDir(), "link");
    chmodSync(join(link, ".."), 0o755);
    symlinkSync(sessions, link);
    const open = found("note", "the sessions can be read by other users");
    expect(await findingsOf(agentDir, "--sessions-dir", link)).not.toContainEqual(open);
  });

  test.skipIf(isTempShut).each([
    [0o700, []],
    [0o710, [found("note", "the sessions can be read by other users")]],
    [0o711, [found("note", "the sessions can be read by other users")]],
  ])("sessions below a folder of mode %o that are open themselves", async (mode, expected) => {
    const agentDir = await healthy();
    chmodSync(join(agentDir, ".."), mode);
    chmodSync(agentDir, mode);
    chmodSync(join(agentDir, "sessions"), 0o755);
    expect(await findingsOf(agentDir)).toEqual(expected);
  });

  test.each([
    ["settings.json", 0o644, []],
    ["settings.json", 0o666, [found("warning", "may hold secrets")]],
    ["auth.json", 0o640, [found("warning", "may hold secrets")]],
    ["auth.json", 0o600, []],
  ])("%s of pi's with mode %o", async (name, mode, expected) => {
    const agentDir = await healthy();
    writeFileSync(join(agentDir, name), "{}");
    chmodSync(join(agentDir, name), mode);
    expect(await findingsOf(agentDir)).toEqual(expected);
  });

  test("the folder of the index is ours with all that we put there", async () => {
    const agentDir = await healthy();
    const folder = join(agentDir, "sessiondb");
    for (const name of ["daemon-lock.db", "daemon.log.1", "damage-lock.db"]) {
      writeFileSync(join(folder, name), "", { mode: 0o600 });
    }
    chmodSync(folder, 0o755);
    const [finding] = await findingsOf(agentDir);
    expect([finding?.where, finding?.level]).toEqual([folder, "warning"]);
  });

  test.runIf(process.geteuid?.() === 0)("an index of another user is an error", async () => {
    const agentDir = await healthy();
    const folder = join(tempDir(), "theirs");
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 12_345, 12_345);
    const findings = await findingsOf(agentDir, "--db", join(folder, "index.db"));
    expect(findings[0]).toEqual(found("error", "the index belongs to another user"));
  });
});

import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Session } from "../../src/reports/answers.ts";
import { withIndex } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent, takeIn } from "./pretend-world.ts";

const samples = { agentDir: sampleAgent(sharedTempDir()) };

/** An agent whose index was made and then tampered with. */
async function tampered(sql: string): Promise<{ agentDir: string }> {
  const world = { agentDir: sampleAgent(tempDir()) };
  await takeIn(world);
  withIndex(join(world.agentDir, "sessiondb"), ({ database }) => database.exec(sql));
  return world;
}

async function sessions(world: { agentDir: string }): Promise<Session[]> {
  return ((await runJson(["list", "--no-sync"], world)) as { sessions: Session[] }).sessions;
}

describe("an index that says what the files say", () => {
  test("is done, with what was compared", async () => {
    const { code, stdout, stderr } = await runCli(["verify"], samples);
    expect([code, stdout, stderr]).toEqual([
      0,
      "",
      "13 sessions, 314 entries and $0.95: the index matches the files.\n" +
        "The files state $1.19: the rest is copied into forks, or stated for sub-agents, and counted where it was spent.\n",
    ]);
    expect(await runJson(["verify"], samples)).toEqual({
      schemaVersion: 1,
      ok: true,
      checked: 13,
      entries: 314,
      cost: expect.closeTo(0.953711643375, 9),
      statedCost: expect.closeTo(1.194626993375, 9),
      differences: [],
    });
  });

  test("is compared for the sessions that are named, each once", async () => {
    const [latest, other] = await sessions(samples);
    const argv = ["verify", "latest", latest?.id ?? "", other?.path ?? "", other?.id.slice(0, 13) ?? ""];
    expect(await runJson(argv, samples)).toMatchObject({ ok: true, checked: 2 });
  });

  test("may have cost nothing, and is asked about what is named alone", async () => {
    const agentDir = emptyAgent(tempDir());
    session({ id: "one" }).user("hi").writeBelow(join(agentDir, "sessions"));
    const { stderr } = await runCli(["verify"], { agentDir });
    expect(stderr).toBe("1 session, 1 entry and no cost: the index matches the files.\n");
    // Of what is not in the index only a look at all sessions speaks.
    session({ id: "two" }).user("hi").writeBelow(join(agentDir, "sessions"));
    expect((await runCli(["verify", "one", "--no-sync"], { agentDir })).code).toBe(0);
    expect((await runCli(["verify", "--no-sync"], { agentDir })).code).toBe(1);
    const elsewhere = await runCli(["verify", "--sessions-dir", "/nowhere/sessions"], { agentDir });
    expect(elsewhere.stderr).toMatch(/^note: there is no folder \/nowhere\/sessions\n/);
  });

  test("may have nothing in it", async () => {
    expect(await runJson(["verify"], { agentDir: emptyAgent(tempDir()) })).toMatchObject({
      ok: true,
      checked: 0,
    });
  });
});

describe("an index that does not", () => {
  test("is told by path and what, and fails", async () => {
    const world = await tampered(
      "UPDATE usage_rows SET cost = cost + 1 WHERE entry_key = (SELECT max(entry_key) FROM usage WHERE cost BETWEEN 0.001 AND 0.999)",
    );
    const { code, stdout, stderr } = await runCli(["verify"], world);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\/.*\.jsonl: line \d+: cost is 0\.\d+ in the file, 1\.\d+ in the index$/m);
    expect(stderr).toContain("1 difference.");
  });

  test("is a document with --json", async () => {
    const world = await tampered("DELETE FROM labels WHERE label = '0.4.0 changelog'");
    const { code, stdout } = await runCli(["verify", "--json"], world);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        ok: false,
        checked: 13,
        differences: [{ path: expect.stringMatching(/\.jsonl$/), what: expect.any(String) }],
      },
    ]);
  });

  test("is only asked about the sessions that are named", async () => {
    const world = await tampered("UPDATE sessions SET cost = 0 WHERE file_id = 1");
    const all = await sessions(world);
    const wrong = all.find(({ usage }) => usage.cost === 0);
    const right = all.find(({ usage }) => usage.cost > 0);
    expect((await runCli(["verify", right?.path ?? ""], world)).code).toBe(0);
    expect((await runCli(["verify", wrong?.path ?? ""], world)).code).toBe(1);
  });
});

test("what was written since is taken in first, or told with --no-sync", async () => {
  const world = { agentDir: sampleAgent(tempDir()) };
  await takeIn(world);
  const [{ path = "" } = {}] = await sessions(world);
  appendFileSync(
    path,
    '{"type":"custom","id":"new00001","parentId":null,"timestamp":"2026-11-20T00:00:00Z"}\n',
  );
  const { code, stdout } = await runCli(["verify", "--no-sync"], world);
  expect([code, stdout]).toEqual([1, `${path}: 85 bytes are not in the index yet\n`]);
  expect((await runCli(["verify"], world)).stderr).toContain("315 entries");
});

test("sessions that are begun while it looks are no differences", async () => {
  const agentDir = sampleAgent(tempDir());
  const folder = join(agentDir, "sessions", "--new--");
  mkdirSync(folder);
  const program = `const { writeFileSync } = require("node:fs");
    for (let n = 0; ; n++) {
      writeFileSync(${JSON.stringify(folder)} + "/" + n + ".jsonl", ${JSON.stringify(session().user("hi").bytes().toString())});
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3);
    }`;
  const writer = endWithTest(spawn(process.execPath, ["-e", program]));
  await pollUntil(() => readdirSync(folder).length > 0, { what: "the first of them" });
  for (let times = 0; times < 3; times++) {
    const { code, stdout } = await runCli(["verify"], { agentDir });
    expect([code, stdout]).toEqual([0, ""]);
  }
  expect(writer.exitCode).toBeNull();
});

test("a session that is not there is an error", async () => {
  const { code, stderr } = await runCli(["verify", "nonsense"], samples);
  expect([code, stderr]).toEqual([1, expect.stringContaining('there is no session "nonsense"')]);
});

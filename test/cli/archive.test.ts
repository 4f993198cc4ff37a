import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { archiveOf } from "../../src/files/session-path.ts";
import { takeLock } from "../../src/store/lock.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, NOW, runCli, runJson, sampleAgent } from "./pretend-world.ts";

/** The sample sessions, and what is asked of them. */
function samples() {
  const dir = tempDir();
  const agentDir = sampleAgent(dir);
  const trash = join(dir, "trash");
  mkdirSync(trash);
  const root = join(agentDir, "sessions");
  return { world: { agentDir, trash }, root, archive: archiveOf(root) };
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.jsonl/.test(name))
    .sort();

/** A session with one of a sub-agent, written to so many days ago. */
function family(days: { parent: number; child: number }) {
  const agentDir = emptyAgent(tempDir());
  const folder = join(agentDir, "sessions", "--p--");
  const at = (ago: number) => new Date(NOW - ago * 86_400_000);
  const parent = join(folder, "2026-01-01T00-00-00-000Z_parent.jsonl");
  const child = join(parent.replace(".jsonl", ""), "abc", "run-0", "session.jsonl");
  for (const [path, id, ago] of [
    [parent, "parent", days.parent],
    [child, "child", days.child],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true });
    session({ id, timestamp: at(ago).toISOString() })
      .user(id)
      .assistant()
      .write(path);
    utimesSync(path, at(ago), at(ago));
  }
  return { world: { agentDir }, root: join(agentDir, "sessions"), parent, child };
}

describe("archive and restore", () => {
  test("leave list, search, show, usage and verify as they were, and every byte", async () => {
    const { world, root, archive } = samples();
    const asked = [
      ["list", "--all-sessions"],
      ["search", "tide"],
      ["show", "latest"],
      ["usage", "session"],
      ["usage", "model"],
    ];
    const ask = async () => {
      const answers = await Promise.all(asked.map((argv) => runJson(argv, world)));
      return JSON.stringify(answers).replaceAll('"archived":true', '"archived":false');
    };
    const files = filesIn(root);
    const bytes = files.map((name) => readFileSync(join(root, name), "latin1"));
    const before = await ask();
    const moved = await runJson(["archive", "--older", "today", "--yes"], world);
    expect(moved).toMatchObject({ archived: { length: files.length }, left: [] });
    expect(filesIn(root)).toEqual([]);
    expect(filesIn(archive)).toHaveLength(files.length);
    expect(await ask()).toBe(before);
    expect(await runJson(["verify"], world)).toMatchObject({ ok: true, differences: [] });
    expect(await runJson(["archive", "verify"], world)).toMatchObject({ ok: true, checked: files.length });
    rmSync(join(world.agentDir, "sessiondb"), { recursive: true });
    expect(await ask()).toBe(before);
    expect(await runJson(["restore", "--all"], world)).toMatchObject({ restored: { length: files.length } });
    expect(filesIn(root).map((name) => readFileSync(join(root, name), "latin1"))).toEqual(bytes);
    expect([filesIn(root), filesIn(archive)]).toEqual([files, []]);
    expect(await ask()).toBe(before);
  });

  test("move what is named, and tell which in lists", async () => {
    const { world, root } = samples();
    await runCli(["archive", "01a1bfc2", "--yes"], world);
    const { sessions } = (await runJson(["list"], world)) as {
      sessions: { id: string; archived: boolean }[];
    };
    expect(sessions.filter(({ archived }) => archived).map(({ id }) => id.slice(0, 8))).toEqual(["01a1bfc2"]);
    const { sessions: only } = (await runJson(["list", "--has", "archived"], world)) as {
      sessions: { id: string }[];
    };
    expect(only.map(({ id }) => id.slice(0, 8))).toEqual(["01a1bfc2"]);
    const { totals } = (await runJson(["usage", "--all", "--has", "archived"], world)) as {
      totals: { requests: number };
    };
    expect(totals.requests).toBeGreaterThan(0);
    expect((await runCli(["list"], { ...world, columns: 150 })).stdout).toContain("archived");
    expect((await runCli(["archive", "01a1bfc2", "--yes"], world)).stderr).toContain("archived already");
    const before = filesIn(root).length;
    expect((await runCli(["restore", "01a1bfc2"], world)).stderr).toContain("Restored: 1 session");
    expect(filesIn(root)).toHaveLength(before + 1);
  });

  test("ask first, and move nothing for a dry run, a no, or where nobody can answer", async () => {
    const { world, root } = samples();
    const files = filesIn(root);
    const dry = await runJson(["archive", "--older", "today", "--dry-run"], world);
    expect(dry).toMatchObject({ archived: [], planned: { length: files.length } });
    expect(
      await runCli(["archive", "--older", "today"], { ...world, typed: true, stdin: "n\n" }),
    ).toMatchObject({ code: 1 });
    expect(await runCli(["archive", "--older", "today"], world)).toMatchObject({ code: 2 });
    expect(await runCli(["archive"], world)).toMatchObject({ code: 2 });
    expect(await runCli(["restore"], world)).toMatchObject({ code: 2 });
    expect(filesIn(root)).toEqual(files);
  });

  test("go by the filters of a list", async () => {
    const { world, archive } = samples();
    await runCli(["archive", "--older", "today", "--yes", "--project", "/home/ada/projects/tide"], world);
    expect(filesIn(archive).every((name) => name.startsWith("--home-ada-projects-tide--"))).toBe(true);
    expect(filesIn(archive).length).toBeGreaterThan(0);
  });

  test("are not for what was written to within the hour", async () => {
    const { world, root } = samples();
    const [name = ""] = filesIn(root);
    utimesSync(join(root, name), new Date(NOW - 60_000), new Date(NOW - 60_000));
    const { left } = (await runJson(["archive", "--older", "today", "--yes"], world)) as {
      left: { why: string }[];
    };
    expect(left.map(({ why }) => why)).toEqual(["written to within the last hour"]);
    expect(filesIn(root)).toEqual([name]);
  });

  test("B24: are done by one process at a time", async () => {
    const { world, root, archive } = samples();
    mkdirSync(archive);
    const lock = takeLock(join(archive, ".lock"), 0);
    const { code, stderr } = await runCli(["archive", "--older", "today", "--yes"], world);
    expect([code, stderr]).toEqual([75, expect.stringContaining("another process moves sessions")]);
    lock?.release();
    expect(filesIn(root)).not.toEqual([]);
    expect((await runCli(["archive", "--older", "today", "--yes"], world)).code).toBe(0);
  });

  test.each([
    ["its disk is missing", (archive: string) => symlinkSync("/nowhere/at/all", archive), "EEXIST"],
    ["something else is called so", (archive: string) => writeFileSync(archive, "x"), "EEXIST"],
  ])("say what is wrong with the archive where %s", async (_, spoil, reason) => {
    const { world, root, archive } = samples();
    const files = filesIn(root);
    spoil(archive);
    const { code, stderr } = await runCli(["archive", "--older", "today", "--yes"], world);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`the archive cannot be written to (${reason}): ${archive}. It is a folder, or`),
    ]);
    expect(filesIn(root)).toEqual(files);
  });

  test("B24: two at once move each session once", async () => {
    const { world, root, archive } = samples();
    const files = filesIn(root);
    await runCli(["list"], world);
    const both = () => runCli(["archive", "--older", "today", "--yes"], world);
    const codes = (await Promise.all([both(), both()])).map(({ code }) => code);
    expect(codes).toContain(0);
    expect([filesIn(root), filesIn(archive)]).toMatchObject([[], { length: files.length }]);
  });
});

describe("a family", () => {
  test("moves together, and stays together while one of it is young", async () => {
    const young = family({ parent: 100, child: 3 });
    const kept = await runJson(["archive", "--older", "90d", "--yes"], young.world);
    expect(kept).toMatchObject({
      archived: [],
      left: [{ id: "parent", why: "a sub-agent was active since" }],
    });
    const old = family({ parent: 100, child: 99 });
    const { archived } = (await runJson(["archive", "--older", "90d", "--yes"], old.world)) as {
      archived: object[];
    };
    expect(archived).toHaveLength(2);
    expect(await runJson(["list"], old.world)).toMatchObject({
      total: 1,
      sessions: [{ subagents: { sessions: 1 } }],
    });
    expect(await runJson(["verify"], old.world)).toMatchObject({ ok: true });
    await runCli(["restore", "parent"], old.world);
    expect([old.parent, old.child].map((path) => existsSync(path))).toEqual([true, true]);
  });

  test("leaves its sub-agents to the archive where only those are asked for", async () => {
    const { world, parent, child } = family({ parent: 1, child: 99 });
    await runCli(["archive", "--older", "90d", "--sub-agents", "--yes"], world);
    expect([parent, child].map((path) => existsSync(path))).toEqual([true, false]);
    expect(await runJson(["list"], world)).toMatchObject({
      total: 1,
      sessions: [{ subagents: { sessions: 1 } }],
    });
    expect(await runJson(["verify"], world)).toMatchObject({ ok: true });
  });
});

describe("an archived session", () => {
  test("is restored before it is resumed", async () => {
    const { world, root } = samples();
    await runCli(["archive", "latest", "--yes"], world);
    const count = filesIn(root).length;
    const { code, stderr, stdout } = await runCli(["resume", "latest"], world);
    expect([code, stderr, stdout]).toEqual([
      0,
      expect.stringContaining("Restored from the archive"),
      expect.stringContaining("pi --session"),
    ]);
    expect(filesIn(root)).toHaveLength(count + 1);
  });

  test("is deleted as any other", async () => {
    const { world, archive } = samples();
    await runCli(["archive", "latest", "--yes"], world);
    expect((await runCli(["delete", "latest", "--yes"], world)).code).toBe(0);
    expect([filesIn(archive), readdirSync(world.trash)]).toMatchObject([[], { length: 1 }]);
    expect(await runJson(["list"], world)).toMatchObject({ total: 12 });
  });

  test("B25: that is damaged is found by archive verify, and cannot be restored", async () => {
    const { world, root, archive } = samples();
    await runCli(["archive", "latest", "--yes"], world);
    const [name = ""] = filesIn(archive);
    truncateSync(join(archive, name), 400);
    appendFileSync(join(archive, name), "damage");
    const { code, stdout } = await runCli(["archive", "verify"], world);
    expect([code, stdout]).toEqual([1, expect.stringContaining(name)]);
    const restored = await runCli(["restore", "latest"], world);
    expect(restored.code).not.toBe(0);
    expect(filesIn(root)).not.toContain(name.replace(/\.(gz|zst)$/, ""));
    expect(await runJson(["list"], world)).toMatchObject({ total: 13 });
  });

  test("that pi has gone on with is hidden by its new file, until the two are put together as doctor says", async () => {
    const { world, parent: path } = family({ parent: 9, child: 9 });
    await runJson(["archive", "parent", "--yes"], world);
    writeFileSync(path, `${session({ id: "parent" }).user("and on").lines()[1]}\n`);
    expect((await runCli(["show", "parent"], world)).code).toBe(1);
    const restored = await runCli(["restore", "--all"], world);
    expect(restored.stderr + restored.stdout).toContain("in the place of 1 archived session");
    const { findings } = JSON.parse((await runCli(["doctor", "--json"], world)).stdout);
    const [, command = ""] =
      /together: (.*); else/.exec(
        findings.find(({ what }: { what: string }) => what.includes("is not seen")).remedy,
      ) ?? [];
    execFileSync("sh", ["-c", command]);
    expect(await runJson(["show", "parent"], world)).toMatchObject({ session: { messageCount: 3 } });
    await runCli(["archive", "nobody", "--yes"], world);
    expect((await runCli(["doctor", "--json"], world)).stdout).not.toContain("is not seen");
  });
});

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, takeIn } from "./pretend-world.ts";

const spent = (total: number) => ({ input: 100, output: 10, cost: { input: total, total } });
const NAME = "2026-11-03T10-00-00-000Z_";

/** A session with two sub-agents, one of which ran another, and one without; $0.30 + $0.40 + $0.10 + $0.20, and $1. */
function store() {
  const dir = tempDir();
  const agentDir = emptyAgent(dir);
  const trash = join(dir, "trash");
  mkdirSync(trash);
  const folder = join(agentDir, "sessions", "--p--", `${NAME}root`);
  const [scout, helper] = [
    join(folder, "0a", "run-0", "session.jsonl"),
    join(folder, "0b", "run-1", "session.jsonl"),
  ];
  const deep = join(dirname(scout), "session", "0c", "run-0", "session.jsonl");
  const at = (minute: number) => `2026-11-03T10:0${minute}:00.000Z`;
  session({ id: "deep", timestamp: at(2), cwd: "/p" })
    .user("dig")
    .assistant({ text: "dug", usage: spent(0.1) })
    .write(deep);
  session({ id: "scout", timestamp: at(1), cwd: "/p" })
    .user("look around")
    .assistant({ toolCalls: [{ name: "subagent" }], usage: spent(0.4), model: "claude-haiku-4-5" })
    .toolResult("dug", { usage: spent(0.1) }, { timestamp: at(3) })
    .write(scout);
  session({ id: "helper", timestamp: at(1), cwd: "/p" })
    .user("help")
    .assistant({ text: "helped", usage: spent(0.2) })
    .write(helper);
  session({ id: "root", cwd: "/p", timestamp: at(0) })
    .user("send them out")
    .assistant({ toolCalls: [{ name: "subagent" }], usage: spent(0.3) })
    .toolResult(
      "done",
      {
        usage: spent(0.7),
        details: {
          results: [
            { agent: "scout", sessionFile: scout },
            { agent: "helper", sessionFile: helper },
          ],
        },
      },
      { timestamp: at(5) },
    )
    .write(`${folder}.jsonl`);
  session({ id: "other", cwd: "/q" })
    .user("alone")
    .assistant({ text: "yes", usage: spent(1) })
    .writeBelow(join(agentDir, "sessions"));
  return { folder, world: { agentDir, trash } };
}

interface Listed {
  total: number;
  sessions: {
    id: string;
    origin: string;
    agent: string | null;
    rootPath: string;
    parentPath: string | null;
  }[];
}

describe("a session with sub-agents", () => {
  test("G4: is one line of a list, with their number and money", async () => {
    const { folder, world } = store();
    const { stdout } = await runCli(["list"], { ...world, columns: 120 });
    expect(stdout).toContain("+ 3 sub-agents, $0.70");
    const { total, sessions } = (await runJson(["list"], world)) as Listed;
    expect([total, sessions.map(({ id }) => id).sort()]).toEqual([2, ["other", "root"]]);
    const all = (await runJson(["list", "--all-sessions"], world)) as Listed;
    const family = all.sessions.filter(({ origin }) => origin === "subagent");
    expect(family.map(({ id, agent, rootPath }) => [id, agent, rootPath]).sort()).toEqual([
      ["deep", "subagent", `${folder}.jsonl`],
      ["helper", "helper", `${folder}.jsonl`],
      ["scout", "scout", `${folder}.jsonl`],
    ]);
    expect(family.find(({ id }) => id === "deep")?.parentPath).toBe(
      join(folder, "0a", "run-0", "session.jsonl"),
    );
    expect(await runJson(["list", "--origin", "subagent"], world)).toMatchObject({ total: 3 });
    expect(await runJson([], world)).toMatchObject({ sessions: 2, subagents: 3 });
  });

  test("is what latest means, though a sub-agent said something later", async () => {
    const { world } = store();
    const { session: latest } = (await runJson(["show", "latest"], world)) as { session: { id: string } };
    expect(["root", "other"]).toContain(latest.id);
    const { stdout } = await runCli(["show", "scout"], world);
    expect(stdout).toContain("sub-agent scout of ");
  });

  test("is one row of usage, or several with --own; the totals are the same", async () => {
    const { folder, world } = store();
    type Report = { rows: { key: string; cost: number; path?: string }[]; totals: { cost: number } };
    const ask = async (...words: string[]) => (await runJson(["usage", ...words], world)) as Report;
    const family = await ask("session", "--all");
    expect(family.rows.find(({ key }) => key === "root")).toMatchObject({
      cost: expect.closeTo(1, 9),
      path: `${folder}.jsonl`,
    });
    const own = await ask("session", "--all", "--own");
    expect(own.rows.map(({ key, cost }) => [key, Math.round(cost * 100)]).sort()).toEqual([
      ["deep", 10],
      ["helper", 20],
      ["other", 100],
      ["root", 30],
      ["scout", 40],
    ]);
    for (const report of [
      family,
      own,
      await ask("daily", "--all"),
      await ask("tool", "--all"),
      await ask("label", "--all"),
    ]) {
      expect(report.totals.cost).toBeCloseTo(2, 9);
    }
    const agents = await ask("agent", "--all");
    expect(agents.rows.map(({ key, cost }) => [key, Math.round(cost * 100)])).toEqual([
      ["none", 130],
      ["scout", 40],
      ["helper", 20],
      ["subagent", 10],
    ]);
    const haiku = await ask("session", "--all", "--model", "haiku");
    expect(haiku.rows.map(({ key, cost }) => [key, cost])).toEqual([["root", 0.4]]);
    expect((await ask("session", "--all", "--origin", "subagent")).rows.map(({ key }) => key).sort()).toEqual(
      ["deep", "helper", "scout"],
    );
  });

  test("filters never change what counts where: their parts add up to the whole", async () => {
    const { world } = store();
    const cost = async (...words: string[]) =>
      ((await runJson(["usage", "--all", ...words], world)) as { totals: { cost: number } }).totals.cost;
    const parts = await Promise.all(["assistant", "toolResult"].map((role) => cost("--role", role)));
    expect(parts[0]).toBeCloseTo(2, 9);
    expect(parts[1]).toBe(0);
    const origins = await Promise.all(["interactive", "subagent"].map((origin) => cost("--origin", origin)));
    expect(origins.reduce((sum, each) => sum + each, 0)).toBeCloseTo(2, 9);
  });

  test("is deleted alone unless the family is to go along, and says what stays", async () => {
    const { folder, world } = store();
    writeFileSync(join(folder, "notes.txt"), "left behind");
    await takeIn(world);
    const alone = await runCli(["delete", "root", "--yes"], world);
    expect(alone.stderr).toContain("3 sub-agents, $0.70 and the folder ");
    expect([existsSync(`${folder}.jsonl`), existsSync(folder)]).toEqual([false, true]);
    expect(await runJson(["usage", "--all"], world)).toMatchObject({
      totals: { cost: expect.closeTo(1.7, 9) },
    });
  });

  test("goes with its family", async () => {
    const { folder, world } = store();
    writeFileSync(join(folder, "notes.txt"), "left behind");
    await takeIn(world);
    const document = (await runJson(["delete", "root", "--yes", "--family"], world)) as {
      deleted: { id: string }[];
      folders: string[];
    };
    expect(document.deleted.map(({ id }) => id).sort()).toEqual(["deep", "helper", "root", "scout"]);
    expect([document.folders, existsSync(folder), readdirSync(world.trash).length]).toEqual([
      [folder],
      false,
      2,
    ]);
    expect(await runJson(["list", "--all-sessions"], world)).toMatchObject({ total: 1 });
    expect(await runJson(["verify"], world)).toMatchObject({ ok: true, cost: 1 });
  });
});

test("G2, G3: a copy under new ids and times is one bill and a fork; a session that only names another carries it on", async () => {
  const agentDir = emptyAgent(tempDir());
  const root = join(agentDir, "sessions");
  const first = session({ id: "first", version: 1, cwd: "/p" })
    .user("one")
    .assistant({ text: "one", usage: spent(1) });
  const second = first.entries.length;
  const path = first
    .user("two")
    .assistant({ text: "two", usage: spent(1) })
    .writeBelow(root);
  const copied = first.entries.slice(0, second).map(({ message }, at) => ({
    message,
    type: "message",
    id: `c${at}`,
    parentId: at === 0 ? null : `c${at - 1}`,
    timestamp: `2026-12-01T10:00:0${at}.000Z`,
  }));
  const header = {
    type: "session",
    version: 3,
    id: "second",
    timestamp: "2026-12-01T10:00:00.000Z",
    cwd: "/p",
    branchedFrom: path,
  };
  writeFileSync(
    join(root, "second.jsonl"),
    [header, ...copied].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  session({ id: "third", timestamp: "2026-12-02T10:00:00.000Z", parentSession: path, cwd: "/p" })
    .user("go on")
    .writeBelow(root);
  const { sessions } = (await runJson(["list"], { agentDir })) as Listed;
  expect(sessions.map(({ id, origin, parentPath }) => [id, origin, parentPath]).sort()).toEqual([
    ["first", "interactive", null],
    ["second", "fork", path],
    ["third", "handoff", path],
  ]);
  expect(await runJson(["usage", "--all"], { agentDir })).toMatchObject({
    totals: { cost: 2 },
    copies: { cost: 1 },
  });
});

test("requests that are alike within one file are several, and an entry that stands there twice is one", async () => {
  const agentDir = emptyAgent(tempDir());
  const line = (id: string) => ({
    type: "message",
    id,
    parentId: null,
    timestamp: "2026-11-03T10:00:01.000Z",
    message: {
      role: "assistant",
      content: [],
      provider: "p",
      model: "m",
      usage: spent(1),
      timestamp: Date.UTC(2026, 10, 3, 10),
    },
  });
  const header = {
    type: "session",
    version: 3,
    id: "alike",
    timestamp: "2026-11-03T10:00:00.000Z",
    cwd: "/p",
  };
  const lines = [header, line("a"), line("b"), line("a")];
  mkdirSync(join(agentDir, "sessions"), { recursive: true });
  writeFileSync(
    join(agentDir, "sessions", "alike.jsonl"),
    lines.map((each) => `${JSON.stringify(each)}\n`).join(""),
  );
  expect(await runJson(["usage", "--all"], { agentDir })).toMatchObject({ totals: { cost: 2, requests: 2 } });
});

test("a file that is called as the folder of a project has none of its sessions for sub-agents, and takes none along", async () => {
  const dir = tempDir();
  const agentDir = emptyAgent(dir);
  const trash = join(dir, "trash");
  mkdirSync(trash);
  const root = join(agentDir, "sessions");
  const kept = session({ id: "kept", cwd: "/p" })
    .user("mine")
    .write(join(root, "--p--", "kept.jsonl"));
  session({ id: "stray" }).user("stray").write(join(root, "--p--.jsonl"));
  const world = { agentDir, trash };
  expect(await runJson(["list"], world)).toMatchObject({ total: 2 });
  expect(await runJson(["delete", "stray", "--family", "--yes"], world)).toMatchObject({ folders: [] });
  expect(existsSync(kept)).toBe(true);
});

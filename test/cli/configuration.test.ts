import { existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { followExclusions } from "../../src/api/exclusions.ts";
import { type Config, resolveConfig } from "../../src/config/config.ts";
import type { Environment } from "../../src/runtime/env.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, takeIn } from "./pretend-world.ts";

/** Thirty sessions of one project and one of another, and a configuration file that can be written. */
function store() {
  const dir = tempDir();
  const agentDir = emptyAgent(dir);
  const root = join(agentDir, "sessions");
  for (let i = 0; i < 30; i++)
    session({ id: `s${i}`, cwd: "/home/ada/secret" })
      .user(`secret ${i}`)
      .writeBelow(root);
  session({ id: "open", cwd: "/home/ada/open" }).user("public").assistant().writeBelow(root);
  mkdirSync(join(dir, "sessiondb"));
  const configPath = join(dir, "sessiondb", "config.json");
  const configure = (settings: object) => writeFileSync(configPath, JSON.stringify(settings));
  return { root, configPath, configure, world: { agentDir, env: { XDG_CONFIG_HOME: dir } } };
}

const totalOf = async (command: string[], world: Parameters<typeof runJson>[1]) =>
  ((await runJson(command, world)) as { total: number }).total;

describe("what is excluded", () => {
  test("is never indexed: a project, by the folder pi keeps its sessions in", async () => {
    const { configure, world } = store();
    configure({ exclude: ["~/secret"] });
    expect(await totalOf(["list"], world)).toBe(1);
    expect(await totalOf(["search", "secret"], world)).toBe(0);
  });

  test("leaves the index, however much it is, and comes back when it is no longer excluded", async () => {
    const { root, configure, world } = store();
    expect(await totalOf(["search", "secret", "--limit", "0"], world)).toBe(30);
    configure({ exclude: [join(root, "*secret*")] });
    expect(await totalOf(["list"], world)).toBe(1);
    expect(await totalOf(["search", "secret"], world)).toBe(0);
    configure({});
    expect(await totalOf(["list"], world)).toBe(31);
  });

  test("is not forgotten because the file is broken", async () => {
    const { configPath, configure, world } = store();
    configure({ exclude: ["~/secret"] });
    await takeIn(world);
    writeFileSync(configPath, '{"exclude": ["~/secret"');
    const { code, stderr, stdout } = await runCli(["list"], world);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${configPath}:1: is not valid JSON`);
  });
});

test("a daemon follows what the file excludes, and keeps to what it last understood", () => {
  const { root, configPath, configure } = store();
  const read = (): Config =>
    resolveConfig({
      flags: { config: configPath, sessionsDir: [root] },
      env: {},
      home: "/home/ada",
      cwd: "/",
    });
  configure({});
  let time = 0;
  const { isExcluded } = followExclusions(read(), read, { clock: () => time });
  const path = join(root, "--home-ada-secret--", "x.jsonl");
  expect(isExcluded(path)).toBe(false);
  configure({ exclude: ["~/secret"] });
  expect(isExcluded(path)).toBe(false);
  time += 1000;
  expect(isExcluded(path)).toBe(true);
  const breakings = [
    () => {
      writeFileSync(configPath, "{");
      utimesSync(configPath, 1, 1);
    },
    () => {
      rmSync(configPath);
      symlinkSync(configPath, configPath);
    },
  ];
  for (const breakIt of breakings) {
    breakIt();
    time += 1000;
    expect(isExcluded(path)).toBe(true);
  }
});

test("the week begins where the configuration says", async () => {
  const { configure, world } = store();
  configure({ weekStart: "sunday", timezone: "UTC" });
  const { rows } = (await runJson(["usage", "weekly", "--all"], world)) as { rows: { key: string }[] };
  expect(rows.map(({ key }) => new Date(key).getUTCDay())).toEqual([0]);
});

test("an agent directory that is named is asked about, whatever the file says of folders and index", async () => {
  const { root, configure, world } = store();
  const elsewhere = tempDir();
  session({ id: "elsewhere" }).user("hello").assistant().writeBelow(elsewhere);
  const db = join(tempDir(), "index-v1.db");
  configure({ sessionsDirs: [elsewhere], db });
  const env = { ...world.env, PI_CODING_AGENT_SESSION_DIR: elsewhere };
  expect(await totalOf(["list", "--agent-dir", dirname(root)], { ...world, env })).toBe(31);
  expect(existsSync(db)).toBe(false);
});

test("a service keeps to the folders and the index of the file where the environment names the agent directory", async () => {
  const { configure, world } = store();
  const [folder, db] = [tempDir(), join(tempDir(), "index-v1.db")];
  const unit = async () => (await runCli(["daemon", "install", "--print"], world)).stdout;
  configure({});
  expect(await unit()).not.toMatch(/--sessions-dir|--db/);
  configure({ sessionsDirs: [folder], db });
  expect(await unit()).toMatch(new RegExp(`--agent-dir.*--sessions-dir.*${folder}.*--db.*${db}`));
});

test("a service keeps to what flags and the environment say, and to nothing else", async () => {
  const agentDir = emptyAgent(tempDir());
  const [home, folder] = [tempDir(), tempDir()];
  const unit = async (env: Environment, ...argv: string[]) =>
    (await runCli(["daemon", "install", "--print", ...argv], { agentDir, home, env })).stdout;
  const none = { PI_CODING_AGENT_DIR: "" };
  expect(await unit(none)).not.toMatch(/--agent-dir|--sessions-dir|--db|--config/);
  expect(await unit({})).toContain(`--agent-dir`);
  expect(await unit({ ...none, PI_CODING_AGENT_SESSION_DIR: folder })).toMatch(
    new RegExp(`--sessions-dir\\S* \\S*${folder}`),
  );
  expect(await unit({ ...none, XDG_CONFIG_HOME: folder })).toContain(`${folder}/sessiondb/config.json`);
  expect(await unit({ ...none, XDG_CONFIG_HOME: "relative" })).not.toContain("--config");
  const overruled = await unit({ PI_CODING_AGENT_SESSION_DIR: folder }, "--agent-dir", agentDir);
  expect(overruled).not.toContain("--sessions-dir");
  const named = await unit(none, "--agent-dir", agentDir, "--sessions-dir", folder, "--db", `${folder}/i.db`);
  for (const place of [agentDir, folder, `${folder}/i.db`]) expect(named).toContain(place);
});

test("a configuration file that is named and not there is noted", async () => {
  const { root, world } = store();
  const { code, stderr } = await runCli(["list", "--config", join(root, "none.json")], world);
  expect([code, stderr]).toEqual([0, `note: there is no configuration file ${root}/none.json\n`]);
});

test("an unknown time zone is told with the file that names it", async () => {
  const { configPath, configure, world } = store();
  configure({ timezone: "Mars" });
  const { code, stderr } = await runCli(["list"], world);
  expect([code, stderr]).toEqual([
    2,
    `error: unknown time zone "Mars" in ${configPath}:1. Give an IANA name such as Europe/Berlin or UTC.\n`,
  ]);
});

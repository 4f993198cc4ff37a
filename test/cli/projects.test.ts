import { mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { SessionList } from "../../src/reports/answers.ts";
import { linkedWorktree, repository } from "../helpers/repositories.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson } from "./pretend-world.ts";

const URL = "git@example.org:ada/orchard.git";

let dir = "";
let agentDir = "";

beforeEach(() => {
  dir = realpathSync(tempDir());
  agentDir = emptyAgent(dir);
});

function heldIn(cwd: string, id: string): void {
  session({ cwd, id, timestamp: `2026-11-0${id.length}T10:00:00.000Z` })
    .user(`pears of ${id}`)
    .assistant({ usage: { input: 1, totalTokens: 1, cost: { total: 1 } } })
    .write(join(agentDir, "sessions", `${id}.jsonl`));
}

async function listed(...argv: string[]): Promise<string[]> {
  const { sessions } = (await runJson(["list", ...argv], { agentDir })) as SessionList;
  return sessions.map(({ id }) => id).toSorted();
}

describe("worktrees of a repository", () => {
  test("are one project in lists, filters, costs and the front page", async () => {
    const main = repository(join(dir, "orchard"));
    const linked = linkedWorktree(main, join(dir, "feature"));
    heldIn(main, "main");
    heldIn(linked, "linked");
    heldIn(join(dir, "else"), "elsewhere");
    for (const project of [main, linked])
      expect(await listed("--project", project)).toEqual(["linked", "main"]);
    expect(await listed("--project", dir)).toEqual(["elsewhere", "linked", "main"]);
    const { sessions } = (await runJson(["list"], { agentDir })) as SessionList;
    expect(new Set(sessions.map(({ project }) => project))).toEqual(new Set([main, join(dir, "else")]));
    expect(await runJson(["usage", "project", "--all"], { agentDir })).toMatchObject({
      rows: [
        { key: main, cost: 2 },
        { key: join(dir, "else"), cost: 1 },
      ],
    });
    expect(await runJson(["search", `project:${linked}`, "pears"], { agentDir })).toMatchObject({ total: 2 });
    expect(await runJson([], { agentDir })).toMatchObject({ projects: 2 });
    const { stdout } = await runCli(["show", "linked"], { agentDir });
    expect(stdout).toContain(`${linked} (of ${main})`);
  });

  test("that have no session yet mean the project of the repository, too", async () => {
    const main = repository(join(dir, "orchard"));
    heldIn(main, "main");
    expect(await listed("--project", linkedWorktree(main, join(dir, "feature")))).toEqual(["main"]);
  });
});

test("a moved folder is offered by resume", async () => {
  const old = repository(join(dir, "old"), URL);
  heldIn(old, "before");
  await runCli(["list"], { agentDir });
  const moved = join(dir, "moved");
  renameSync(old, moved);
  heldIn(moved, "after");
  const { stdout, stderr } = await runCli(["resume", "before"], { agentDir });
  expect(stdout).toMatch(`cd ${moved} && pi --session `);
  expect(stderr).toContain(`the directory ${old} no longer exists; its project is in ${moved}.`);
  expect(await runJson(["resume", "before"], { agentDir })).toMatchObject({ cwd: moved });
  expect(await listed("--project", moved)).toEqual(["after", "before"]);
});

test("the configuration's aliases say what else a project was called", async () => {
  const config = join(dir, "config.json");
  writeFileSync(config, JSON.stringify({ aliases: { "/old/*": join(dir, "orchard") } }));
  heldIn("/old/trees", "old");
  expect(await listed("--config", config, "--project", join(dir, "orchard"))).toEqual(["old"]);
  expect(await listed("--project", join(dir, "orchard"))).toEqual([]);
});

describe("doctor names sessions that nobody looks at", () => {
  const findings = async (): Promise<string[]> => {
    const { findings } = (await runJson(["doctor"], { agentDir })) as { findings: { what: string }[] };
    return findings.map(({ what }) => what);
  };

  test("in the folder that pi's settings no longer point to", async () => {
    heldIn("/one", "left");
    writeFileSync(join(agentDir, "settings.json"), JSON.stringify({ sessionDir: join(dir, "elsewhere") }));
    mkdirSync(join(dir, "elsewhere"));
    expect(await findings()).toContain(
      "1 session file is left in a folder that pi's settings no longer point to",
    );
  });

  test("in the folder that a project has of its own", async () => {
    const cwd = join(dir, "orchard");
    mkdirSync(join(cwd, ".pi"), { recursive: true });
    writeFileSync(join(cwd, ".pi", "settings.json"), JSON.stringify({ sessionDir: ".pi/sessions" }));
    heldIn(cwd, "one");
    await runCli(["list"], { agentDir });
    const what = `the sessions of a project lie in a folder of its own, ${join(cwd, ".pi/sessions")}, and are not indexed`;
    expect(await findings()).toContain(what);
  });
});

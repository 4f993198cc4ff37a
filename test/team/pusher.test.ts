import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Context } from "../../src/cli/command-line/command.ts";
import { pushAtIntervals } from "../../src/cli/daemon/pusher.ts";
import { resolveConfig } from "../../src/config/config.ts";
import { runCli } from "../cli/pretend-world.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { hasNoPostgres, postgresServer } from "../helpers/postgres.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { laptop, newTeam } from "../helpers/team.ts";

const server = postgresServer();

describe.skipIf(hasNoPostgres())("a daemon", () => {
  test("pushes at intervals, as the configuration says at the time", async () => {
    const team = await newTeam(server);
    const { agentDir, env } = laptop(await team.url("ada"), { projects: [] });
    const world = { env: { ...process.env, ...env, PI_CODING_AGENT_DIR: agentDir } };
    const readConfig = () => resolveConfig({ flags: {}, env: world.env, home: "/home/ada", cwd: "/" });
    const said: string[] = [];
    const talk = { say: (line: string) => said.push(line), note: (line: string) => said.push(line) };
    session({ cwd: "/home/ada/orchard" }).user("x").assistant().writeBelow(join(agentDir, "sessions"));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { end } = pushAtIntervals(
      { world, config: readConfig(), readConfig, talk } as unknown as Context,
      MAIN,
    );
    vi.advanceTimersByTime(60 * 60_000);
    writeFileSync(
      join(env?.XDG_CONFIG_HOME ?? "", "sessiondb/config.json"),
      JSON.stringify({ push: { projects: ["*"], every: 2 } }),
    );
    vi.advanceTimersByTime(10 * 60_000);
    vi.useRealTimers();
    await pollUntil(() => said.length > 0);
    end();
    expect(said).toEqual([expect.stringMatching(/^Pushed 1 session \(level usage\): 1 requests?, /)]);
    expect(await team.owner.query("SELECT author FROM sessiondb_team.sessions")).toEqual([{ author: "ada" }]);
  });

  test("takes out what was pushed once nothing is listed any more", async () => {
    const team = await newTeam(server);
    const world = laptop(await team.url("ada"));
    const env = { ...process.env, ...world.env, PI_CODING_AGENT_DIR: world.agentDir };
    session({ cwd: "/home/ada/orchard" }).user("x").writeBelow(join(world.agentDir, "sessions"));
    await runCli(["push"], world);
    writeFileSync(
      join(world.env?.XDG_CONFIG_HOME ?? "", "sessiondb/config.json"),
      '{"push":{"projects":[]}}',
    );
    const readConfig = () => resolveConfig({ flags: {}, env, home: "/home/ada", cwd: "/" });
    const said: string[] = [];
    const talk = { say: (line: string) => said.push(line), note: (line: string) => said.push(line) };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { end } = pushAtIntervals(
      { world: { env }, config: readConfig(), readConfig, talk } as unknown as Context,
      MAIN,
    );
    vi.advanceTimersByTime(10 * 60_000);
    vi.useRealTimers();
    await pollUntil(() => said.length > 0);
    end();
    expect(said).toEqual(["Took out 1 session."]);
  });
});

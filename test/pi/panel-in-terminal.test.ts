import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isMissing } from "../helpers/peers.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { hasNoTmux, Terminal } from "../helpers/tmux.ts";
import { piCommand, project } from "./run-pi.ts";

/** A pi in which nothing was said, with these numbers of sessions. */
function worldWith(count: number) {
  const dir = tempDir();
  const [agentDir, cwd] = [join(dir, "agent"), join(dir, "work")];
  mkdirSync(cwd);
  mkdirSync(join(agentDir, "sessions"), { recursive: true });
  const paths = Array.from({ length: count }, (_, at) =>
    session({ id: `cccccccc-0000-7000-8000-${String(at).padStart(12, "0")}`, cwd })
      .user(`number ${at} of the harbour bells`)
      .assistant({ text: `bell ${at} rings` })
      .user("thanks")
      .writeBelow(join(agentDir, "sessions")),
  );
  return { paths, world: { agentDir, cwd, extension: project } };
}

async function inPi(world: ReturnType<typeof worldWith>["world"], command: string): Promise<Terminal> {
  const { words, ...place } = piCommand(world);
  const terminal = new Terminal(words, { columns: 100, rows: 40, ...place });
  await terminal.sees("parrot");
  terminal.type(command);
  await terminal.sees(command);
  terminal.keys("Enter");
  await terminal.sees("◉ everywhere");
  return terminal;
}

describe.skipIf(hasNoTmux() || isMissing("piAgentModule"))("pi's panels in a terminal", () => {
  test("/search shows the last sessions, hits, and the conversation around one; then resumes it", async () => {
    const terminal = await inPi(worldWith(3).world, "/search");
    await terminal.sees(/3 sessions · (?:reading… · )?enter/);
    terminal.type("bell 1");
    await terminal.sees(/› .*bell 1 rings|› .*number 1 of/);
    terminal.keys("Right");
    await terminal.sees(/^ +▶ /m);
    terminal.keys("Left");
    await terminal.sees("› ");
    terminal.resize(40, 24);
    await terminal.sees(/^Search every session {8}◉ everywhere$/m);
    terminal.resize(100, 40);
    terminal.type(" role:nobody");
    await terminal.sees('There is no role "nobody"');
    terminal.keys(...Array(12).fill("BSpace"), "Enter");
    await terminal.sees("thanks");
    expect(terminal.seen().join()).not.toContain("Search every session");
  });

  test("/sessions narrows down, sorts, renames as pi does, and asks before the trash", async () => {
    const { world, paths } = worldWith(3);
    const terminal = await inPi(world, "/sessions");
    await terminal.sees("3 sessions · ");
    terminal.keys("C-s");
    await terminal.sees("cost  ◉ everywhere");
    terminal.keys("C-n");
    await terminal.sees("No session matches");
    terminal.keys("C-n");
    // By its id: any digit may stand in the name of a temporary folder, too.
    terminal.type("000000000002");
    await terminal.sees("1 session · ");
    terminal.keys("C-r");
    await terminal.sees("The name of the session:");
    terminal.keys("C-u");
    terminal.type("the third");
    terminal.keys("Enter");
    await terminal.sees('it is called "the third"');
    expect(readFileSync(paths[2] ?? "", "utf8")).toContain('"name":"the third"');
    terminal.keys("C-d");
    await terminal.sees('To the trash? "');
    terminal.type("n");
    await terminal.sees("nothing was done");
    terminal.keys("Escape");
    await pollUntil(() => !terminal.seen().join().includes("All sessions"), { what: "the end" });
  });

  test("of 3,000 sessions all are there, and of none it says so", async () => {
    const { world } = worldWith(3000);
    spawnSync(process.execPath, [MAIN, "--agent-dir", world.agentDir, "sync"]);
    const terminal = await inPi(world, "/sessions");
    await terminal.sees("3000 sessions");
    terminal.type("number 2999");
    await terminal.sees("1 session · ");
    const empty = await inPi(worldWith(0).world, "/sessions");
    await empty.sees("No session matches.");
  });

  test("at a hit that one resumes at, the next message begins a branch", async () => {
    const terminal = await inPi(worldWith(1).world, "/search");
    terminal.type("rings");
    await terminal.sees("1 hit · ");
    terminal.keys("C-g");
    await terminal.sees("bell 0 rings");
    await pollUntil(() => !/thanks|Search every/.test(terminal.seen().join()), { what: "the branch" });
  });
});

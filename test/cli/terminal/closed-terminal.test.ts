import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isDaemonRunning } from "../../../daemon/control/lease.ts";
import { indexIn } from "../../helpers/open-index.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { endDaemonWithTest, endWithTest } from "../../helpers/processes.ts";
import { MAIN } from "../../helpers/program.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { sampleAgent } from "../pretend-world.ts";

/** Whether there is a program that gives another one a terminal, with the options it has on Linux. */
const hasTerminals = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");
if (!hasTerminals) console.info("No `script` of util-linux here: terminals that are closed are not tested.");

/** Runs the program in a terminal of its own; what a shell reads after its arguments may be added. */
function inTerminal(command: string) {
  const agentDir = sampleAgent(tempDir());
  const location = indexIn(join(agentDir, "sessiondb"));
  endDaemonWithTest(location);
  mkdirSync(dirname(location.indexPath), { recursive: true });
  writeFileSync(join(dirname(location.indexPath), "daemon.log"), '{"event":"before"}\n');
  const path = (name: string) => join(agentDir, name);
  writeFileSync(path("program.sh"), `echo $$ > pid; exec "$NODE" "$MAIN" ${command}`);
  // The shell outlives its terminal, and says how the program has ended.
  const lines = `trap '' HUP; cd "$PI_CODING_AGENT_DIR"; sh program.sh; echo $? > code-new; mv code-new code`;
  const env = {
    ...process.env,
    PI_CODING_AGENT_DIR: agentDir,
    NODE: process.execPath,
    MAIN,
    SHELL: "/bin/sh",
  };
  const terminal = endWithTest(
    spawn("script", ["-qec", lines, "/dev/null"], { env, stdio: ["pipe", "pipe", "inherit"] }),
  );
  const shown = { text: "" };
  terminal.stdout.on("data", (chunk) => {
    shown.text += chunk;
  });
  /** As the terminal's shell does. */
  const hangUp = () => process.kill(Number(readFileSync(path("pid"), "utf8")), "SIGHUP");
  const code = async () => {
    await pollUntil(() => existsSync(path("code")), { what: "its exit code" });
    return readFileSync(path("code"), "utf8").trim();
  };
  return { terminal, shown, location, hangUp, code };
}

async function close(terminal: ChildProcess): Promise<void> {
  const ended = once(terminal, "exit");
  terminal.kill("SIGKILL");
  await ended;
}

describe.runIf(hasTerminals)("a terminal that is closed ends what runs in it as its signal does", () => {
  test.each([
    ["sync --watch", "Watching"],
    ["daemon run", "Watching"],
    ["daemon logs --follow", "before"],
  ])("%s", async (command, begun) => {
    const { terminal, shown, hangUp, code } = inTerminal(command);
    await pollUntil(() => shown.text.includes(begun), { what: begun });
    await close(terminal);
    hangUp();
    expect(await code()).toBe("129");
  });

  test("also where only the input comes from it", async () => {
    const { terminal, location, hangUp, code } = inTerminal("daemon run > out 2>&1");
    await pollUntil(() => isDaemonRunning(location), { what: "the daemon" });
    await close(terminal);
    hangUp();
    expect(await code()).toBe("129");
  });

  test("also where the signal comes first", async () => {
    const { shown, hangUp, code } = inTerminal("daemon run");
    await pollUntil(() => shown.text.includes("Watching"), { what: "the daemon" });
    hangUp();
    expect(await code()).toBe("129");
  });
});

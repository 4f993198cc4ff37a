/** F14: no text of a session in logs, error messages or the arguments of processes. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { isBuilt, sessiondb } from "./command.ts";

const CANARY = "canary7f3a";

/** Sessions that hold the canary everywhere text can stand, whole and damaged. */
function agentWithCanary(): string {
  const agentDir = tempDir();
  const sessions = join(agentDir, "sessions");
  mkdirSync(sessions);
  const built = session({ id: "whole", cwd: "/home/ada" }).user(`${CANARY} question`);
  built.assistant({
    text: CANARY,
    thinking: CANARY,
    toolCalls: [{ name: "bash", arguments: { command: CANARY } }],
  });
  built
    .toolResult(CANARY, { isError: true })
    .name(CANARY)
    .label(built.lastId ?? "", CANARY);
  built.raw(`${CANARY} is no JSON`).raw(`{"type":"message","message":"${CANARY}"`).torn(`{"${CANARY}`);
  built.write(join(sessions, "whole.jsonl"));
  writeFileSync(join(sessions, "none.jsonl"), `{"${CANARY}":1}\n`);
  writeFileSync(join(sessions, "broken.jsonl"), `${CANARY}\n`);
  return agentDir;
}

describe.skipIf(!isBuilt)("F14: text of a session", () => {
  test.each([
    [["sync", "--json"]],
    [["show", "nothing"]],
    [["show", "whole:99"]],
    [["export", "whole", "-o", "/nowhere/x.md"]],
    [["search", "--no-sync", "-x"]],
    [["sql", "SELECT nothing FROM entries"]],
    [["tree", "none"]],
    [["daemon", "status"]],
    [["verify"]],
  ])("is in nothing that %j says on stderr", (argv) => {
    const agentDir = agentWithCanary();
    sessiondb(agentDir, "sync");
    expect(sessiondb(agentDir, ...argv).stderr).not.toContain(CANARY);
    writeFileSync(join(agentDir, "sessiondb/index-v1.db"), `${CANARY} no database`.repeat(1000));
    expect(sessiondb(agentDir, ...argv).stderr).not.toContain(CANARY);
  });

  test.skipIf(process.platform !== "linux")(
    "is in no file of the daemon, nor in what ps shows of it",
    async () => {
      const agentDir = agentWithCanary();
      const env = { ...process.env, HOME: agentDir, PI_CODING_AGENT_DIR: agentDir };
      const daemon = endWithTest(
        spawn(process.execPath, [MAIN, "daemon", "run"], { env, stdio: ["ignore", "pipe", "pipe"] }),
      );
      let said = "";
      for (const stream of [daemon.stdout, daemon.stderr]) stream.on("data", (chunk) => (said += chunk));
      const folder = join(agentDir, "sessiondb");
      const log = join(folder, "daemon.log");
      await pollUntil(() => existsSync(log) && readFileSync(log, "utf8").includes('"swept"'), {
        what: "a daemon that has read the files",
      });
      const found = () => sessiondb(agentDir, "search", "--no-sync", CANARY, "--json").stdout;
      await pollUntil(() => JSON.parse(found() || "{}").total > 0, { what: "the full text" });
      expect(readFileSync(`/proc/${daemon.pid}/cmdline`, "utf8")).not.toContain(CANARY);
      const logs = readdirSync(folder).filter((name) => name.startsWith("daemon"));
      expect(logs).toContain("daemon.log");
      for (const name of logs) expect(readFileSync(join(folder, name), "latin1")).not.toContain(CANARY);
      expect(said).not.toContain(CANARY);
    },
  );
});

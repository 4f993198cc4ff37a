// `sessiondb sync` of an agent directory whose index is deleted when it has begun. Runs the compiled program.
//
//   node test/cli/deleted-while-synced.mjs <agent dir>
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../build/src/cli/run.js";

const agentDir = process.argv[2];
const folder = join(agentDir, "sessiondb");
let isDeleted = false;

/** The time is asked for whenever something is about to be done. */
function steady() {
  if (!isDeleted && existsSync(folder)) {
    rmSync(folder, { recursive: true });
    isDeleted = true;
  }
  return performance.now();
}

process.exitCode = await run(["sync"], {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: { PI_CODING_AGENT_DIR: agentDir },
  home: agentDir,
  cwd: agentDir,
  sqlProgram: "",
  now: Date.now,
  steady,
  timezone: "UTC",
  moveToTrash: async () => undefined,
  interruptible: (work) => work(new AbortController().signal),
});

// In a process namespace of its own: says what becomes of a daemon outside of it that is asked, started again and stopped,
// and of a process here that has the number which the daemon's status gives. Runs the compiled program.
//
//   unshare -Urpf node test/daemon/control/other-container.mjs <folder of the index> <status, but for its process>
import { spawn } from "node:child_process";
import { join } from "node:path";
import { startDaemon, stopDaemon } from "../../../build/daemon/control/control.js";
import { writeStatusFile } from "../../../build/daemon/control/status-file.js";
import { hearDaemonStatus } from "../../../build/src/cli/daemon/daemon-status.js";

const [folder, status] = process.argv.slice(2);
const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const other = spawn("sleep", ["600"]);
writeStatusFile(folder, { ...JSON.parse(status), pid: other.pid, saidAt: new Date().toISOString() });
const facts = await hearDaemonStatus({ location, roots: [] });
const { started } = await startDaemon(["/no/such/program"], location, join(folder, "daemon.log"));
const stopped = await stopDaemon(location).catch((error) => error.message);
const isAlive = other.exitCode === null && other.signalCode === null;
console.log(JSON.stringify({ facts, started, stopped, isAlive }));
other.kill();

// A daemon whose folder is deleted while it takes office, the first time. Says on a line when it has; ends when it is
// told to. Runs the compiled program.
//
//   node test/daemon/control/folder-gone.mjs <sessions root> <index folder>
import { rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { runDaemon, untilToldToEnd } from "../../../build/daemon/main.js";

const [root, folder] = process.argv.slice(2);
const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const place = { roots: [root], location, version: "1.2.3", runtimeDir: undefined };
let isGone = false;

/** The time is first asked for when the lease has been taken and nothing else is there yet. */
function now() {
  if (!isGone) rmSync(folder, { recursive: true });
  if (!isGone) writeSync(1, "gone\n");
  isGone = true;
  return Date.now();
}

await untilToldToEnd((signal) =>
  runDaemon({ ...place, isExcluded: () => false, exclude: () => [], now, signal }),
);

// A daemon in a user namespace of its own where the file system gives few watches. Says each new state on a line;
// when its input ends the limit is lifted. Runs the compiled program.
//
//   unshare -Ur node test/daemon/limited-daemon.mjs <limit> <value> <sessions root> <index folder>
import { writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Roots } from "../../build/daemon/components/roots.js";
import { Watcher } from "../../build/daemon/components/watcher.js";
import { Daemon } from "../../build/daemon/daemon.js";

const [limit, value, root, folder] = process.argv.slice(2);
const setLimit = (text) => writeFileSync(`/proc/sys/user/${limit}`, text);
setLimit(value);
process.stdin.on("end", () => setLimit("100000"));
process.stdin.resume();

let last = "";
const daemon = new Daemon({
  roots: new Roots([root]),
  location: { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") },
  intervals: { pollMs: 100 },
  isDiskFull: () => false,
  watch: (listeners) => new Watcher({ roots: [root], isExcluded: () => false, retryMs: 300 }, listeners),
  onTurn: ({ state, degraded }) => {
    const line = `${state} ${degraded ?? ""}\n`;
    if (line !== last) writeSync(1, line);
    last = line;
  },
});
await daemon.run(new AbortController().signal);

// Stands for a daemon. The first time it ends at once and without an error, as one that finds another daemon does;
// the next time it is the daemon, until it is killed.
//
//   node test/daemon/control/gives-way.mjs <folder>
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Lease } from "../../../build/daemon/control/lease.js";
import { writeStatusFile } from "../../../build/daemon/control/status-file.js";
import { codeOf } from "../../../build/src/errors.js";

const folder = process.argv[2];
if (isFirst()) process.exit(0);
const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const lease = Lease.take(location);
const said = { version: "1.2.3", startedAt: new Date().toISOString(), state: "watching", roots: ["/r"] };
writeStatusFile(folder, { pid: process.pid, ...said, indexPath: location.indexPath });
// Whoever is not referred to any more may be collected, and the lock with it.
setInterval(() => lease, 1000);

function isFirst() {
  try {
    writeFileSync(join(folder, "gave-way"), "", { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
}

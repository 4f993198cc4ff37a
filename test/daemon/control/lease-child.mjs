// Tries to become the daemon of a folder when its input ends, says that and what came of it, and holds on until it is killed.
//
//   node test/daemon/control/lease-child.mjs <folder>
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Lease } from "../../../build/daemon/control/lease.js";

const folder = process.argv[2];
writeSync(1, "ready\n");
readFileSync(0);
writeSync(1, "tries\n");
const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const lease = Lease.take(location);
writeSync(1, lease === null ? "refused\n" : "taken\n");
// Whoever is not referred to any more may be collected, and the lock with it.
setInterval(() => lease, 1000);

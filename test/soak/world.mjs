// Where a soak happens, and what it counts: two small disks, one for the sessions and one for the index.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";

export const DISK = "1500m";

export function makeWorld(folder) {
  const [home, agentDir] = [join(folder, "home"), join(folder, "agent")];
  const [sessions, index] = [join(agentDir, "sessions"), join(agentDir, "sessiondb")];
  for (const each of [home, sessions, index]) mkdirSync(each, { recursive: true });
  for (const each of [sessions, index]) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=0700`, "none", each]);
  }
  const ledger = join(folder, "ledger");
  writeFileSync(ledger, "");
  const seed = Number(process.env.SESSIONDB_FUZZ_SEED ?? Date.now() % 1_000_000);
  const main = join(import.meta.dirname, "../../dist/src/cli/main.js");
  return new World({ folder, home, agentDir, sessions, index, ledger, main, seed });
}

class World {
  canary = "canarysoak";
  /** What happened, by name. */
  counts = {};
  /** The largest of each measure. */
  largest = {};
  /** What must not have happened. */
  notes = [];

  constructor(places) {
    Object.assign(this, places);
    this.random = places.seed;
  }

  /** A whole number below `limit`, the same for the same seed and order of asking. */
  below(limit) {
    this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.random / 2 ** 32) * limit);
  }

  count(name, by = 1) {
    this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  most(name, value) {
    this.largest[name] = Math.max(this.largest[name] ?? 0, value);
  }

  note(what) {
    console.log(`NOT AS PROMISED: ${what}`);
    this.notes.push(what);
  }

  /** Memory and descriptors of the daemon, and the logs of the databases. */
  measure(pid) {
    this.most("load for each core", Math.round((10 * loadavg()[0]) / availableParallelism()) / 10);
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      this.most("MB of the daemon", Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024));
      this.most("descriptors of the daemon", readdirSync(`/proc/${pid}/fd`).length);
    } catch (error) {
      if (!["ENOENT", "ESRCH", "EACCES"].includes(error.code)) throw error;
    }
    for (const name of ["index-v1.db-wal", "search-v1.db-wal"]) {
      const size = statSync(join(this.index, name), { throwIfNoEntry: false })?.size ?? 0;
      this.most(`MB of ${name}`, Math.round(size / 1e6));
    }
  }
}

// A daemon whose index lies on a disk of a few megabytes: a tmpfs in a user namespace of its own. Says each new
// state on a line, and on a line of its own what SQLite finds wrong in the index when its input ends.
//
//   unshare -Urm node test/daemon/small-disk-daemon.mjs <megabytes> <sessions root> <empty folder>
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Roots } from "../../build/daemon/components/roots.js";
import { Daemon } from "../../build/daemon/daemon.js";
import { syncAll } from "../../build/src/indexing/sync-run.js";
import { openIndex } from "../../build/src/store/open.js";

const [megabytes, root, folder] = process.argv.slice(2);
const mount = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "none", folder]);
if (mount.status !== 0) throw new Error(String(mount.stderr));
const ballast = join(folder, "ballast");
writeFileSync(ballast, Buffer.alloc(1024 * 1024 * (Number(megabytes) - 2)));

const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const controller = new AbortController();
process.stdin.once("data", () => rmSync(ballast));
process.stdin.on("end", () => controller.abort());

let last = "";
const say = (line) => {
  if (line !== last) writeSync(1, `${line}\n`);
  last = line;
};
const daemon = new Daemon({
  roots: new Roots([root]),
  location,
  intervals: { sweepMs: 300, tickMs: 100 },
  // The reserve would keep it from ever coming to the end of so small a disk.
  isDiskFull: () => false,
  onTurn: ({ state, degraded, lastSyncAt }) =>
    say(`${state} ${degraded ?? ""}${lastSyncAt ? " synced" : ""}`),
});
await daemon.run(controller.signal);
const index = openIndex(location);
const { files } = syncAll(index, [root]);
const count = index.database.prepare("SELECT count(*) FROM entries").pluck().get();
say(`check ${index.database.pragma("integrity_check", { simple: true })} ${count} ${files.indexed}`);
index.close();

// What a daemon can say of itself on a disk without any room: a tmpfs in a user namespace of its own. Prints what a reader
// sees after the disk was filled and the daemon has said something else.
//
//   unshare -Urm node test/daemon/full-disk-status.mjs <empty folder> <status> <longer status>
import { spawnSync } from "node:child_process";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readStatusFile, writeStatusFile } from "../../build/daemon/control/status-file.js";

const [folder, before, after] = process.argv.slice(2);
const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", folder]);
if (mount.status !== 0) throw new Error(String(mount.stderr));
writeStatusFile(folder, JSON.parse(before));
try {
  for (;;) appendFileSync(join(folder, "ballast"), Buffer.alloc(4096));
} catch (error) {
  if (error.code !== "ENOSPC") throw error;
}
writeStatusFile(folder, JSON.parse(after));
const longer = readStatusFile(folder);
writeStatusFile(folder, JSON.parse(before));
console.log(JSON.stringify([longer, readStatusFile(folder), readdirSync(folder).sort()]));

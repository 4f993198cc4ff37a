import { spawnSync } from "node:child_process";

/** Whether a process of ours may mount disks of its own: Linux with user namespaces. */
export const mayMount =
  process.platform === "linux" &&
  spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
if (!mayMount) console.warn("skipped: no user namespaces here, so no full disk");

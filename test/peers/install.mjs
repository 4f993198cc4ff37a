// Installs the peers (see package.json) when they are missing or the lock file has changed since.
// Offline machines go on without them, and the tests that need them are skipped; under CI=true that is a failure.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const stamp = join(here, "node_modules", ".installed-lock");
const lockHash = createHash("sha256")
  .update(readFileSync(join(here, "package-lock.json")))
  .digest("hex");

if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash) {
  console.log("test peers: up to date");
} else {
  install();
}

function install() {
  console.log("test peers: installing pi 1.6.0, pi 0.87.1, pi 0.73.1, ccusage 20.0.24 and ripgrep 15");
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: here,
    encoding: "utf8",
    // npm is a .cmd file on Windows, which only a shell can start.
    shell: process.platform === "win32",
  });
  if (npm.status === 0) {
    writeFileSync(stamp, lockHash);
    return;
  }
  const reason = npm.error?.message ?? npm.stderr.trim().split("\n")[0] ?? `exit code ${npm.status}`;
  console.log(`test peers: not installed, tests that need them are skipped (${reason})`);
  process.exitCode = process.env.CI === "true" ? 1 : 0;
}

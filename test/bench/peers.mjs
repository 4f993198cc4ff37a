/** The programs to compare with, and their paths: null for those that are not installed. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { project } from "./measure.mjs";

const modules = join(project, "test/peers/node_modules");

/** @typedef {{ name: string, path: string | null }} Peer */

/** @type {Record<string, Peer>} */
export const PEERS = {
  pi87: peer("pi 0.87.1", join(modules, "@earendil-works/pi-coding-agent/dist/core/session-manager.js")),
  pi73: peer("pi 0.73.1", join(modules, "@mariozechner/pi-coding-agent/dist/core/session-manager.js")),
  ccusage: peer("ccusage 20.0.24", join(modules, "@ccusage/ccusage-linux-x64/bin/ccusage")),
  ripgrep: { name: "ripgrep", path: process.env.BENCH_RIPGREP ?? onPath("rg") ?? installedRipgrep() },
  duckdb: { name: "DuckDB", path: process.env.BENCH_DUCKDB ?? onPath("duckdb") },
};

/** The installed releases of pi: one writes sessions, the other reads them. */
export const PI = [PEERS.pi73, PEERS.pi87].filter((pi) => pi.path !== null);

/** @param {string} name @param {string} path @returns {Peer} */
function peer(name, path) {
  return { name, path: existsSync(path) ? path : null };
}

function installedRipgrep() {
  const program = process.platform === "win32" ? "rg.exe" : "rg";
  const path = join(modules, `@vscode/ripgrep-${process.platform}-${process.arch}/bin`, program);
  return existsSync(path) ? path : null;
}

/** @param {string} program */
function onPath(program) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const path = folders.map((folder) => join(folder, program)).find((each) => existsSync(each));
  return path !== undefined && spawnSync(path, ["--version"]).status === 0 ? path : null;
}

/**
 * `npm start`: brings the index up to date and shows what there is. With no pi sessions on this machine it
 * does the same with the bundled samples, whose index goes below `dist/`, away from anything of the user's.
 */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveConfig } from "../../build/src/config/config.js";
import { locateSessionFiles } from "../../build/src/files/locate.js";
import { processEnvironment } from "../../build/src/runtime/env.js";

const main = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));
const samples = fileURLToPath(new URL("agent", import.meta.url));
const sampleAgent = fileURLToPath(new URL("../../dist/samples", import.meta.url));

/** Runs one command as the user would and returns its exit code. */
function sessiondb(...args) {
  return spawnSync(process.execPath, [main, ...args], { stdio: "inherit" }).status ?? 1;
}

function useSamples() {
  // Those of an older version may lie there.
  rmSync(join(sampleAgent, "sessions"), { recursive: true, force: true });
  cpSync(samples, sampleAgent, { recursive: true, preserveTimestamps: true });
  const place = relative(process.cwd(), sampleAgent);
  console.log(`No pi sessions on this machine: showing the bundled samples, copied to ${place}.\n`);
  return ["--agent-dir", sampleAgent];
}

const config = resolveConfig({ flags: {}, env: processEnvironment(), home: homedir(), cwd: process.cwd() });
const hasSessions = locateSessionFiles(config.roots).files.length > 0;
const where = hasSessions ? [] : useSamples();

let code = sessiondb("sync", ...where);
if (code === 0) code = sessiondb(...where);
if (code === 0 && !hasSessions) {
  console.log("\nWhat the samples have cost, day by day:\n");
  code = sessiondb("usage", "--all", ...where);
  const flags = where.map((word) => (word.startsWith("--") ? word : relative(process.cwd(), word))).join(" ");
  console.log(`\nTo ask the samples, add ${flags}: npx sessiondb search 中文 ${flags}`);
}
if (code === 0) console.log("\nRun it here as npx sessiondb; npm link puts sessiondb on your path.");
process.exitCode = code;

/**
 * `npm start`: brings the index up to date and shows what there is. With no pi sessions on this machine it
 * shows the same of the bundled samples.
 */
import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { resolveConfig } from "../../build/src/config/config.js";
import { locateSessionFiles } from "../../build/src/files/locate.js";
import { processEnvironment } from "../../build/src/runtime/env.js";

const main = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));

/** Runs one command as the user would and returns its exit code. */
function sessiondb(...args) {
  return spawnSync(process.execPath, [main, ...args], { stdio: "inherit" }).status ?? 1;
}

function showSamples() {
  console.log("No pi sessions on this machine: showing the bundled samples.\n");
  const code = sessiondb("demo");
  if (code !== 0) return code;
  console.log("\nWhat the samples have cost, day by day:\n");
  return sessiondb("demo", "usage", "--all");
}

const config = resolveConfig({ flags: {}, env: processEnvironment(), home: homedir(), cwd: process.cwd() });
const hasSessions = locateSessionFiles(config.roots).files.length > 0;
const code = hasSessions ? sessiondb("sync") || sessiondb() : showSamples();
if (code === 0) {
  const example = hasSessions ? "" : ", and npx sessiondb demo search 中文 asks the samples";
  console.log(`\nRun it here as npx sessiondb${example}; npm link puts sessiondb on your path.`);
}
process.exitCode = code;

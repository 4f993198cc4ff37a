import { existsSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Advice, Program } from "../panels/command-line.ts";

/** The program that comes in the same package as this extension. */
const OWN_PROGRAM = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));
/** That program as sources, where nothing was built, as in a package from git; Node runs these from 22.18 on. */
const OWN_SOURCES = fileURLToPath(new URL("../cli/main.ts", import.meta.url));
const OWN_FOLDER = fileURLToPath(new URL("../..", import.meta.url));
/** The message for a package that was cloned, where nothing can run its sources. */
const HOW_TO_BUILD = `sessiondb is not built; fix it with: cd "${OWN_FOLDER}" && npm install --include=dev && npm run build`;
/** The message for a package that was copied or cloned by hand. */
const HOW_TO_COMPLETE = `sessiondb lacks the packages it needs; fix it with: cd "${OWN_FOLDER}" && npm install --omit=dev`;
/** The message where the package's own program is there, but no Node to run it. */
const HOW_TO_RUN = "sessiondb needs Node, which is not on your path; install Node 20.19 or newer";

export function knownPrograms(): Program[] {
  const own = ownProgram();
  const installed = { command: "sessiondb", before: [] };
  return own === undefined ? [installed] : [{ command: nodeCommand(), before: [own] }, installed];
}

export function ownAdvice(): Advice {
  return { toStart: ownProgram() === undefined ? HOW_TO_BUILD : HOW_TO_RUN, toComplete: HOW_TO_COMPLETE };
}

function ownProgram(): string | undefined {
  const runsSources = Boolean(Reflect.get(process.features, "typescript"));
  return [OWN_PROGRAM, ...(runsSources ? [OWN_SOURCES] : [])].find((path) => existsSync(path));
}

/** The Node that runs pi, unless pi is an executable of its own. */
function nodeCommand(): string {
  return /^node(\.exe)?$/i.test(basename(process.execPath)) ? process.execPath : "node";
}

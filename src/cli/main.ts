#!/usr/bin/env node
import { homedir } from "node:os";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { processEnvironment } from "../config.ts";
import { codeOf } from "../errors.ts";
import { moduleBeside } from "../file/module-beside.ts";
import { ExitCode } from "./command.ts";
import { timezoneByDate } from "./own-clock.ts";
import { run } from "./run.ts";
import { Interrupts } from "./signals.ts";

/**
 * Old garbage is collected once it is a fifth of what is in use, not as much again and more. That takes no longer that
 * could be measured, and memory hardly grows with the number of files: 60,000 new ones take 60 MB less.
 */
setFlagsFromString("--heap-growing-percent=20");

const interrupts = new Interrupts();

/** The reader went away (`| head`): nothing is left to do, and that is not an error. */
function onOutputError(error: Error): void {
  if (codeOf(error) === "EPIPE") process.exit(ExitCode.done);
  process.stderr.write(`error: the output cannot be written: ${error.message}.\n`);
  // A terminal that was closed cannot be written to either.
  process.exit(interrupts.exitCode(ExitCode.failed));
}

/** In a container an arbitrary user may have no home; there it is the root, as elsewhere in containers. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch (error) {
    if (codeOf(error) === "ERR_SYSTEM_ERROR") return parse(process.execPath).root;
    throw error;
  }
}

function currentDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function moveToTrash(path: string): Promise<void> {
  const { default: trash } = await import("trash");
  await trash(path, { glob: false });
}

async function page(text: string): Promise<boolean> {
  const env = processEnvironment();
  const { pagerOf, showInPager } = await import("./pager.ts");
  const pager = pagerOf(env, process.platform);
  return pager !== null && showInPager(pager, text, env);
}

process.stdout.on("error", onOutputError);
// Nobody can be told, and what was asked for is done, or fails, all the same.
process.stderr.on("error", () => undefined);
const code = await run(process.argv.slice(2), {
  get stdin() {
    // Few commands ask for it, and to open it takes a millisecond.
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: processEnvironment(),
  home: homeDirectory(),
  cwd: currentDirectory(),
  now: Date.now,
  steady: () => performance.now(),
  timezoneOf: (name) => timezoneByDate(name, processEnvironment()),
  get sqlProgram() {
    return fileURLToPath(moduleBeside("../query/sql/sql-process", import.meta.url));
  },
  moveToTrash,
  page,
  interruptible: (work) => interrupts.around(work),
});
process.exitCode = interrupts.exitCode(code);

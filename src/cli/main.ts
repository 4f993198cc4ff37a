#!/usr/bin/env node
import { homedir } from "node:os";
import { parse } from "node:path";
import { fileURLToPath } from "node:url";
import { codeOf } from "../errors.ts";
import { processEnvironment } from "../runtime/env.ts";
import { moduleAt } from "../runtime/module-path.ts";
import { timezoneByDate } from "../time/zone.ts";
import { ExitCode } from "./command-line/command.ts";
import { run } from "./run.ts";
import { endWithTerminal, Interrupts } from "./terminal/signals.ts";

const interrupts = new Interrupts();

/** The reader went away (`| head`): nothing is left to do, and that is not an error. */
function onOutputError(error: Error): void {
  if (codeOf(error) === "EPIPE") process.exit(ExitCode.done);
  process.stderr.write(`error: the output cannot be written: ${error.message}.\n`);
  // Writing also fails on a terminal that was closed: then the exit code is that of the signal.
  process.exit(interrupts.exitCode(ExitCode.failed));
}

/** In a container a user may have no home; then it is the root folder, as usual in containers. */
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

async function showsLinks(): Promise<boolean> {
  const { default: supportsHyperlinks } = await import("supports-hyperlinks");
  return supportsHyperlinks.stdout;
}

async function page(text: string): Promise<boolean> {
  const env = processEnvironment();
  const { pagerOf, showInPager } = await import("./terminal/pager.ts");
  const pager = pagerOf(env, process.platform);
  return pager !== null && showInPager(pager, text, env);
}

process.stdout.on("error", onOutputError);
// The error cannot be shown, and the command goes on all the same.
process.stderr.on("error", () => undefined);
endWithTerminal();
const code = await run(process.argv.slice(2), {
  get stdin() {
    // Few commands need it, and opening it takes a millisecond.
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
    return fileURLToPath(moduleAt("src/reports/sql/sql-process"));
  },
  moveToTrash,
  page,
  showsLinks,
  interruptible: (work) => interrupts.around(work),
});
process.exitCode = interrupts.exitCode(code);

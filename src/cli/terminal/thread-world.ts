import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { processEnvironment } from "../../runtime/env.ts";
import { moduleAt } from "../../runtime/module-path.ts";
import { timezoneByDate } from "../../time/zone.ts";
import type { Collected } from "./collected.ts";
import type { World } from "./world.ts";

/** Where the questions of a thread come from. */
export interface ThreadPlace {
  home: string;
  cwd: string | undefined;
  /** Unix ms: the moment at which a demo stands; else null. */
  frozenAt: number | null;
}

/** A command line for the thread, and what came of it. */
export interface ThreadCommand {
  argv: readonly string[];
  /** Of the terminal that it seems to be printed on; undefined where it is none. */
  columns: number | undefined;
}
export interface ThreadEnd {
  stdout: string;
  stderr: string;
  code: number;
}

/** The world of a command that a thread runs: it reads nothing, what it writes is collected, and it deletes nothing. */
export function worldOf({ home, cwd, frozenAt }: ThreadPlace, stdout: Collected, stderr: Collected): World {
  const env = processEnvironment();
  return {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env,
    home,
    cwd,
    now: frozenAt === null ? Date.now : () => frozenAt,
    steady: () => performance.now(),
    timezoneOf: (name) => timezoneByDate(name, env),
    sqlProgram: fileURLToPath(moduleAt("src/reports/sql/sql-process")),
    moveToTrash: () => Promise.reject(new Error("a thread deletes nothing")),
    interruptible: (work) => work(new AbortController().signal),
  };
}

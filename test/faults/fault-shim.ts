import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PATIENCE_MS } from "../helpers/poll-until.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

export interface Fault {
  /** Writes, syncs, renames and cuts of files below this folder are counted. */
  below: string;
  /** The how-manieth of them; 0 lets everything pass. */
  at: number;
  what: "kill" | "stop" | "enospc" | "eio" | "short" | "torn";
  /** How many calls fail from there on; 1 unless told. */
  times?: number;
}

const folder = sharedTempDir("fault-shim-");
const library = join(folder, "fault-shim.so");
const source = join(import.meta.dirname, "fault-shim.c");

/** Whether there is a C compiler on a system that preloads libraries. */
export const canPreload =
  process.platform === "linux" &&
  spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]).status === 0;
if (!canPreload) console.warn("skipped: no C compiler here, so no faults at single writes");

/** Runs a Node program to its end while its writes are counted, and one of them meets the fault. */
export function runWithFault(args: readonly string[], fault: Fault): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    env: environmentOf(fault),
  });
}

/** Starts such a program, which stops itself there until it is sent SIGCONT. */
export function startWithFault(args: readonly string[], fault: Fault): ChildProcess {
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: environmentOf(fault) });
}

function environmentOf(fault: Fault): NodeJS.ProcessEnv {
  return {
    ...process.env,
    LD_PRELOAD: library,
    FAULT_BELOW: fault.below,
    FAULT_AT: String(fault.at),
    FAULT_DO: fault.what,
    FAULT_TIMES: String(fault.times ?? 1),
    FAULT_COUNT: join(folder, "count"),
  };
}

/** How many calls the last program made that came to its end. */
export function callsCounted(): number {
  return Number(readFileSync(join(folder, "count"), "utf8"));
}

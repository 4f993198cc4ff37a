import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cpuMs } from "../bench/watching/process.mjs";
import { peers } from "../helpers/peers.ts";
import type { Release } from "./pi.ts";
import type { Portrait } from "./portrait.mjs";

/** Damaged files can make pi loop, or gather memory until there is none: then it is stopped. Time of the processor. */
const DEADLINE_MS = 10_000;
const LOOK_MS = 200;
const HEAP_MB = 160;

export interface PortraitJob {
  source: string;
  dir: string;
}

/** pi's portraits of files, made in child processes; null for a file on which it never returned. */
export async function piPortraits(
  release: Release,
  jobs: readonly PortraitJob[],
): Promise<(Portrait | null)[]> {
  const portraits: (Portrait | null)[] = [];
  while (portraits.length < jobs.length) {
    const before = portraits.length;
    portraits.push(...(await portraitsUntilTrouble(release, jobs.slice(before))));
    if (portraits.length < jobs.length) portraits.push(null);
  }
  return portraits;
}

async function portraitsUntilTrouble(
  { version, peer }: Release,
  jobs: readonly PortraitJob[],
): Promise<Portrait[]> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      join(import.meta.dirname, "portrait-child.mjs"),
      version,
      peers[peer],
      ...jobs.map(({ source, dir }) => `${source}=${dir}`),
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  let worked = 0;
  const look = setInterval(() => {
    if (workOf(child.pid) - worked > DEADLINE_MS) child.kill("SIGKILL");
  }, LOOK_MS);
  child.on("exit", () => clearInterval(look));
  const portraits: Portrait[] = [];
  let unfinished = "";
  // Not by readline, which from Node 24 on ends lines within texts.
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    const lines = (unfinished + chunk).split("\n");
    unfinished = lines.pop() ?? "";
    if (lines.length === 0) continue;
    worked = workOf(child.pid);
    portraits.push(...lines.map((line) => JSON.parse(line)));
  }
  return portraits;
}

/** How long a process has worked, in ms: what others do meanwhile does not count where the system tells. */
function workOf(pid = 0): number {
  return existsSync(`/proc/${pid}/stat`) ? cpuMs(pid) : performance.now();
}

import { spawn } from "node:child_process";
import { join } from "node:path";
import { peers } from "../helpers/peers.ts";
import type { Portrait } from "./portrait.mjs";

/** Damaged files can make pi loop, or gather memory until there is none: then it is stopped. */
const DEADLINE_MS = 10_000;
const HEAP_MB = 160;

export interface PortraitJob {
  source: string;
  dir: string;
}

/** pi's portraits of files, made in child processes; null for a file on which it never returned. */
export async function piPortraits(jobs: readonly PortraitJob[]): Promise<(Portrait | null)[]> {
  const portraits: (Portrait | null)[] = [];
  while (portraits.length < jobs.length) {
    const before = portraits.length;
    portraits.push(...(await portraitsUntilTrouble(jobs.slice(before))));
    if (portraits.length < jobs.length) portraits.push(null);
  }
  return portraits;
}

async function portraitsUntilTrouble(jobs: readonly PortraitJob[]): Promise<Portrait[]> {
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      join(import.meta.dirname, "portrait-child.mjs"),
      peers.piSessionManagerModule,
      ...jobs.map(({ source, dir }) => `${source}=${dir}`),
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const stop = () => child.kill("SIGKILL");
  let deadline = setTimeout(stop, DEADLINE_MS);
  const portraits: Portrait[] = [];
  let unfinished = "";
  // Not by readline, which from Node 24 on ends lines within texts.
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    const lines = (unfinished + chunk).split("\n");
    unfinished = lines.pop() ?? "";
    if (lines.length === 0) continue;
    clearTimeout(deadline);
    deadline = setTimeout(stop, DEADLINE_MS);
    portraits.push(...lines.map((line) => JSON.parse(line)));
  }
  clearTimeout(deadline);
  return portraits;
}

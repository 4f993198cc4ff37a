/** A daemon while pi talks in other processes, and while nothing happens; its watcher compared with plain chokidar. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PEERS } from "../peers.mjs";
import { idle } from "../watching/idle.mjs";
import { lastOfBursts, untilVisible } from "../watching/latency.mjs";
import { besideChokidar } from "../watching/watchers.mjs";

/** @param {import("../bench.mjs").Place} place */
export async function watching(place) {
  if (process.platform !== "linux") throw new Error("the suite watching reads /proc: it needs Linux");
  return [
    ...(PEERS.pi73.path === null ? [] : await inStore(place, null, talking)),
    ...(await inStore(place, place.corpora.L.root, besideChokidar)),
    ...(await inStore(place, place.corpora.L.root, idle)),
  ];
}

async function talking(place, agentDir) {
  return [...(await untilVisible(place, agentDir)), ...(await lastOfBursts(place, agentDir))];
}

/** Measures in an agent directory of its own, with a copy of some sessions or none. */
async function inStore(place, sessions, measure) {
  const agentDir = mkdtempSync(join(place.dir, "watching-"));
  try {
    mkdirSync(join(agentDir, "sessions"));
    if (sessions !== null)
      cpSync(sessions, join(agentDir, "sessions"), { recursive: true, preserveTimestamps: true });
    return await measure(place, agentDir);
  } finally {
    rmSync(agentDir, { recursive: true, force: true });
  }
}

/** The daemon's watcher and plain chokidar, each in a process of its own, on the same 20,000 files. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { assertEqual } from "../measure.mjs";
import { timesLess } from "../rows.mjs";
import { Child } from "./child.mjs";
import { cpuMs } from "./process.mjs";

const RATE = 5000;
const SECONDS = 5;
/** How many files are written to at once: as many as anybody has conversations. */
const FILES = 50;

/** @param {import("../bench.mjs").Place} place @param {string} agentDir */
export async function besideChokidar(place, agentDir) {
  const root = join(agentDir, "sessions");
  const ours = await measure("ours", place, root);
  const theirs = await measure("chokidar", place, root);
  assertEqual("files heard of", ours.heard, FILES);
  const row = (what, unit, of, target) =>
    timesLess(what, { name: "chokidar", value: of(theirs) }, of(ours), target, unit);
  return [
    // The least is one for each folder; by what factor that is less depends on the corpus. `idle` checks that number.
    row("watching 20,000 files in 5,000 folders: watches", "watches", ({ watches }) => watches, null),
    row("the same: CPU to start", "ms", ({ startMs }) => startMs, 4),
    row("the same: memory", "MB", ({ memoryMb }) => memoryMb, 3),
    row(`the same: CPU at ${RATE.toLocaleString("en-US")} appends a second`, "%", ({ share }) => share, 10),
  ];
}

async function measure(who, { built }, root) {
  const watcher = new Child("watch.mjs", [who, built, root]);
  const appender = new Child("append.mjs", []);
  try {
    const started = await watcher.ready;
    await appender.ready;
    const cpu = cpuMs(watcher.pid);
    const began = performance.now();
    const { count } = await appender.ask({ files: someFiles(root), rate: RATE, seconds: SECONDS });
    assertEqual("appends, in thousands", Math.round(count / 1000), (RATE * SECONDS) / 1000);
    // Events that are still being dealt with count, too.
    await setTimeout(1000);
    const share = (100 * (cpuMs(watcher.pid) - cpu)) / (performance.now() - began - 1000);
    const { heard } = await watcher.ask();
    return { ...started, share, heard };
  } finally {
    await watcher.end();
    await appender.end();
  }
}

function someFiles(root) {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const every = Math.max(1, Math.floor(names.length / FILES));
  return names
    .sort()
    .filter((_, at) => at % every === 0)
    .slice(0, FILES)
    .map((name) => join(root, name));
}

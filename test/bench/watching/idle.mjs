/** What a daemon takes while nothing happens. Also checks that it leaves the sessions alone. */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { assertEqual, median } from "../measure.mjs";
import { timesAsMuch } from "../rows.mjs";
import { BenchDaemon } from "./daemon.mjs";
import { cpuMs, memoryMb, watchesOf } from "./process.mjs";
import { digestOf } from "./tree.mjs";

/** So long after the last text the full text is tidied, and memory is given back. */
const QUIET_MS = 60_000;
/** The longest time between two looks at everything, and a little of the next one. */
const SECONDS = 16 * 60;
const QUICK_SECONDS = 60;
/** A program that only wakes about as often as the daemon looks around. Where memory gets cold, that takes time by itself. */
const TIMER = "setInterval(() => {}, 5 * 60_000)";

/** @param {import("../bench.mjs").Place} place @param {string} agentDir */
export async function idle(place, agentDir) {
  const root = join(agentDir, "sessions");
  const seconds = place.quick ? QUICK_SECONDS : SECONDS;
  const before = digestOf(root);
  const daemon = new BenchDaemon(place, agentDir);
  const timer = spawn(process.execPath, ["-e", TIMER], { stdio: "ignore" });
  try {
    const pid = await daemon.start();
    await setTimeout(QUIET_MS);
    const cpu = { daemon: cpuMs(pid), timer: cpuMs(timer.pid) };
    const { atRest, most } = await memoryOver(pid, seconds);
    const shareOf = (ms) => ms / (10 * seconds);
    const share = shareOf(cpuMs(pid) - cpu.daemon);
    const timers = { name: "node with a timer of 5 minutes", value: shareOf(cpuMs(timer.pid) - cpu.timer) };
    const watches = watchesOf(pid);
    assertEqual("the session files and their folders", digestOf(root), before);
    const folders = { name: "folders", value: readdirSync(root).length };
    return [
      timesAsMuch("idle, 20,000 sessions in 5,000 folders: watches", folders, watches, 1.01, "watches"),
      timesAsMuch("the same: memory at rest", { name: "promised", value: 120 }, atRest, 1, "MB"),
      timesAsMuch("the same: memory while all is looked at", { name: "promised", value: 120 }, most, 1, "MB"),
      timesAsMuch(
        `the same: CPU, over ${seconds / 60} minutes`,
        { name: "promised", value: 0.1 },
        share,
        1,
        "%",
      ),
      timesAsMuch("the same", timers, share, null, "%"),
    ];
  } finally {
    timer.kill();
    daemon.end();
  }
}

/** Memory once a second: the median, and the most. */
async function memoryOver(pid, seconds) {
  const looks = [];
  for (let second = 0; second < seconds; second++) {
    looks.push(memoryMb(pid));
    await setTimeout(1000);
  }
  return { atRest: median(looks), most: Math.max(...looks) };
}

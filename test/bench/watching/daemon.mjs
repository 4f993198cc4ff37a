/** A daemon of the compiled program, with an agent directory of its own. */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { moduleAt } from "../measure.mjs";

/** By then a first index of 20,000 files is complete, searchable and merged. */
const READY_MS = 600_000;

export class BenchDaemon {
  #place;
  #agentDir;

  /** @param {import("../bench.mjs").Place} place @param {string} agentDir with `sessions` in it */
  constructor(place, agentDir) {
    this.#place = place;
    this.#agentDir = agentDir;
  }

  get location() {
    const folder = join(this.#agentDir, "sessiondb");
    return { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
  }

  /**
   * Starts the daemon, waits until all files have been looked at and are searchable, and resolves to its process id.
   */
  async start() {
    this.#run("start");
    const { askDaemon } = await moduleAt(join(this.#place.built, "daemon/control/lease.js"));
    for (const giveUpAt = performance.now() + READY_MS; performance.now() < giveUpAt; await setTimeout(100)) {
      const status = askDaemon(this.location);
      if (status?.state === "watching" && status.searchQueue === 0 && status.queue === 0) return status.pid;
    }
    throw new Error("the daemon does not come to rest");
  }

  stop() {
    if (existsSync(this.location.indexPath)) this.#run("stop");
  }

  /** Stops the daemon and removes its index. */
  end() {
    this.stop();
    rmSync(join(this.#agentDir, "sessiondb"), { recursive: true, force: true });
  }

  #run(action) {
    const args = [this.#place.main, "daemon", action, "--agent-dir", this.#agentDir];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`daemon ${action}: ${stderr}`);
  }
}

/**
 * Runs a work while a daemon keeps the index of a corpus up to date, and resolves to its result.
 * @template T
 * @param {import("../bench.mjs").Place} place
 * @param {string} agentDir
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function besideDaemon(place, agentDir, work) {
  const { isKeptUpToDate } = await moduleAt(join(place.built, "src/indexing/freshness-client.js"));
  // Without a folder for its socket a daemon cannot be asked.
  process.env.XDG_RUNTIME_DIR ??= place.dir;
  const daemon = new BenchDaemon(place, agentDir);
  await daemon.start();
  try {
    // The daemon first gives back the memory of its first look, and then comes to rest.
    await setTimeout(1000);
    const { XDG_RUNTIME_DIR: runtimeDir } = process.env;
    const question = { roots: [join(agentDir, "sessions")], exclude: [], runtimeDir };
    if (!(await isKeptUpToDate(daemon.location, question))) throw new Error("the daemon does not vouch");
    return await work();
  } finally {
    daemon.stop();
  }
}

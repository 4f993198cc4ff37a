import process from "node:process";
import type { MessagePort } from "node:worker_threads";

/** Bytes this process may hold, SQLite's included; its heap is bounded by an option of its own. */
const MEMORY_LIMIT = 512 * 1024 * 1024;
const WATCH_MS = 50;

/**
 * Ends the process when it holds too much memory, or is orphaned, which means that it is no longer a child of `parent`. In
 * a thread of its own it looks all the time; in the thread that is busy with SQLite, only between two batches.
 */
export function serve(_port: MessagePort, parent: number): void {
  setInterval(() => {
    if (process.ppid !== parent || process.memoryUsage.rss() > MEMORY_LIMIT)
      process.kill(process.pid, "SIGKILL");
  }, WATCH_MS);
}

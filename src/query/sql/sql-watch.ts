import process from "node:process";
import type { MessagePort } from "node:worker_threads";

/** Bytes this process may hold, SQLite's included; its heap is bounded by an option of its own. */
const MEMORY_LIMIT = 512 * 1024 * 1024;
const WATCH_MS = 50;

/**
 * Ends the process when it holds too much, or is orphaned: when `parent` is not whose child it is. In a thread beside the
 * one that is busy with SQLite it looks all the time, in that one only between two batches.
 */
export function serve(_port: MessagePort, parent: number): void {
  setInterval(() => {
    if (process.ppid !== parent || process.memoryUsage.rss() > MEMORY_LIMIT)
      process.kill(process.pid, "SIGKILL");
  }, WATCH_MS);
}

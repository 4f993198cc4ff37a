import type { Index } from "../store/open.ts";
import type { StopSignal } from "./stop-signal.ts";
import { LOOK_AGAIN_MS, type SyncResult, SyncRun, type SyncRunOptions } from "./sync-run.ts";
import { timeUp } from "./time-up.ts";

export interface SyncOptions extends SyncRunOptions {
  /** Unix ms, by the clock as it is now: stop at the first step boundary after it. */
  deadlineMs?: number;
  /** Stop at the next step boundary once it is aborted. */
  signal?: StopSignal;
}

/**
 * Brings the index up to date with everything below the roots: finds the files, removes what is gone, reads what is
 * new. Synchronous, also where it waits for a file that is just being rewritten (until a quarter of a second after its
 * last write); `SyncRun` does the same step by step.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing)
 */
export function syncAll(index: Index, roots: string[], options: SyncOptions = {}): SyncResult {
  const run = new SyncRun(index, roots, options);
  const isOver = timeUp(options);
  while (!isOver()) {
    if (run.step()) continue;
    if (!run.lookAgain()) break;
    sleep(LOOK_AGAIN_MS);
  }
  return run.result();
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

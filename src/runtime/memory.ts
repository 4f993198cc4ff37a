import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Memory for pages of one database connection of the daemon, in KiB: with more it was no faster. */
export const CACHE_KIB = 4 * 1024;

/**
 * When memory is given back: after a look at everything, if something was read since the last time. If nothing was, there
 * is little to give back, and to collect it takes a third as long as to look.
 */
export class MemoryReturn {
  /** To start takes memory, too. */
  #hasRead = true;
  #isDue = false;

  noteReading(): void {
    this.#hasRead = true;
  }

  noteSweep(): void {
    this.#isDue ||= this.#hasRead;
  }

  /** Does it when it is due. */
  giveBack(held: { shrink(): void } | null): void {
    if (!this.#isDue) return;
    this.#hasRead = false;
    this.#isDue = false;
    held?.shrink();
    collectGarbage();
  }
}

let collect: (() => void) | undefined;

/**
 * Has V8 give back what is garbage. By itself it does that when more memory is asked for, so that a process
 * that has worked and now waits would keep tens of megabytes for hours.
 */
function collectGarbage(): void {
  collect ??= findCollector();
  collect();
}

function findCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  if (typeof found !== "function") return () => undefined;
  return () => void found();
}

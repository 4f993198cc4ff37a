import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Memory for pages of one database connection of the daemon, in KiB: with more it was no faster. */
export const CACHE_KIB = 4 * 1024;

let collect: (() => void) | undefined;

/**
 * Has V8 give back what is garbage. By itself it does that when more memory is asked for, so that a process
 * that has worked and now waits would keep tens of megabytes for hours.
 */
export function collectGarbage(): void {
  collect ??= findCollector();
  collect();
}

function findCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  if (typeof found !== "function") return () => undefined;
  return () => void found();
}

import { existsSync, readFileSync } from "node:fs";

const IO = "/proc/self/io";

/** Linux counts the bytes a process has asked for and handed over; other systems do not. */
export const countsBytes = existsSync(IO);

/** Bytes read and written by this process so far, whether or not they came from a disk. */
export function bytesSoFar(): { read: number; written: number } {
  const text = readFileSync(IO, "utf8");
  const number = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(text)?.[1]);
  return { read: number("rchar"), written: number("wchar") };
}

/** Bytes that `bytesSoFar` reads itself. */
export function bytesOfCounting(): number {
  return readFileSync(IO).length;
}

/** Bytes that `work` reads. */
export function bytesReadBy(work: () => unknown): number {
  const before = bytesSoFar().read;
  work();
  return bytesSoFar().read - before;
}

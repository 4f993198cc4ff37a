import { execFileSync, spawnSync } from "node:child_process";

/** Whether this process may limit itself: Linux with util-linux. */
export const canLimitFileSize =
  process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0;

/**
 * Runs `write` while no file can grow beyond `bytes`, as on a full disk: a write that goes further is cut
 * short at the limit, the next one fails with EFBIG. Other processes are not concerned.
 */
export function withFileSizeLimit<T>(bytes: number, write: () => T): T {
  limitTo(String(bytes));
  try {
    return write();
  } finally {
    limitTo("unlimited");
  }
}

/** The soft limit only, which may be raised again. */
function limitTo(bytes: string): void {
  execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
}

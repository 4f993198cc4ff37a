import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { expect } from "vitest";

/** Whether this process may limit itself: Linux with util-linux. */
export const canLimit = process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0;
if (!canLimit) console.warn("skipped: no prlimit here, so no lack of room or of descriptors");

/**
 * Runs `write` while no file can grow beyond `bytes`, as on a full disk: a write that goes further is cut
 * short at the limit, the next one fails with EFBIG. Other processes are not affected.
 */
export function withFileSizeLimit<T>(bytes: number, write: () => T): T {
  return withLimit("fsize", bytes, write);
}

/** Runs `work` while this process cannot open another file. */
export function withoutDescriptors<T>(work: () => T): T {
  return withLimit("nofile", 200, () => {
    const taken: number[] = [];
    try {
      expect(() => {
        for (;;) taken.push(openSync("/dev/null", "r"));
      }).toThrow("EMFILE");
      return work();
    } finally {
      for (const fd of taken) closeSync(fd);
    }
  });
}

/** Sets the soft limit only, which can be raised again to its former value. */
function withLimit<T>(name: "fsize" | "nofile", value: number, work: () => T): T {
  const own = ["--pid", String(process.pid)];
  const asked = [...own, `--${name}`, "-o", "SOFT", "--noheadings"];
  const before = execFileSync("prlimit", asked, { encoding: "utf8" }).trim();
  const limitTo = (limit: string) => execFileSync("prlimit", [...own, `--${name}=${limit}:`]);
  limitTo(String(value));
  try {
    return work();
  } finally {
    limitTo(before);
  }
}

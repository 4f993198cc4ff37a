import { execFileSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { expect } from "vitest";

/** Does it while this process may not open another file. Needs `prlimit`, as `canLimitFileSize` does. */
export function withoutDescriptors<T>(work: () => T): T {
  const own = ["--pid", String(process.pid)];
  const soft = execFileSync("prlimit", [...own, "--nofile", "-o", "SOFT", "--noheadings"], {
    encoding: "utf8",
  });
  const limit = (value: string) => execFileSync("prlimit", [...own, `--nofile=${value.trim()}:`]);
  limit("200");
  const taken: number[] = [];
  try {
    expect(() => {
      for (;;) taken.push(openSync("/dev/null", "r"));
    }).toThrow("EMFILE");
    return work();
  } finally {
    for (const fd of taken) closeSync(fd);
    limit(soft);
  }
}

import { renameSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** Moves a damaged database out of the way, as `<path>.damaged`; the next opening makes a new one. */
export function putAside(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      renameSync(path + suffix, `${path}.damaged${suffix}`);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}

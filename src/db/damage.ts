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

/** Whether an error's code says that a database cannot be read as what it was; a short read means that its end is missing. */
export function isDamage(code: string): boolean {
  return code === "index_corrupt" || /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(code);
}

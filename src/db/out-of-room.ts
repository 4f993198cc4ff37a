import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../errors.ts";

/** Whether an error's code says that the disk is full; the log of a database wants room even where it is only read. */
export function isOutOfRoom(code: string): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code);
}

/** Whether no file can be made any more beside that one, however much room there is. Not every file system counts them. */
export function hasNoInodes(path: string): boolean {
  try {
    const { files, ffree } = statfsSync(dirname(path));
    return files > 0 && ffree === 0;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return false;
  }
}

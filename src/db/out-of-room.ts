import { closeSync, openSync, statfsSync } from "node:fs";
import { devNull } from "node:os";
import { dirname } from "node:path";
import { codeOf, isNoDescriptor } from "../errors.ts";

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

/** A process that cannot open so many files more has run out: a database takes up to four of them. */
const FEWEST_FILES = 8;

/**
 * Where files that may be open at once are what is lacking: `EMFILE` for those of this process, `ENFILE` for those of all;
 * else null. SQLite does not say so.
 */
export function descriptorShortage(code: string): string | null {
  if (isNoDescriptor(code)) return code;
  return code.startsWith("SQLITE_CANTOPEN") ? shortageNow() : null;
}

function shortageNow(): string | null {
  const opened: number[] = [];
  try {
    while (opened.length < FEWEST_FILES) opened.push(openSync(devNull, "r"));
    return null;
  } catch (error) {
    return isNoDescriptor(codeOf(error)) ? codeOf(error) : null;
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

import { closeSync, openSync, statfsSync } from "node:fs";
import { devNull } from "node:os";
import { dirname } from "node:path";
import { codeOf, isNoDescriptor } from "../errors.ts";

/** Whether an error's code says that the disk is full; even reading a database needs room, for its log. */
export function isOutOfRoom(code: string): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/.test(code);
}

/** Whether no more files can be made beside this one, however much room is left. Not every file system has such a limit. */
export function hasNoInodes(path: string): boolean {
  try {
    const { files, ffree } = statfsSync(dirname(path));
    return files > 0 && ffree === 0;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return false;
  }
}

/** A process that cannot open this many more files counts as having run out: a database takes up to four. */
const FEWEST_FILES = 8;

/**
 * Whether an error comes of too many open files: `EMFILE` when this process has too many, `ENFILE` when all together have,
 * else null. SQLite's own codes do not say so.
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

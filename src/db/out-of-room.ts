import { closeSync, openSync, statfsSync } from "node:fs";
import { devNull } from "node:os";
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

/** A process that cannot open so many files more has run out: a database takes up to four of them. */
const FEWEST_FILES = 8;

/** Whether it is files that may be open at once of which there are too few; SQLite does not say so. */
export function isOutOfDescriptors(code: string): boolean {
  return isNoDescriptor(code) || (code.startsWith("SQLITE_CANTOPEN") && lacksDescriptors());
}

function isNoDescriptor(code: string): boolean {
  return code === "EMFILE" || code === "ENFILE";
}

function lacksDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < FEWEST_FILES) opened.push(openSync(devNull, "r"));
    return false;
  } catch (error) {
    return isNoDescriptor(codeOf(error));
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

import { existsSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** So often a database is opened that is deleted, and its folder with it, at that very moment. */
export const ATTEMPTS = 3;

const MAY_BE_GONE = /^(ENOENT|SQLITE_(CANTOPEN|IOERR|READONLY_DBMOVED).*)$/;

/** Whether a database could not be opened because it was deleted meanwhile: it can be made again. */
export function isGone(error: unknown, path: string): boolean {
  return MAY_BE_GONE.test(codeOf(error)) && !existsSync(path);
}

import { existsSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** How often opening is tried when the database, or its folder, is deleted at that very moment. */
export const ATTEMPTS = 3;

const MAY_BE_GONE = /^(ENOENT|SQLITE_(CANTOPEN|IOERR).*)$/;

/** The file that was opened is not at its path any more; or somebody else has already removed the log it left there. */
const IS_GONE = /^SQLITE_(READONLY_DBMOVED|IOERR_DELETE_NOENT)$/;

/** Whether a database could not be opened because it was deleted or replaced meanwhile: it can be opened, or made, again. */
export function isGone(error: unknown, path: string): boolean {
  const code = codeOf(error);
  return IS_GONE.test(code) || (MAY_BE_GONE.test(code) && !existsSync(path));
}

import { createRequire } from "node:module";
import type DatabaseConstructor from "better-sqlite3";
import { codeOf, SessionDbError } from "../errors.ts";

export type { Database, Statement } from "better-sqlite3";

const require = createRequire(import.meta.url);

/**
 * Loads better-sqlite3 when it is first needed, so that what can do without it works where its native part is
 * missing or built for another Node.
 *
 * @throws SessionDbError `native_missing`
 */
export function loadSqlite(): typeof DatabaseConstructor {
  try {
    return require("better-sqlite3");
  } catch (error) {
    throw nativeMissing(error);
  }
}

/** better-sqlite3 loads its binary with the first connection, so opening one can fail in the same way. */
export function isNativeProblem(error: unknown): boolean {
  if (codeOf(error) === "ERR_DLOPEN_FAILED") return true;
  return error instanceof Error && error.message.startsWith("Could not locate the bindings file");
}

export function nativeMissing(cause: unknown): SessionDbError {
  return new SessionDbError("native_missing", `better-sqlite3 cannot be loaded on Node ${process.version}`, {
    cause,
    hint: "Run `npm rebuild better-sqlite3` in the folder where pi-sessiondb is installed, with this Node.",
  });
}

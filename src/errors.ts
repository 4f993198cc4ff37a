/**
 * The kinds of errors:
 * `usage`: the caller asked for something that makes no sense;
 * `not_found`;
 * `ambiguous`: a name that stands for several things; the error's `choices` are lines about the first of them;
 * `busy`: another process holds the database, or has changed a session file while it was opened; trying again helps;
 * `index_newer`: the database was written by a newer program;
 * `index_foreign`: the file is another program's database, or the full text where the index belongs, or the reverse;
 * `index_corrupt`: the index is damaged, or the file is no database; it can be made anew from the session files;
 * `native_missing`: better-sqlite3 cannot be loaded on this Node;
 * `node_too_old`: the command line does not run on this Node;
 * `not_a_session`;
 * `refused`: a statement that could do more than read;
 * `sql`: a statement that SQLite rejects;
 * `timeout`;
 * `io`: the file system refused something, or a session file is another one, or shorter, than when it was opened, or a
 *   file of the index is not there any more.
 */
export type ErrorCode =
  | "usage"
  | "not_found"
  | "ambiguous"
  | "busy"
  | "index_newer"
  | "index_foreign"
  | "index_corrupt"
  | "native_missing"
  | "node_too_old"
  | "not_a_session"
  | "refused"
  | "sql"
  | "timeout"
  | "io";

export interface ErrorDetails {
  /** What the reader can do about it, as a sentence. */
  hint?: string;
  /**
   * The things to choose from, where the hint asks for that: lines to be shown, for the first few, then how many more.
   */
  choices?: readonly string[];
  cause?: unknown;
}

/**
 * The one error class of this project. Bad input in a session file is a value, never an error; an
 * operation that cannot be done is a `SessionDbError`; everything else that is thrown is a bug.
 */
export class SessionDbError extends Error {
  readonly code: ErrorCode;
  /** What the reader can do about it, as a sentence. */
  readonly hint: string | undefined;
  /**
   * The things to choose from, where the hint asks for that, as lines to be shown: for an `ambiguous` name the first
   * ten candidates, each with its id or path and what else tells it from the others, then how many more there are (`and
   * 3 more`). Empty for other errors.
   */
  readonly choices: readonly string[];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "SessionDbError";
    this.code = code;
    this.hint = details.hint;
    this.choices = details.choices ?? [];
  }
}

/** The `code` of a Node or SQLite error (`ENOENT`, `SQLITE_BUSY`), or the empty string. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** What an error says; whatever else was thrown, as a text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a code says that no more files may be open at once, in this process or in all together. */
export function isNoDescriptor(code: string): boolean {
  return code === "EMFILE" || code === "ENFILE";
}

/** The hint for these codes. */
export const MORE_FILES = "Raise the limit (ulimit -n), or close the program that has so many open.";

/** Whether an error comes from the system (`ENOENT`, `EACCES`, `E2BIG`), and not from Node itself (`ERR_...`). */
export function isSystemError(error: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(codeOf(error));
}

/** Whether an error comes from SQLite. */
export function isSqliteError(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_");
}

/** Whether SQLite says that another connection was in the way: trying again helps. */
export function isSqliteBusy(error: unknown): boolean {
  return codeOf(error).startsWith("SQLITE_BUSY");
}

/** More than this would hide the error. */
const MOST_CHOICES = 10;

/** The things an ambiguous name may stand for, one a line, then how many more there are. `describe` must mask secrets. */
export function choicesOf<T>(found: readonly T[], describe: (each: T) => string): string[] {
  const choices = found.slice(0, MOST_CHOICES).map(describe);
  const left = found.length - choices.length;
  return left > 0 ? [...choices, `and ${left} more`] : choices;
}

/**
 * Returns what `read` gives; undefined where a file or folder is gone or may not be read, which must not keep others
 * from being found.
 */
export function unlessUnreadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

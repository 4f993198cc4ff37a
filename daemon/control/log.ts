import { closeSync, constants, openSync, renameSync, statSync, writeSync } from "node:fs";
import { codeOf } from "../../src/errors.ts";

/** What may stand in a log line: paths, sizes, codes, counts. Never text from a transcript. */
export type LogFields = Record<string, string | number | boolean | null>;

export interface Log {
  write(event: string, fields?: LogFields): void;
}

/** For those who want none. */
export const SILENT: Log = { write: () => undefined };

const MAX_BYTES = 1024 * 1024;
/** Never through a link that somebody may have put there; Windows has no such flag. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/** Where the log goes when it is full. */
export function rotatedPathOf(path: string): string {
  return `${path}.1`;
}

/** One JSON object a line, in a file of its owner's; when it is full it takes the place of the last one. */
export class LogFile implements Log {
  readonly path: string;
  readonly #now: () => number;
  readonly #maxBytes: number;
  #size: number;

  constructor(path: string, options: { now?: () => number; maxBytes?: number } = {}) {
    this.path = path;
    this.#now = options.now ?? Date.now;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    this.#size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(event: string, fields: LogFields = {}): void {
    const time = new Date(this.#now()).toISOString();
    const line = `${JSON.stringify({ time, event, ...fields })}\n`;
    const bytes = Buffer.byteLength(line);
    try {
      if (this.#size > 0 && this.#size + bytes > this.#maxBytes) this.#rotate();
      this.#append(line);
    } catch (error) {
      // A log that cannot be written is no reason to end: what it would have said is in the status too.
      if (!cannotWrite(error)) throw error;
      return;
    }
    this.#size += bytes;
  }

  #append(line: string): void {
    const fd = openSync(this.path, APPEND, 0o600);
    try {
      writeSync(fd, line);
    } finally {
      closeSync(fd);
    }
  }

  #rotate(): void {
    if (statSync(this.path, { throwIfNoEntry: false })) renameSync(this.path, rotatedPathOf(this.path));
    this.#size = 0;
  }
}

/** A full or broken disk, a folder that was taken away or closed, a link or a file in the way, too many open files. */
export function cannotWrite(error: unknown): boolean {
  return /^(ENOSPC|EDQUOT|EIO|EROFS|EACCES|EPERM|ENOENT|ENOTDIR|ELOOP|EEXIST|EMFILE|ENFILE)$/.test(
    codeOf(error),
  );
}

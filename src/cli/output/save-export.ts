import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { codeOf, isSystemError, SessionDbError, unlessUnreadable } from "../../errors.ts";
import { absolutePath, endOfLinks, realPathOrNull } from "../../files/paths.ts";
import { isWithin } from "../../files/session-path.ts";
import { Interrupted } from "../../runtime/cancellation.ts";
import { type Args, textOf } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";

/** Pieces smaller than this are written together. */
const ENOUGH = 256 * 1024;

/** The file that an option names, to be written to; undefined for stdout. Never a place among the sessions. */
export function targetOf({ config, world }: Context, args: Args, option: string): string | undefined {
  const text = textOf(args, option);
  if (text === undefined || text === "-") return undefined;
  const path = absolutePath(text, `--${option}`, world);
  const place = realPathOrNull(path) ?? placeOfNew(unlessUnreadable(() => endOfLinks(path)) ?? path);
  const among = config.roots.some((root) => isWithin(realPathOrNull(root) ?? root, place));
  if (!among) return path;
  throw new SessionDbError("usage", `${path} is inside a sessions folder`, {
    hint: "Choose another folder.",
  });
}

function placeOfNew(path: string): string {
  return join(realPathOrNull(dirname(path)) ?? dirname(path), basename(path));
}

/**
 * Writes a file that only its owner can read, in place of what stood there: whole or not at all. A link leads to the
 * file that is written; what is not a file (a device, a FIFO) is written into, never replaced.
 *
 * @throws SessionDbError `io`; Interrupted when `signal` ended it
 */
export async function writePrivateFile(
  path: string,
  pieces: Iterable<string | Buffer>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there === undefined) await replace(endOfLinks(path), pieces, signal);
    else if (there.isFile()) await replace(realpathSync(path), pieces, signal);
    else await writeTo(openSync(path, constants.O_WRONLY), pieces, signal);
  } catch (error) {
    const code = codeOf(error);
    if (!isSystemError(error)) throw error;
    throw new SessionDbError("io", `${path} cannot be written (${code})`, {
      hint: "Choose a file in a folder that exists, has free space and is writable.",
      cause: error,
    });
  }
}

async function replace(path: string, pieces: Iterable<string | Buffer>, signal: AbortSignal): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  const fd = openSync(beside, "wx", 0o600);
  try {
    await writeTo(fd, pieces, signal);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Closes what it has written to. */
async function writeTo(fd: number, pieces: Iterable<string | Buffer>, signal: AbortSignal): Promise<void> {
  try {
    for (const bytes of gathered(pieces)) {
      writeWhole(fd, bytes);
      // Signals are heard between the turns of the event loop.
      await setImmediate();
      if (signal.aborted) throw new Interrupted("nothing was written");
    }
  } finally {
    closeSync(fd);
  }
}

/** Few large pieces out of many small ones. */
export function* gathered(pieces: Iterable<string | Buffer>): Generator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    waiting.push(bytes);
    length += bytes.length;
    if (length < ENOUGH) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    length = 0;
  }
  yield Buffer.concat(waiting);
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

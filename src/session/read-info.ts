/** What a list shows of one session, read from its file. */
import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { setImmediate as pause } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import type { LineReader } from "../file/lines.ts";
import { unlessUnreadable } from "../file/unreadable.ts";
import { readInSteps } from "./load.ts";
import { NO_MESSAGES, type SessionInfo, SessionInfoBuilder, type SessionTexts } from "./session-info.ts";

/** Null for what is not a session or cannot be read: one bad file must not end the list. */
export async function readInfo(
  path: string,
  reader: LineReader,
  signal: AbortSignal | undefined,
): Promise<SessionInfo | null> {
  try {
    return await readOpenable(path, reader, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (codeOf(error) === "") throw error;
    return null;
  }
}

/** What is said in a session file now; nothing when it cannot be read any more. */
export function readTexts(path: string): SessionTexts {
  const info = unlessUnreadable(() => withFile(path, (fd, stats) => infoAt(path, { fd, stats })));
  return info ?? NOTHING;
}

const NOTHING: SessionTexts = { firstMessage: NO_MESSAGES, allMessagesText: "" };

function infoAt(path: string, { fd, stats }: { fd: number; stats: Stats }): SessionInfo | null {
  const builder = new SessionInfoBuilder();
  for (const { entries } of readInSteps(fd, stats.size)) {
    for (const entry of entries) if (!builder.add(entry)) return null;
  }
  return builder.build(path, stats.mtime);
}

/** Files are read in steps, with a pause after each in which the program can do other things. */
async function readOpenable(
  path: string,
  reader: LineReader,
  signal: AbortSignal | undefined,
): Promise<SessionInfo | null> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    const builder = new SessionInfoBuilder();
    for (const { entries } of readInSteps(fd, stats.size, 0, reader)) {
      for (const entry of entries) if (!builder.add(entry)) return null;
      await pause();
      signal?.throwIfAborted();
    }
    return builder.build(path, stats.mtime);
  } finally {
    closeSync(fd);
  }
}

function withFile<T>(path: string, use: (fd: number, stats: Stats) => T): T {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return use(fd, fstatSync(fd));
  } finally {
    closeSync(fd);
  }
}

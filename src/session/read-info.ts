/** What a list shows of one session, read from its file. */
import { closeSync, fstatSync } from "node:fs";
import { setImmediate as pause } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import type { LineReader } from "../file/lines.ts";
import { openForReading } from "../file/open-file.ts";
import { unlessUnreadable } from "../file/unreadable.ts";
import { NO_MESSAGES } from "../text/preview.ts";
import { readInSteps } from "./load.ts";
import { type SessionInfo, SessionInfoBuilder, type SessionTexts } from "./session-info.ts";

/** Null for a file that is no session or cannot be read: one bad file must not end the list. */
export async function readInfo(
  path: string,
  reader: LineReader,
  signal: AbortSignal | undefined,
): Promise<SessionInfo | null> {
  let info: SessionInfo | null = null;
  try {
    for (info of infoInSteps(path, reader)) {
      await pause();
      signal?.throwIfAborted();
    }
    return info;
  } catch (error) {
    signal?.throwIfAborted();
    if (codeOf(error) === "") throw error;
    return null;
  }
}

/** The messages in a session file as text, as it is now; nothing when it cannot be read any more. */
export function readTexts(path: string): SessionTexts {
  const info = unlessUnreadable(() => [...infoInSteps(path)].at(-1));
  return info ?? NOTHING;
}

const NOTHING: SessionTexts = { firstMessage: NO_MESSAGES, allMessagesText: "" };

/** Reads a file in steps, so that a program can do other things after each; the last step gives the info. */
function* infoInSteps(path: string, reader?: LineReader): Generator<SessionInfo | null> {
  const fd = openForReading(path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return;
    const builder = new SessionInfoBuilder();
    for (const { entries } of readInSteps(fd, stats.size, 0, reader)) {
      for (const entry of entries) if (!builder.add(entry)) return;
      yield null;
    }
    yield builder.build(path, stats.mtime);
  } finally {
    closeSync(fd);
  }
}

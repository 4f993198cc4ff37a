import { setTimeout as pause } from "node:timers/promises";

/** Until giving up: a minute, which costs nothing as long as tests pass. */
export const PATIENCE_MS = 60_000;

export interface PollOptions {
  /** Names the condition, for the error. */
  what?: string;
  /** Milliseconds until giving up, by default `PATIENCE_MS`. */
  deadline?: number;
  /** Milliseconds between two looks. */
  every?: number;
}

type Absent = undefined | null | false;

/**
 * Calls `look` until it gives something other than undefined, null or false, and returns that. Throws when the
 * deadline has passed, and what `look` throws. The one way for a test to wait: never a fixed sleep.
 */
export async function pollUntil<T>(
  look: () => T | Absent | Promise<T | Absent>,
  { what = "the condition", deadline = PATIENCE_MS, every = 5 }: PollOptions = {},
): Promise<T> {
  const giveUpAt = performance.now() + deadline;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    if (performance.now() >= giveUpAt) throw new Error(`Gave up waiting for ${what} after ${deadline} ms.`);
    await pause(every);
  }
}

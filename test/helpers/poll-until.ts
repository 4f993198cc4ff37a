import { setTimeout as pause } from "node:timers/promises";

/** Until giving up: on a slow machine with much to do a program alone can take a minute. It costs nothing as long as tests pass. */
export const PATIENCE_MS = 100_000;

export interface PollOptions {
  /** Names the condition, for the error. */
  what?: string;
  /** Milliseconds until giving up, by default `PATIENCE_MS`. */
  deadline?: number;
  /** Milliseconds between two looks; by default more and more, in proportion to what it has taken so far. */
  every?: number;
}

/** A look can open a database, or start a program: others shall get on meanwhile. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** As a share of the time that has passed: how much later than need be it is seen at most. */
const DELAY = 0.1;

type Absent = undefined | null | false;

/**
 * Calls `look` until it gives something other than undefined, null or false, and returns that. Throws when the
 * deadline has passed, and what `look` throws. The one way for a test to wait: never a fixed sleep.
 */
export async function pollUntil<T>(
  look: () => T | Absent | Promise<T | Absent>,
  { what = "the condition", deadline = PATIENCE_MS, every }: PollOptions = {},
): Promise<T> {
  const began = performance.now();
  const nextPause = () =>
    Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, DELAY * (performance.now() - began)));
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    if (performance.now() - began >= deadline)
      throw new Error(`Gave up waiting for ${what} after ${deadline} ms.`);
    await pause(every ?? nextPause());
  }
}

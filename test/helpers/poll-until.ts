import { setTimeout as pause } from "node:timers/promises";

export interface PollOptions {
  /** Names what is waited for, in the error. */
  what?: string;
  /** Milliseconds until giving up; a minute unless told, because it costs nothing where all is well. */
  deadline?: number;
  /** Milliseconds between two looks. */
  every?: number;
}

type Absent = undefined | null | false;

/**
 * Looks until `look` gives something other than undefined, null or false, and returns that; throws when
 * the deadline has passed. The one way for a test to wait: never a fixed sleep. What `look` throws ends it.
 */
export async function pollUntil<T>(
  look: () => T | Absent | Promise<T | Absent>,
  { what = "the condition", deadline = 60_000, every = 5 }: PollOptions = {},
): Promise<T> {
  const giveUpAt = performance.now() + deadline;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen;
    if (performance.now() >= giveUpAt) throw new Error(`Gave up waiting for ${what} after ${deadline} ms.`);
    await pause(every);
  }
}

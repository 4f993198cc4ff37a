import { setTimeout as pause } from "node:timers/promises";

const EVERY_MS = 20;

/** Looks again and again until there is something, at most `withinMs`; gives what there is, or false. */
export async function until<T>(look: () => T | false, withinMs: number): Promise<T | false> {
  for (const giveUpAt = performance.now() + withinMs; ; await pause(EVERY_MS)) {
    const seen = look();
    if (seen !== false || performance.now() >= giveUpAt) return seen;
  }
}

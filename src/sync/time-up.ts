import type { StopSignal } from "./stop-signal.ts";

export interface Limits {
  /** Unix ms, by the clock when the work begins: setting the clock later changes nothing. */
  deadlineMs?: number | undefined;
  /** Ends the work at once. */
  signal?: StopSignal | undefined;
}

/** Returns a function to be called between the steps of some work: whether the work has to end. */
export function timeUp(limits: Limits): () => boolean {
  const left = timeLeft(limits);
  return () => left() === 0;
}

/** The same for work that waits: the function tells how many ms are left, 0 when the work has to end. */
export function timeLeft({ deadlineMs = Number.POSITIVE_INFINITY, signal }: Limits): () => number {
  const end = performance.now() + (deadlineMs - Date.now());
  return () => (signal?.aborted ? 0 : Math.max(0, end - performance.now()));
}

import type { StopSignal } from "./stop-signal.ts";

export interface Limits {
  /** Unix ms, by the clock as it is when the work begins: to set the clock meanwhile changes nothing. */
  deadlineMs?: number | undefined;
  /** Ends the work at once. */
  signal?: StopSignal | undefined;
}

/** A question to be asked between the steps of some work: whether it has to end. */
export function timeUp(limits: Limits): () => boolean {
  const left = timeLeft(limits);
  return () => left() === 0;
}

/** The same for work that waits: how many ms it still has, 0 when it has to end. */
export function timeLeft({ deadlineMs = Number.POSITIVE_INFINITY, signal }: Limits): () => number {
  const end = performance.now() + (deadlineMs - Date.now());
  return () => (signal?.aborted ? 0 : Math.max(0, end - performance.now()));
}

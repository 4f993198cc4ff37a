import type { StopSignal } from "./stop-signal.ts";

export interface Limits {
  /** Unix ms, by the clock as it is when the work begins: to set the clock meanwhile changes nothing. */
  deadlineMs?: number | undefined;
  /** Ends the work at once. */
  signal?: StopSignal | undefined;
}

/** A question to be asked between the steps of some work: whether it has to end. */
export function timeUp({ deadlineMs = Number.POSITIVE_INFINITY, signal }: Limits): () => boolean {
  const end = performance.now() + (deadlineMs - Date.now());
  return () => signal?.aborted === true || performance.now() >= end;
}

/** Thrown when Ctrl-C, or a signal like it, has stopped work between two of its steps. */
export class Interrupted extends Error {
  constructor(outcome = "what is indexed so far is kept, and the next run continues from there") {
    super(`interrupted; ${outcome}`);
    this.name = "Interrupted";
  }
}

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

/** For work that waits: the function tells how many ms are left, 0 when the work has to end. */
export function timeLeft({ deadlineMs = Number.POSITIVE_INFINITY, signal }: Limits): () => number {
  const end = performance.now() + (deadlineMs - Date.now());
  return () => (signal?.aborted ? 0 : Math.max(0, end - performance.now()));
}

/** Tells another thread, in the middle of its work, that it is to end. */
export class StopFlag implements StopSignal {
  /** To be handed to the other thread, which makes a flag of its own of it. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  get aborted(): boolean {
    return Atomics.load(this.shared, 0) !== 0;
  }

  raise(): void {
    Atomics.store(this.shared, 0, 1);
  }
}

/** Says that work is to end at its next step. An `AbortSignal` is one; so is a flag that two threads share. */
export type StopSignal = Pick<AbortSignal, "aborted">;

import type { StopSignal } from "./stop-signal.ts";

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

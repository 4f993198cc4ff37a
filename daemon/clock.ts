/** Two clocks, because only one of them can be set. */
export interface Clock {
  /** Unix ms; may jump. */
  wall(): number;
  /** Milliseconds since some moment; only ever goes on, but may stand still while the machine sleeps. */
  steady(): number;
}

export const CLOCK: Clock = { wall: Date.now, steady: () => performance.now() };

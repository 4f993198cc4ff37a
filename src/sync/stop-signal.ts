/** Says that work is to end at its next step. An `AbortSignal` is one; so is a flag that two threads share. */
export type StopSignal = Pick<AbortSignal, "aborted">;

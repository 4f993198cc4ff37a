import { Tape } from "../../src/format/tape/tape.ts";

/** The tape of a line that is understood. */
export function taped(line: Buffer | string): Tape {
  const tape = new Tape();
  if (!tape.scan(Buffer.from(line as string))) throw new Error(`not understood: ${line}`);
  return tape;
}

/** The place of the value of the first field of the line. */
export function firstValue(tape: Tape): number {
  return tape.after(tape.within(0));
}

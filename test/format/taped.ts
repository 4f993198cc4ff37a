import { LineTape } from "../../src/format/line-tape.ts";

/** The tape of a line that is understood. */
export function taped(line: Buffer | string): LineTape {
  const tape = new LineTape();
  if (!tape.scan(Buffer.from(line as string))) throw new Error(`not understood: ${line}`);
  return tape;
}

/** The place of the value of the first field of the line. */
export function firstValue(tape: LineTape): number {
  return tape.after(tape.within(0));
}

import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

/**
 * Whether pi's list, which reads by `node:readline`, ends a line at U+2028: it does from Node 24 on, and loses the
 * message that holds one (an intended difference, see docs/session-manager.md).
 */
export const PI_SPLITS_AT_LINE_SEPARATOR = (await linesOf("a\u2028b")) === 2;

/** U+2028 in texts of sessions that are compared; where pi's list stumbles over it, a space of another kind. */
export const LINE_SEPARATOR = PI_SPLITS_AT_LINE_SEPARATOR ? "\u2003" : "\u2028";

async function linesOf(text: string): Promise<number> {
  let lines = 0;
  const reader = createInterface({ input: Readable.from([text]) }).on("line", () => lines++);
  await once(reader, "close");
  return lines;
}

import { createInterface } from "node:readline/promises";
import { wrapWords } from "../text/wrap-words.ts";
import type { Context } from "./command.ts";

/** Asks on stderr. Any answer that is not clearly yes counts as no, and so does the end of the input. */
export async function askYesNo({ world, talk }: Context, question: string): Promise<boolean> {
  talk.stream.write(`${wrapWords(`${question} [y/N]`, talk.width).join("\n")} `);
  const lines = createInterface({ input: world.stdin, terminal: false });
  try {
    for await (const line of lines) return /^\s*y(?:es)?\s*$/i.test(line);
    talk.print("");
    return false;
  } finally {
    lines.close();
  }
}

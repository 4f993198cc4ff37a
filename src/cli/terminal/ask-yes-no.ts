import { createInterface } from "node:readline/promises";
import { SessionDbError } from "../../errors.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import type { Context } from "../command-line/command.ts";

/** @throws SessionDbError `usage` where nobody can answer; `what` would be done */
export function assertCanAsk({ stdin }: Context["world"], what: string): void {
  if (stdin.isTTY === true) return;
  throw new SessionDbError("usage", "cannot ask: standard input is not a terminal", {
    hint: `Add --yes to ${what} without asking.`,
  });
}

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

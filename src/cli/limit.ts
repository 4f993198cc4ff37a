import { type Args, countOf } from "./args.ts";
import type { Context } from "./command.ts";
import type { OptionTable } from "./options.ts";

/** The option for how many sessions are listed. `onTerminal` is for people: programs and files get all. */
export function limitOption(onTerminal: number): OptionTable {
  return {
    limit: {
      value: "N",
      describe: `Maximum number of sessions, 0 = all [default: ${onTerminal} on a terminal, else 0]`,
    },
  };
}

/** How many sessions to list, 0 for all. @throws SessionDbError `usage` */
export function limitOf(
  { out, json }: Pick<Context, "out" | "json">,
  args: Args,
  onTerminal: number,
): number {
  return countOf(args, "limit") ?? (out.isTerminal && !json ? onTerminal : 0);
}

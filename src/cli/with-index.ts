import { askIndex } from "../api/ask.ts";
import type { Needs } from "../api/catch-up.ts";
import type { Index } from "../store/open.ts";
import { apiOf } from "./api-of.ts";
import { type Args, isSet } from "./command-line/args.ts";
import type { Context } from "./command-line/command.ts";
import type { OptionTable } from "./command-line/options.ts";

/** Options of every command that asks the index. */
export const INDEX_OPTIONS: OptionTable = {
  "no-sync": { describe: "Answer from the index as it stands" },
};

/**
 * Catches up, unless `--no-sync` is given, and asks the index. `ask` may be called again, and then only its last answer
 * counts.
 *
 * @throws SessionDbError as `askIndex`; Interrupted
 */
export function withIndex<T>(
  context: Context,
  args: Args,
  needs: Needs,
  ask: (index: Index) => T | Promise<T>,
): Promise<T> {
  return askIndex(apiOf(context), { sync: !isSet(args, "no-sync"), needs }, ask);
}

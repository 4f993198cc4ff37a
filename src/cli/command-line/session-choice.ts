import type { Choice } from "../../api/archive/archive-plan.ts";
import { type Args, refuseOptions } from "./args.ts";
import type { Context } from "./command.ts";
import { filterFrom, filterOptions } from "./filter-options.ts";
import { nameOptionsOf } from "./session-argument.ts";

/**
 * The sessions that are named, or those that the filters leave.
 *
 * @param others options that say which, beside the filters
 * @throws SessionDbError `usage` where both are given
 */
export function sessionChoice(
  context: Context,
  args: Args,
  { names, command, others }: { names: readonly string[]; command: string; others: readonly string[] },
): Choice {
  if (names.length === 0) return { kind: "filter", filter: filterFrom(context, args) };
  const whose = { of: `${command} with names of sessions`, hint: "Name sessions, or say which by options." };
  refuseOptions(args, [...Object.keys(filterOptions()), ...others], whose);
  return { kind: "named", names, naming: nameOptionsOf(context) };
}

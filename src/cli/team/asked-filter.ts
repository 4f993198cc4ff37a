import type { TeamSearchFilter } from "../../team/ask/team-search.ts";
import { type Args, refuseOptions, textOf } from "../command-line/args.ts";
import type { Context } from "../command-line/command.ts";
import { readWritten, valuesIn } from "../command-line/filter-options.ts";

/** Conditions of which a team's data know nothing, or only its texts. */
const UNKNOWN = ["here", "role", "type", "tool", "label", "named", "has"] as const;

interface AskedOf {
  command: string;
  /** Which of those can be asked for all the same. */
  also?: readonly (typeof UNKNOWN)[number][];
}

/**
 * The filter of a question to a team. A project is asked for by a part of its name: nobody else has its directory.
 *
 * @throws SessionDbError `usage` for conditions that only an index can tell
 */
export function teamFilterFrom(
  context: Context,
  args: Args,
  { command, also = [] }: AskedOf,
): TeamSearchFilter {
  const unknown = UNKNOWN.filter((name) => !also.includes(name));
  refuseOptions(args, unknown, { of: `${command} --team`, hint: UNKNOWN_HINT });
  const { project, ...written } = valuesIn(args);
  const author = textOf(args, "author");
  return {
    ...readWritten(context, written),
    ...(project !== undefined && { project }),
    ...(author !== undefined && { author }),
  };
}

const UNKNOWN_HINT =
  "The team's data do not know it; --project NAME, --author, --session, --model, --provider, --origin, --since and --until can be asked for.";

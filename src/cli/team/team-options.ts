import { type Args, refuseOptions } from "../command-line/args.ts";
import type { OptionTable } from "../command-line/options.ts";

/** The switch of commands that can ask a team's database. */
export const TEAM_OPTION: OptionTable = {
  team: { describe: "Ask the team's database instead of this machine's index" },
};

/** Beside the filters. */
export const AUTHOR_OPTION: OptionTable = {
  author: { value: "NAME", describe: "With --team: only what this person has pushed", group: "Filters:" },
};

/** @throws SessionDbError `usage` */
export function refuseAuthor(args: Args, command: string): void {
  const hint = "An index holds one person's sessions; with --team the team's database is asked.";
  refuseOptions(args, ["author"], { of: `${command} without --team`, hint });
}

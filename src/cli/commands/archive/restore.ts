import { SessionDbError } from "../../../errors.ts";
import { plural } from "../../../text/numbers.ts";
import { apiOf } from "../../api-of.ts";
import { isSet, textsOf } from "../../command-line/args.ts";
import { type Command, ExitCode } from "../../command-line/command.ts";
import { filterFrom, filterOptions } from "../../command-line/filter-options.ts";
import { SESSION_WORDS } from "../../command-line/session-argument.ts";
import { sessionChoice } from "../../command-line/session-choice.ts";
import { printMoved } from "../../output/moved-sessions.ts";
import { withIndex } from "../../with-index.ts";

export const restore: Command = {
  positionals: { names: `${SESSION_WORDS}; several are allowed` },
  completes: "sessions",
  options: {
    all: { describe: "All sessions that are archived" },
    ...filterOptions(),
  },
  examples: [
    ["$0 restore 01a1bfc2", "put a session, and those of its sub-agents, back where they were"],
    ["$0 restore --project ~/orchard", "all that is archived of a project"],
  ],
  async run(context, args) {
    const names = textsOf(args, "names");
    const choice = sessionChoice(context, args, { names, command: "restore", others: ["all"] });
    const isOpen = names.length === 0 && Object.keys(filterFrom(context, args)).length === 0;
    if (isOpen && !isSet(args, "all")) throw whichOnes();
    const { planRestore } = await import("../../../api/archive/archive-plan.ts");
    const { roots } = context.config;
    const needs = { search: false, rows: "all readable", acts: true } as const;
    const sessions = await withIndex(context, args, needs, (index) => planRestore(index, choice, roots));
    if (sessions.length === 0) context.talk.say("None of these is archived.");
    const { coveredSessions, restoreSessions } = await import("../../../api/archive/archive.ts");
    const outcome = await restoreSessions(apiOf(context), sessions);
    const covered = coveredSessions(apiOf(context)).length;
    if (covered > 0) {
      const them = plural(covered, "archived session");
      context.talk.note(`other files lie in the place of ${them}: sessiondb doctor says what to do.`);
    }
    if (sessions.length === 0 && !context.json) return ExitCode.done;
    return printMoved(context, { verb: "Restored", outcome, left: [] });
  },
};

function whichOnes(): SessionDbError {
  return new SessionDbError("usage", "which sessions?", {
    hint: "Name them, say which by filters (--project DIR), or restore --all.",
  });
}

import { SESSION_SORT_KEYS, type Session } from "../../reports/answers.ts";
import { maskedSession } from "../../reports/masked-session.ts";
import { maskBeginning } from "../../text/secrets.ts";
import { countOf, isSet, sortOf } from "../command-line/args.ts";
import { type Command, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions, limitOption, sessionLimitOf } from "../command-line/filter-options.ts";
import { explained } from "../output/empty-answer.ts";
import { printSessions } from "../output/listed-sessions.ts";
import { ROW_OPTIONS, rowFormatOf } from "../output/rows.ts";
import { sessionColumns } from "../output/session-table.ts";
import { AUTHOR_OPTION, refuseAuthor, TEAM_OPTION } from "../team/team-options.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

/** How many sessions people are shown if they do not say. */
const TERMINAL_LIMIT = 50;

/** UTF-16 units of a first message with `--masked`. */
const BEGINNING = 400;

export const list: Command = {
  pages: true,
  options: {
    ...limitOption(TERMINAL_LIMIT),
    offset: { value: "N", describe: "How many of the first are left out [default: 0]" },
    sort: {
      value: "KEY",
      completes: SESSION_SORT_KEYS,
      describe: `${SESSION_SORT_KEYS.join(", ")}; :asc or :desc after it [default: modified]`,
    },
    masked: {
      describe: "Mask secrets in --json too; it then has only the beginnings of first messages",
    },
    "all-sessions": { describe: "Sessions of sub-agents, too, each in a line of its own" },
    ...ROW_OPTIONS,
    ...TEAM_OPTION,
    ...filterOptions(),
    ...AUTHOR_OPTION,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 list --here", "sessions of this project"],
    ["$0 list --since 7d --sort cost", "the most expensive of the last week first"],
  ],
  async run(context, args) {
    const format = rowFormatOf(context, args);
    const part = {
      limit: sessionLimitOf(format === "table", args, TERMINAL_LIMIT),
      offset: countOf(args, "offset", "0 leaves out none.") ?? 0,
      allSessions: isSet(args, "all-sessions"),
    };
    if (isSet(args, "team"))
      return (await import("../team/ask-list.ts")).listTeam(context, args, { format, part });
    refuseAuthor(args, "list");
    const filter = filterFrom(context, args);
    const { listSessions } = await import("../../reports/sessions.ts");
    const sort = sortOf(args, SESSION_SORT_KEYS);
    const { roots } = context.config;
    const { found, unmatched } = await withIndex(context, args, { search: false }, (index) => {
      const found = listSessions(index, { ...part, filter, roots, ...(sort && { sort }) });
      return explained(index, { filter, roots }, { found, isEmpty: found.total === 0 });
    });
    const items = isSet(args, "masked") ? found.sessions.map(masked) : found.sessions;
    const isOpen = Object.keys(filter).length === 0;
    const shown = { format, args, columns: sessionColumns, isOpen };
    printSessions(context, { found: { ...found, items }, unmatched }, shown);
    return ExitCode.done;
  },
};

function masked(session: Session): Session {
  return maskedSession(session, (message) => maskBeginning(message, BEGINNING).toWellFormed());
}

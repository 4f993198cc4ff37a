import { SessionDbError } from "../../errors.ts";
import { absolutePath } from "../../files/paths.ts";
import { TOUCH_SORTS } from "../../reports/answers.ts";
import type { Touch } from "../../reports/files-touched.ts";
import { groupedBy } from "../../runtime/collections.ts";
import { plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { cut, widthOf } from "../../text/width.ts";
import { choiceOf, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions, limitOption, sessionLimitOf } from "../command-line/filter-options.ts";
import { explained, noteUnmatched, printNothing } from "../output/empty-answer.ts";
import { shownPath, shownTime } from "../output/fields.ts";
import { printDocumentWithList } from "../output/json-output.ts";
import { printRows, ROW_OPTIONS, rowFormatOf } from "../output/rows.ts";
import { shownTitle } from "../output/shown-title.ts";
import type { AnswerColumn } from "../output/table.ts";
import { INDEX_OPTIONS, withIndex } from "../with-index.ts";

/** How many sessions people are shown if they do not say. */
const TERMINAL_LIMIT = 20;

const LEAST_TITLE = 20;
/** Columns of the time and of the separators around the project. Together with the project they get half of a line. */
const BESIDE_PROJECT = 20;

/** Only filters by session and time: all touches are of one kind of entry. */
const FILTERS = ["project", "here", "since", "until", "named", "origin"];

export const files: Command = {
  pages: true,
  positionals: { path: "A file or folder: an absolute path, a relative path, or the end of a path" },
  completes: "files",
  options: {
    ...limitOption(TERMINAL_LIMIT),
    sort: {
      value: "KEY",
      completes: TOUCH_SORTS,
      describe: `${TOUCH_SORTS.join(" or ")} first [default: newest]`,
    },
    ...Object.fromEntries(Object.entries(filterOptions()).filter(([name]) => FILTERS.includes(name))),
    ...ROW_OPTIONS,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 files src/main.ts", "which sessions read or changed it"],
    ["$0 files ~/projects/orchard --since 7d", "what was touched there this week"],
    ["$0 files src/main.ts --sort oldest", "where it came from"],
  ],
  async run(context, args) {
    const asked = textOf(args, "path");
    if (asked === undefined) {
      throw new SessionDbError("usage", "which file?", { hint: "Name it: sessiondb files src/main.ts." });
    }
    const path = absolutePath(asked, "The file", context.world);
    const filter = filterFrom(context, args);
    const format = rowFormatOf(context, args);
    const limit = sessionLimitOf(format === "table", args, TERMINAL_LIMIT);
    const sort = choiceOf(args, "sort", TOUCH_SORTS);
    const { findTouches } = await import("../../reports/files-touched.ts");
    const { config, world } = context;
    const { roots } = config;
    const { found, unmatched } = await withIndex(context, args, { search: false }, (index) => {
      const found = findTouches(index, asked, path, {
        filter,
        roots,
        home: world.home,
        ...(sort && { sort }),
      });
      return explained(index, { filter, roots }, { found, isEmpty: found.touches.length === 0 });
    });
    const touches = ofFirstSessions(found.touches, limit);
    const { touches: all, ...head } = found;
    if (format === "json") {
      noteUnmatched(context, unmatched);
      printDocumentWithList(context.out, head, "touches", touches);
      return ExitCode.done;
    }
    if (all.length === 0) {
      printNothing(context, `No session read or changed ${oneLine(path)} with a tool.`, unmatched);
    } else if (head.match === "suffix") saySuffix(context, path);
    if (format !== "table") printRows(context.out, { columns: COLUMNS, rows: touches }, { format, args });
    else if (all.length > 0) {
      const blocks = bySession(touches).map((each) => describeSession(context, each).join("\n"));
      context.out.print(blocks.join("\n\n"));
    }
    if (all.length > 0) sayCounts(context, touches, all);
    return ExitCode.done;
  },
};

/** The touches of the first `limit` sessions; of all for 0. */
function ofFirstSessions(touches: readonly Touch[], limit: number): Touch[] {
  const paths = new Set(touches.map(({ session }) => session.path));
  const kept = new Set(limit === 0 ? paths : [...paths].slice(0, limit));
  return touches.filter(({ session }) => kept.has(session.path));
}

const COLUMNS: readonly AnswerColumn<Touch>[] = [
  { name: "id", value: ({ session }) => session.id },
  { name: "title", value: ({ session }) => shownTitle(session) },
  { name: "tool", value: ({ tool }) => tool },
  { name: "file", value: ({ file }) => file },
  { name: "timestamp", value: ({ timestamp }) => timestamp },
  { name: "isError", value: ({ isError }) => isError },
  { name: "entryId", value: ({ entryId }) => entryId },
  { name: "cwd", value: ({ session }) => session.cwd },
  { name: "path", value: ({ session }) => session.path },
  { name: "line", value: ({ line }) => line },
];

function saySuffix({ talk }: Context, path: string): void {
  const these = "these files, or the folders they are in, have paths that end the same way:";
  talk.say(`Nothing at ${oneLine(path)}; ${these}`);
  talk.print("");
}

function sayCounts({ talk }: Context, touches: readonly Touch[], all: readonly Touch[]): void {
  const [shown, sessions] = [bySession(touches).length, bySession(all).length];
  const whole = `${plural(all.length, "call")} in ${plural(sessions, "session")}`;
  const more = sessions > shown ? `; showing the first ${shown}, --limit 0 shows all` : "";
  talk.print("");
  talk.say(whole + more, talk.paint.dim);
}

function bySession(touches: readonly Touch[]): Touch[][] {
  return [...groupedBy(touches, ({ session }) => session.path).values()];
}

/** The session, then for each tool and file how often it was called, and the place of the call that comes first. */
function describeSession(context: Context, touches: readonly Touch[]): string[] {
  const { out } = context;
  const { bold, dim } = out.paint;
  const [first] = touches;
  if (first === undefined) return [];
  const { session, line } = first;
  const room = out.width ?? Number.POSITIVE_INFINITY;
  const project = cut(shownPath(context, session.cwd), room / 2 - BESIDE_PROJECT, "path");
  const facts = ` · ${project} · ${shownTime(context, first.timestamp)}`;
  const title = cut(shownTitle(session), Math.max(LEAST_TITLE, room - widthOf(facts)));
  const alike = groupedBy(touches, ({ tool, file }) => JSON.stringify([tool, file]));
  return [
    bold(title) + dim(facts),
    ...[...alike.values()].flatMap((calls) => describeCalls(context, calls)),
    `  ${dim(`${shownPath(context, session.path)}:${line}`)}`,
  ];
}

/** Calls of one tool on one file, in one line. */
function describeCalls({ out }: Context, calls: readonly Touch[]): string[] {
  const [first] = calls;
  if (first === undefined) return [];
  const { cyan, red } = out.paint;
  const failed = calls.filter(({ isError }) => isError === true).length;
  const count = calls.length > 1 ? ` ×${calls.length}` : "";
  const errors = failed > 0 ? ` (${failed} failed)` : "";
  const room = out.width ?? Number.POSITIVE_INFINITY;
  const tool = cut(oneLine(first.tool), room / 3);
  const file = cut(oneLine(first.file), room - widthOf(`  ${tool} ${count}${errors}`), "path");
  return [`  ${cyan(tool)} ${file}${count}${errors && red(errors)}`];
}

import { absolutePath } from "../../config/paths.ts";
import { SessionDbError } from "../../errors.ts";
import type { Touch, Touches } from "../../query/touches.ts";
import { countOf, textOf } from "../args.ts";
import { INDEX_OPTIONS, withIndex } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { filterOptions, filterWorldOf, readFilter } from "../filter-options.ts";
import { printDocument } from "../output/json.ts";
import { plural } from "../output/numbers.ts";
import { tildePath } from "../output/paths.ts";
import { oneLine } from "../output/sanitise.ts";
import { formatWhen } from "../output/times.ts";
import { shownTitle } from "../output/title.ts";
import { cut, widthOf } from "../output/width.ts";

/** Sessions, on a terminal; what goes to a program or a file is whole. */
const TERMINAL_LIMIT = 20;

/** Those that say something about a session and a time; a touch is one kind of entry. */
const FILTERS = ["project", "here", "since", "until", "named", "origin"];

export const files: Command = {
  pages: true,
  positionals: { path: "A file or folder: absolute, from the current directory, or the end of a path" },
  completes: "files",
  options: {
    limit: {
      type: "string",
      describe: `How many sessions at most, 0 = all [default: ${TERMINAL_LIMIT} on a terminal, else 0]`,
    },
    ...Object.fromEntries(Object.entries(filterOptions()).filter(([name]) => FILTERS.includes(name))),
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 files src/main.ts", "which sessions read or changed it"],
    ["$0 files ~/projects/orchard --since 7d", "what was touched there this week"],
  ],
  async run(context, args) {
    const asked = textOf(args, "path");
    if (asked === undefined) {
      throw new SessionDbError("usage", "which file?", { hint: "Name it: sessiondb files src/main.ts." });
    }
    const path = absolutePath(asked, "The file", context.world);
    const filter = await readFilter(args, filterWorldOf(context));
    const { findTouches } = await import("../../query/touches.ts");
    const { roots } = context.config;
    const found = await withIndex(context, args, { search: false }, (index) =>
      findTouches(index, asked, path, { filter, roots, home: context.world.home }),
    );
    const limit = countOf(args, "limit") ?? (context.out.isTerminal && !context.json ? TERMINAL_LIMIT : 0);
    const shown = { ...found, touches: ofFirstSessions(found.touches, limit) };
    if (context.json) printDocument(context.out, shown);
    else printTouches(context, path, shown, found.touches);
    return ExitCode.done;
  },
};

/** The touches of so many sessions, the newest ones; 0: all. */
function ofFirstSessions(touches: readonly Touch[], limit: number): Touch[] {
  const paths = new Set(touches.map(({ session }) => session.path));
  const kept = new Set(limit === 0 ? paths : [...paths].slice(0, limit));
  return touches.filter(({ session }) => kept.has(session.path));
}

function printTouches(
  context: Context,
  path: string,
  { match, touches }: Touches,
  all: readonly Touch[],
): void {
  const { out, talk } = context;
  if (touches.length === 0) talk.print(`No session read or changed ${oneLine(path)} with a tool.`);
  else if (match === "suffix") {
    talk.print(`Nothing at ${oneLine(path)}; these files end alike:`, "");
  }
  const blocks = bySession(touches).map((each) => describeSession(context, each).join("\n"));
  if (blocks.length > 0) out.print(blocks.join("\n\n"));
  if (blocks.length > 0) {
    const { dim } = talk.paint;
    const sessions = bySession(all).length;
    const whole = `${plural(all.length, "call")} in ${plural(sessions, "session")}`;
    const more = sessions > blocks.length ? `; of which ${blocks.length} shown, --limit 0 shows all` : "";
    talk.print("", dim(whole + more));
  }
}

function bySession(touches: readonly Touch[]): Touch[][] {
  const groups = new Map<string, Touch[]>();
  for (const touch of touches) {
    const group = groups.get(touch.session.path);
    if (group === undefined) groups.set(touch.session.path, [touch]);
    else group.push(touch);
  }
  return [...groups.values()];
}

/** The session, then each tool with each file and how often, then where it was the last time. */
function describeSession({ out, world, config }: Context, touches: readonly Touch[]): string[] {
  const { bold, cyan, dim, red } = out.paint;
  const [newest] = touches;
  if (newest === undefined) return [];
  const { session, timestamp } = newest;
  const room = out.width ?? Number.POSITIVE_INFINITY;
  const place = oneLine(out.isTerminal ? tildePath(session.path, world.home) : session.path);
  const cwd = oneLine(out.isTerminal ? tildePath(session.cwd, world.home) : session.cwd);
  const when =
    timestamp === null || !out.isTerminal
      ? (timestamp ?? "")
      : formatWhen(Date.parse(timestamp), world.now(), config.timezone);
  const facts = ` · ${cut(cwd, room / 2 - 20, "path")} · ${when}`;
  const title = cut(oneLine(shownTitle(session.title)), Math.max(20, room - widthOf(facts)));
  const places = new Map<string, Touch[]>();
  for (const touch of touches) {
    const key = JSON.stringify([touch.tool, touch.file]);
    const same = places.get(key);
    if (same) same.push(touch);
    else places.set(key, [touch]);
  }
  const lines = [...places.values()].flatMap((calls) => {
    const [last] = calls;
    if (last === undefined) return [];
    const failed = calls.filter(({ isError }) => isError === true).length;
    const counts = calls.length > 1 ? ` ×${calls.length}` : "";
    const errors = failed > 0 ? red(` (${failed} failed)`) : "";
    const file = cut(oneLine(last.file), room - last.tool.length - 24, "path");
    return [`  ${cyan(oneLine(last.tool))} ${file}${counts}${errors}`];
  });
  return [bold(title) + dim(facts), ...lines, `  ${dim(`${place}:${newest.line}`)}`];
}

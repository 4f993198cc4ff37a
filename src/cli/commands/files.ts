import { absolutePath } from "../../config.ts";
import { SessionDbError } from "../../errors.ts";
import type { Touch, Touches } from "../../query/touches.ts";
import { textOf } from "../args.ts";
import { INDEX_OPTIONS, withIndex } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { filterOptions, filterWorldOf, readFilter } from "../filter-options.ts";
import { printDocument } from "../output/json.ts";
import { plural } from "../output/numbers.ts";
import { tildePath } from "../output/paths.ts";
import { oneLine } from "../output/sanitise.ts";
import { formatWhen } from "../output/times.ts";
import { cut } from "../output/width.ts";

/** Those that say something about a session and a time; a touch is one kind of entry. */
const FILTERS = ["project", "here", "since", "until", "named", "origin"];

export const files: Command = {
  pages: true,
  positionals: { path: "A file or folder: absolute, from the current directory, or the end of a path" },
  completes: "files",
  options: {
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
    if (context.json) printDocument(context.out, found);
    else printTouches(context, path, found);
    return ExitCode.done;
  },
};

function printTouches(context: Context, path: string, { match, touches }: Touches): void {
  const { out, talk } = context;
  if (touches.length === 0) talk.print(`No session read or changed ${oneLine(path)} with a tool.`);
  else if (match === "suffix") {
    talk.print(`Nothing at ${oneLine(path)}; these files end alike:`, "");
  }
  const blocks = bySession(touches).map((each) => describeSession(context, each).join("\n"));
  if (blocks.length > 0) out.print(blocks.join("\n\n"));
  if (blocks.length > 0) {
    const { dim } = talk.paint;
    talk.print("", dim(`${plural(touches.length, "call")} in ${plural(blocks.length, "session")}`));
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
  const cwd = oneLine(out.isTerminal ? tildePath(session.cwd, world.home) : session.cwd);
  const when =
    timestamp === null || !out.isTerminal
      ? (timestamp ?? "")
      : formatWhen(Date.parse(timestamp), world.now(), config.timezone);
  const facts = ` · ${cut(cwd, room / 2 - 20, "path")} · ${when}`;
  const title = cut(oneLine(session.title), Math.max(20, room - facts.length));
  const places = new Map<string, Touch[]>();
  for (const touch of touches) {
    const key = JSON.stringify([touch.tool, touch.file]);
    places.set(key, [...(places.get(key) ?? []), touch]);
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
  return [bold(title) + dim(facts), ...lines, `  ${dim(`${oneLine(session.path)}:${newest.line}`)}`];
}

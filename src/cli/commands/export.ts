import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { SessionDbError } from "../../errors.ts";
import type { Exported } from "../../render/exported-session.ts";
import { plural } from "../../text/numbers.ts";
import { safeJson } from "../../text/safe-json.ts";
import { oneLine } from "../../text/sanitise.ts";
import { type Args, choiceOf, isSet, refuseOptions, textOf, textsOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { filterFrom, filterOptions } from "../command-line/filter-options.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { PLACE_WORDS, whichSession, withSession } from "../command-line/session-argument.ts";
import { notTogether } from "../command-line/usage-errors.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

/** For `--all`; one session is named. */
const { session: _session, ...FILTERS } = filterOptions();

const FORMATS = ["md", "html", "jsonl"] as const;
type Format = (typeof FORMATS)[number];

export const exportSession: Command = {
  positionals: { session: `${PLACE_WORDS}, only the branch that the entry is on` },
  completes: "sessions",
  options: {
    format: {
      value: "FORMAT",
      completes: FORMATS,
      describe: `${FORMATS.join(", ")} [default: by the ending of the file, md without one]`,
    },
    output: {
      value: "FILE",
      alias: "o",
      completes: "files",
      describe: "The file to write, readable by you alone [default: standard output]",
    },
    open: { describe: "Show the page that was written in the browser" },
    branch: { value: "ENTRY", completes: "branches", describe: "Only the branch that this entry is on" },
    all: {
      value: "DIR",
      completes: "files",
      describe:
        "Write a page of each session into this folder, with a list to search: index.html. Pages that are up to date stay as they are; those of other sessions stay, too",
    },
    ...REVEAL_OPTION,
    ...FILTERS,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 export latest -o session.html", "one page for any screen and for printing, with cost and branches"],
    ["$0 export latest | less", "its current branch as Markdown"],
    ["$0 export 01a1bfc2 --format jsonl -o copy.jsonl", "a session file without secrets, to share"],
    [
      "$0 export --all pages --since 30d --open",
      "a page of each session of the last month, with a list to search",
    ],
  ],
  async run(context, args) {
    if (args.all !== undefined) return exportAll(context, args);
    refuseOptions(args, Object.keys(FILTERS), {
      of: "the export of one session",
      hint: "Filters go with --all DIR.",
    });
    const name = textOf(args, "session");
    if (name === undefined) throw whichSession("export");
    const { gathered, targetOf, writePrivateFile } = await import("../output/save-export.ts");
    const target = targetOf(context, args, "output");
    const format = formatOf(args, target);
    if (format === "html" && target === undefined && context.out.isTerminal) {
      throw new SessionDbError("usage", "a web page cannot be shown on a terminal", {
        hint: "Name a file: -o session.html.",
      });
    }
    if (isSet(args, "open") && (format !== "html" || target === undefined)) {
      throw new SessionDbError("usage", "--open shows a page that was written to a file", {
        hint: "Name it: -o session.html --open.",
      });
    }
    const exported = await readNamed(context, args, name);
    const { out, world } = context;
    const pieces = await piecesOf(format, exported);
    if (target === undefined) {
      const shown = format === "jsonl" && out.isTerminal ? safeLines(pieces) : pieces;
      for (const bytes of gathered(shown)) out.stream.write(bytes);
    } else await world.interruptible((signal) => writePrivateFile(target, pieces, signal));
    tell(context, exported, target);
    if (isSet(args, "open") && target !== undefined) await openPage(context, target);
    return ExitCode.done;
  },
};

function formatOf(args: Args, target: string | undefined): Format {
  const asked = choiceOf(args, "format", FORMATS);
  if (asked !== undefined) return asked;
  const ending = extname(target ?? "").toLowerCase();
  switch (ending) {
    case ".html":
    case ".htm":
      return "html";
    case ".jsonl":
      return "jsonl";
    case ".md":
    case ".markdown":
    case "":
      return "md";
    default:
      throw new SessionDbError("usage", `an export is no ${ending} file`, {
        hint: "End the name in .md, .html or .jsonl, or say which it is to be: --format md.",
      });
  }
}

async function exportAll(context: Context, args: Args): Promise<number> {
  const [name] = textsOf(args, "session");
  if (name !== undefined) {
    throw new SessionDbError("usage", `--all is about all sessions, not "${oneLine(name)}" alone`, {
      hint: "Leave one out.",
    });
  }
  refuseOptions(args, ["format", "output", "branch"], {
    of: "--all",
    hint: "It writes pages into its folder.",
  });
  const filter = filterFrom(context, args);
  const { targetOf } = await import("../output/save-export.ts");
  const { savePages } = await import("../output/save-pages.ts");
  const folder = targetOf(context, args, "all");
  if (folder === undefined) {
    throw new SessionDbError("usage", "--all needs a folder to write to", { hint: "Name it: --all pages." });
  }
  const code = await savePages(context, args, { folder, filter });
  const list = join(folder, "index.html");
  if (isSet(args, "open") && existsSync(list)) await openPage(context, list);
  return code;
}

async function readNamed(context: Context, args: Args, name: string): Promise<Exported> {
  const { readExported } = await import("../../export/read-exported.ts");
  const asked = textOf(args, "branch");
  return withSession(context, args, { name }, ({ index, ref, session, entry }) => {
    if (asked !== undefined && entry !== undefined) throw notTogether("--branch", "SESSION:LINE");
    const { timezone } = context.config;
    const options = { reveal: isSet(args, "reveal"), timezone, home: context.world.home };
    return readExported(index, { ref, session }, { ...options, branch: asked ?? entry });
  });
}

async function piecesOf(format: Format, exported: Exported): Promise<Iterable<string | Buffer>> {
  switch (format) {
    case "md":
      return (await import("../../export/markdown.ts")).markdownOf(exported);
    case "html":
      return (await import("../../export/html.ts")).htmlOf(exported);
    case "jsonl":
      return (await import("../../export/jsonl.ts")).jsonlOf(exported);
  }
}

/** The file is there in any case: that nothing shows it is no failure of the export. */
async function openPage({ talk, world }: Context, target: string): Promise<void> {
  const { openInBrowser } = await import("../terminal/browser.ts");
  const why = await openInBrowser(target, world.env);
  if (why !== null) talk.say(`It could not be opened: ${oneLine(why)}.`, talk.paint.yellow);
}

/** For a terminal: without control characters. Files and pipes get every character of a session file. */
function* safeLines(pieces: Iterable<string | Buffer>): Generator<string> {
  for (const piece of pieces) yield safeJson(piece.toString());
}

function tell({ talk }: Context, { clean }: Exported, target: string | undefined): void {
  const { dim, yellow } = talk.paint;
  if (target !== undefined) talk.say(`Written: ${oneLine(target)}`, dim);
  if (clean.masked > 0)
    talk.say(`${plural(clean.masked, "secret")} masked; --reveal leaves them in.`, yellow);
}

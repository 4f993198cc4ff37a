import yargs, { type Argv, type Options } from "yargs";
import { COLOR_MODES, type Flags } from "../config.ts";
import { type Args, choiceOf, isSet, textOf, textsOf } from "./args.ts";
import type { Command } from "./command.ts";
import { COMMANDS, type CommandEntry, FRONT_PAGE } from "./commands.ts";
import { misuse } from "./misuse.ts";

export const PROGRAM = "sessiondb";

export type CommandLine = { help: string } | { command: Command; args: Args };

const GLOBAL_OPTIONS: Record<string, Options> = {
  "agent-dir": { type: "string", describe: "pi's directory [default: ~/.pi/agent]" },
  "sessions-dir": { type: "string", array: true, describe: "A folder of sessions; may be given again" },
  db: { type: "string", describe: "The index file [default: in pi's directory]" },
  timezone: { type: "string", alias: "z", describe: "IANA zone of the days [default: the system's]" },
  json: { type: "boolean", describe: "One JSON document instead of text" },
  color: { type: "string", describe: `Colour: ${COLOR_MODES.join(", ")}` },
  "no-color": { type: "boolean", describe: "The same as --color never" },
  version: { type: "boolean", describe: "Show the version" },
  help: { type: "boolean", alias: "h", describe: "Show this" },
};

/** Numbers stay text, `--no-sync` is an option of its own, no option eats the words after its value. */
const PARSER_CONFIGURATION = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
  "parse-positional-numbers": false,
};

/** What was asked for, with the command loaded. @throws SessionDbError `usage` */
export async function readCommandLine(
  argv: readonly string[],
  options: { width: number; cwd: string },
): Promise<CommandLine> {
  const words = markDashWords(helpAsOption(argv));
  const parser = emptyParser(options);
  let chosen: { entry: CommandEntry; command: Command } | undefined;
  for (const entry of [FRONT_PAGE, ...COMMANDS]) {
    parser.command(entry.form, entry.about, async (builder) => {
      chosen = { entry, command: await entry.load() };
      return declare(builder, chosen.command);
    });
  }
  parser.fail((message, error) => {
    throw error ?? misuse(message, words, chosen && { ...chosen, options: optionNames(chosen.command) });
  });
  let help = "";
  const args = await parser.parseAsync([...words], {}, (_error, _args, output) => {
    help = output;
  });
  if (help !== "") return { help };
  if (chosen === undefined) throw new Error("yargs chose no command");
  return { command: chosen.command, args: unmark(args) };
}

/** What the command line says about places and colour. */
export function flagsOf(args: Args): Flags {
  return {
    agentDir: textOf(args, "agent-dir"),
    sessionsDir: textsOf(args, "sessions-dir"),
    db: textOf(args, "db"),
    timezone: textOf(args, "timezone"),
    color: isSet(args, "no-color") ? "never" : choiceOf(args, "color", COLOR_MODES),
  };
}

function emptyParser({ width, cwd }: { width: number; cwd: string }): Argv {
  return yargs([], cwd)
    .scriptName(PROGRAM)
    .usage(`$0 [command] [options]\n\nAll sessions of pi in one index: list, search and count them.`)
    .exitProcess(false)
    .detectLocale(false)
    .locale("en")
    .parserConfiguration(PARSER_CONFIGURATION)
    .options(GLOBAL_OPTIONS)
    .help("help")
    .version(false)
    .strict()
    .wrap(width);
}

function declare(builder: Argv, command: Command): Argv {
  for (const [name, about] of Object.entries(command.positionals ?? {})) {
    builder.positional(name, { type: "string", describe: about });
  }
  builder.options(command.options);
  for (const [commandLine, about] of command.examples) builder.example(commandLine, about);
  return builder;
}

function optionNames(command: Command): string[] {
  return Object.keys({ ...GLOBAL_OPTIONS, ...command.options });
}

/** `sessiondb help list` is `sessiondb list --help`. */
function helpAsOption(argv: readonly string[]): readonly string[] {
  return argv[0] === "help" ? [...argv.slice(1), "--help"] : argv;
}

// A word of a search query may begin with a dash (`-word` excludes it); yargs must not take it for options.
const MARK = "\0";
const SHORT_OPTION = /^-[zh](=|$)/;

function markDashWords(argv: readonly string[]): readonly string[] {
  const search = argv.indexOf("search");
  if (search < 0) return argv;
  return argv.map((word, index) =>
    index > search && /^-[^-]/.test(word) && !SHORT_OPTION.test(word) ? MARK + word : word,
  );
}

function unmark(args: Args): Args {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    return typeof value === "string" && value.startsWith(MARK) ? value.slice(MARK.length) : value;
  };
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, plain(value)]));
}

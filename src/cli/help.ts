import yargs, { type Argv, type Options } from "yargs";
import type { Command } from "./command.ts";
import { COMMANDS, type CommandEntry, FRONT_PAGE, nameOf } from "./commands.ts";
import { GLOBAL_OPTIONS, type OptionTable } from "./options.ts";

/** The most columns of a line, however wide the terminal is. */
const WIDEST = 100;
const ABOUT = "All your pi sessions in one index: list, search, and see what they cost.";

/** The words that stand for the values of options; for one name it is the same in every command. */
export const VALUE_NAMES: Readonly<Record<string, string>> = {
  ...{
    "agent-dir": "DIR",
    "sessions-dir": "DIR",
    db: "FILE",
    config: "FILE",
    timezone: "ZONE",
    color: "WHEN",
  },
  ...{ project: "DIR", since: "WHEN", until: "WHEN", model: "NAME", provider: "NAME", role: "ROLE" },
  ...{ type: "TYPE", tool: "NAME", label: "LABEL", has: "WHAT", origin: "HOW" },
  ...{ limit: "N", context: "N", "cell-limit": "N", timeout: "SECONDS", sort: "KEY", "week-start": "DAY" },
  ...{
    branch: "ENTRY",
    around: "ENTRY",
    format: "FORMAT",
    output: "FILE",
    file: "FILE",
    param: "NAME=VALUE",
  },
  compat: "PROGRAM",
};

/** The help of one command, or, for the front page, of the program. yargs formats it. */
export async function formatHelp(
  entry: CommandEntry,
  command: Command,
  world: { width: number; cwd: string },
): Promise<string> {
  const parser = yargs([], world.cwd)
    .scriptName("sessiondb")
    .usage(`$0 [command] [options]\n\n${ABOUT}`)
    .exitProcess(false)
    .detectLocale(false)
    .locale("en")
    .version(false)
    .help("help")
    .options(described(GLOBAL_OPTIONS))
    .wrap(Math.min(world.width, WIDEST));
  const isFrontPage = entry === FRONT_PAGE;
  for (const each of isFrontPage ? [FRONT_PAGE, ...COMMANDS] : [entry]) {
    parser.command(each.form.replace("..", ""), each.about, (builder) =>
      each === entry ? describeCommand(builder, entry, command) : builder,
    );
  }
  let help = "";
  await parser.parseAsync(
    isFrontPage ? ["--help"] : [nameOf(entry), "--help"],
    {},
    (_error, _args, output) => {
      help = output;
    },
  );
  // yargs adds a type to its own option.
  return [help.replace(/ +\[boolean\]$/m, ""), "", ...examplesOf(command)].join("\n");
}

/** Each command line stands on a line of its own, to be copied, below what it does. */
function examplesOf({ examples }: Command): string[] {
  const lines = examples.map(
    ([commandLine, about]) => `  # ${about}\n  ${commandLine.replaceAll("$0", "sessiondb")}`,
  );
  return ["Examples:", ...lines];
}

function describeCommand(builder: Argv, entry: CommandEntry, command: Command): Argv {
  if (entry !== FRONT_PAGE) builder.usage(`$0 ${entry.form} [options]\n\n${entry.about}`);
  for (const [name, about] of Object.entries(command.positionals ?? {})) {
    builder.positional(name, { describe: about });
  }
  builder.options(described(command.options, entry === FRONT_PAGE ? undefined : "Command options:"));
  return builder;
}

/** Options with a word for the value and without their types, which tell the reader nothing. */
function described(table: OptionTable, ownGroup?: string): Record<string, Options> {
  const entries = Object.entries(table).map(
    ([name, { alias, describe, type, group = ownGroup }]): [string, Options] => [
      name in VALUE_NAMES && type !== "boolean" ? `${name} ${VALUE_NAMES[name]}` : name,
      { describe, ...(alias !== undefined && { alias }), ...(group !== undefined && { group }) },
    ],
  );
  return Object.fromEntries(entries);
}

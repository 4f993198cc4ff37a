import yargs, { type Argv, type Options } from "yargs";
import { type Command, type CommandEntry, commandName, type Registry } from "./command.ts";
import { GLOBAL_OPTIONS, type OptionTable } from "./options.ts";

/** The most columns of a line, however wide the terminal is. */
const WIDEST = 100;
const ABOUT = "All your pi sessions in one index: list, search, and see what they cost.";

/** The help of one command, or, for the front page, of the program. yargs formats it. */
export async function formatHelp(
  entry: CommandEntry,
  command: Command,
  world: { width: number; cwd: string; registry: Registry },
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
  const name = commandName(entry);
  for (const each of name === "" ? [entry, ...world.registry.commands] : [entry]) {
    parser.command(each.form.replace("..", ""), each.about, (builder) =>
      each === entry ? describeCommand(builder, entry, command) : builder,
    );
  }
  let help = "";
  await parser.parseAsync([name, "--help"].filter(Boolean), {}, (_error, _args, output) => {
    help = output;
  });
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
  const isFrontPage = commandName(entry) === "";
  if (!isFrontPage) builder.usage(`$0 ${entry.form} [options]\n\n${entry.about}`);
  for (const [name, about] of Object.entries(command.positionals ?? {})) {
    builder.positional(name, { describe: about });
  }
  builder.options(described(command.options, isFrontPage ? undefined : "Command options:"));
  return builder;
}

/** Options with a word for the value and without their types, which tell the reader nothing. */
function described(table: OptionTable, ownGroup?: string): Record<string, Options> {
  const entries = Object.entries(table).map(
    ([name, { alias, describe, value, group = ownGroup }]): [string, Options] => [
      value === undefined ? name : `${name} ${value}`,
      { describe, ...(alias !== undefined && { alias }), ...(group !== undefined && { group }) },
    ],
  );
  return Object.fromEntries(entries);
}

import yargs, { type Argv, type Options } from "yargs";
import { wrapWords } from "../../text/wrap-words.ts";
import { COMMAND_GROUPS, type Command, type CommandEntry, commandName, type Registry } from "./command.ts";
import { GLOBAL_OPTIONS, type OptionTable } from "./options.ts";

/** The most columns of a line, however wide the terminal is. */
const WIDEST = 100;
const ABOUT = "All your pi sessions in one index: list, search, and see what they cost.";
const INDENT = "  ";
/** What yargs lists, in the order of use. */
const ORDER = ["Positionals:", "Options:", "Filters:"];

interface HelpWorld {
  width: number;
  cwd: string;
  registry: Registry;
  /** Only what the command is for and its own options: neither filters nor all examples. */
  isShort: boolean;
}

/** The help of one command, or, for the front page, of the program. yargs formats its options. */
export async function formatHelp(entry: CommandEntry, command: Command, world: HelpWorld): Promise<string> {
  const width = Math.min(world.width, WIDEST);
  const isFrontPage = commandName(entry) === "";
  const own = Object.entries(command.options).filter(
    ([, { group }]) => !world.isShort || group === undefined,
  );
  const options = Object.fromEntries(own);
  const shown = isFrontPage && !world.isShort ? { ...options, ...GLOBAL_OPTIONS } : options;
  const parser = yargs([], world.cwd)
    .scriptName("sessiondb")
    .exitProcess(false)
    .detectLocale(false)
    .locale("en")
    .version(false)
    .help(false)
    .usage(isFrontPage ? `$0 [command] [options]\n\n${ABOUT}` : headOf(entry))
    .options(described(shown))
    .wrap(width);
  if (!isFrontPage) parser.command("$0", false, (builder) => describePositionals(builder, command));
  const help = (await parser.getHelp()).trimEnd();
  const folded = isFrontPage ? [] : ["", ...foldedOptions(command, world, width)];
  const [head = "", ...rest] = help.split(/\n\n(?=\S.*:\n)/);
  const groups = isFrontPage ? commandGroups(world.registry, width) : [];
  const placeOf = (section: string): number => ORDER.findIndex((heading) => section.startsWith(heading));
  rest.sort((a, b) => placeOf(a) - placeOf(b));
  return [[head, ...groups, ...rest].join("\n\n"), ...folded, "", ...examplesOf(command, world)].join("\n");
}

function headOf({ form, about, aliases = [] }: CommandEntry): string {
  const called = aliases.length === 0 ? "" : ` (also: ${aliases.join(", ")})`;
  return `$0 ${form.replace("..", "")} [options]\n\n${about}${called}`;
}

/** The commands by what they are for, each on one line. */
function commandGroups({ frontPage, commands }: Registry, width: number): string[] {
  const all = [frontPage, ...commands].map((entry) => ({ entry, form: formOf(entry) }));
  const longest = Math.max(...all.map(({ form }) => form.length));
  return COMMAND_GROUPS.map((group) => {
    const lines = all
      .filter(({ entry }) => entry.group === group)
      .flatMap(({ entry, form }) => {
        const [about = "", ...more] = wrapWords(entry.about, width - longest - 2 * INDENT.length);
        const indent = " ".repeat(longest + 2 * INDENT.length);
        return [`${INDENT}${form.padEnd(longest)}${INDENT}${about}`, ...more.map((line) => indent + line)];
      });
    return [`${group}:`, ...lines].join("\n");
  });
}

function formOf({ form }: CommandEntry): string {
  return form === "$0" ? "sessiondb" : `sessiondb ${form.replace("..", "")}`;
}

/** Options that are named and not explained: those of every command, and in short help the filters. */
function foldedOptions({ options }: Command, { isShort }: HelpWorld, width: number): string[] {
  const named = (names: readonly string[]) => names.map((name) => `--${name}`).join(" ");
  const filters = Object.entries(options).flatMap(([name, { group }]) => (group === undefined ? [] : [name]));
  return [
    ...(isShort && filters.length > 0
      ? wrapWords(`Filters, which --help explains: ${named(filters)}`, width)
      : []),
    ...wrapWords(`Of every command, see sessiondb --help: ${named(Object.keys(GLOBAL_OPTIONS))}`, width),
  ];
}

/** Each command line stands on a line of its own, to be copied, below what it does. */
function examplesOf({ examples }: Command, { isShort }: HelpWorld): string[] {
  const lines = (isShort ? examples.slice(0, 1) : examples).map(
    ([commandLine, about]) => `  # ${about}\n  ${commandLine.replaceAll("$0", "sessiondb")}`,
  );
  return [lines.length === 1 ? "Example:" : "Examples:", ...lines];
}

function describePositionals(builder: Argv, command: Command): Argv {
  for (const [name, about] of Object.entries(command.positionals ?? {})) {
    builder.positional(name, { describe: about });
  }
  return builder;
}

/** Options with a word for the value and without their types, which tell the reader nothing. */
function described(table: OptionTable): Record<string, Options> {
  const entries = Object.entries(table).map(
    ([name, { alias, describe, value, group }]): [string, Options] => [
      value === undefined ? name : `${name} ${value}`,
      { describe, ...(alias !== undefined && { alias }), ...(group !== undefined && { group }) },
    ],
  );
  return Object.fromEntries(entries);
}

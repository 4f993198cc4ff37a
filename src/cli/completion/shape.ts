import { type CommandEntry, commandName, type Registry } from "../command-line/command.ts";
import { type Completes, GLOBAL_OPTIONS, type OptionTable } from "../command-line/options.ts";

/** What a shell has to know about one command, or about the program itself, whose name is empty here. */
export interface CompletedCommand {
  name: string;
  /** Another name of a command: it is understood, and not offered. */
  isAlias: boolean;
  about: string;
  options: CompletedOption[];
  /** What its positionals can be; undefined where that is not known. */
  completes: Completes | undefined;
}

export interface CompletedOption {
  /** Without dashes. */
  name: string;
  alias: string | undefined;
  about: string;
  /** What its value can be; undefined where it takes none. */
  value: Completes | "anything" | undefined;
}

/** Describes the program: the front page first, then every command with its options, and again under its other names. */
export async function describeCommands({ frontPage, commands }: Registry): Promise<CompletedCommand[]> {
  const described = await Promise.all(
    [frontPage, ...commands].map(async (entry) => {
      const command = await describeCommand(entry);
      return [command, ...(entry.aliases ?? []).map((name) => ({ ...command, name, isAlias: true }))];
    }),
  );
  return [...described.map(([command]) => command), ...described.flatMap(([, ...others]) => others)].flatMap(
    (command) => command ?? [],
  );
}

async function describeCommand(entry: CommandEntry): Promise<CompletedCommand> {
  const { options, completes } = await entry.load();
  return {
    name: commandName(entry),
    isAlias: false,
    about: entry.about,
    options: optionsOf({ ...options, ...GLOBAL_OPTIONS }),
    completes,
  };
}

function optionsOf(table: OptionTable): CompletedOption[] {
  return Object.entries(table).map(([name, { alias, value, describe, completes }]) => ({
    name,
    alias,
    about: describe,
    value: value === undefined ? undefined : (completes ?? "anything"),
  }));
}

import type { Completes, NameKind } from "../command.ts";
import { COMMANDS, type CommandEntry, FRONT_PAGE, nameOf } from "../commands.ts";
import { GLOBAL_OPTIONS, type OptionTable } from "../options.ts";

/** What a shell has to know about one command, or about the program itself, whose name is empty here. */
export interface CompletedCommand {
  name: string;
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

/** Options whose values are names from the index; they mean the same in every command. */
const NAMED: Readonly<Record<string, NameKind>> = {
  model: "models",
  provider: "providers",
  tool: "tools",
  label: "labels",
  timezone: "zones",
};

/** Describes the program: the front page first, then every command with its options. */
export async function describeCommands(): Promise<CompletedCommand[]> {
  return Promise.all([FRONT_PAGE, ...COMMANDS].map(describeCommand));
}

async function describeCommand(entry: CommandEntry): Promise<CompletedCommand> {
  const { options, completes } = await entry.load();
  const name = entry === FRONT_PAGE ? "" : nameOf(entry);
  return { name, about: entry.about, options: optionsOf({ ...options, ...GLOBAL_OPTIONS }), completes };
}

/** Options that say where sessions and index are; the scripts pass them on when they ask for names. */
export const PLACES: readonly string[] = ["agent-dir", "sessions-dir", "db", "config"].map(
  (name) => `--${name}`,
);

function optionsOf(table: OptionTable): CompletedOption[] {
  return Object.entries(table).map(([name, { alias, type, describe, choices, normalize }]) => ({
    name,
    alias: typeof alias === "string" ? alias : undefined,
    about: describe ?? "",
    value:
      type === "boolean"
        ? undefined
        : (NAMED[name] ?? choices?.map(String) ?? (normalize ? "files" : "anything")),
  }));
}

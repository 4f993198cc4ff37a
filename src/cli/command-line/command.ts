import type { Config, Flags } from "../../config/config.ts";
import type { Output } from "../terminal/output.ts";
import type { World } from "../terminal/world.ts";
import type { Args } from "./args.ts";
import type { Completes, OptionTable } from "./options.ts";

/** `warns` and `over` are what `usage --check` says of budgets. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  warns: 3,
  over: 4,
  busy: 75,
  interrupted: 130,
} as const;

/** What a command gets to work with. */
export interface Context {
  world: World;
  config: Config;
  /** Reads the configuration again, as it is now, or with other options. @throws SessionDbError `usage` when it is wrong */
  readConfig: (flags?: Flags) => Config;
  /** stdout: the answer and nothing else. */
  out: Output;
  /** stderr: progress, notes, freshness, hints. */
  talk: Output;
  /** Whether the answer is to be one JSON document. */
  json: boolean;
  /** All commands there are. */
  registry: Registry;
  /** Does what another command line says, in a world that differs in this, and resolves to its exit code. */
  again: (argv: readonly string[], change: Partial<World>) => Promise<number>;
  /** Takes work to be done once the answer is out. */
  later: (work: () => Promise<void>) => void;
}

/** One command: its help, and what it does. Its file loads the modules it needs only when it runs. */
export interface Command {
  /** The words after the command's name and what they mean. */
  positionals?: Record<string, string>;
  /** Whether a positional may be empty or white space, because it is a value. */
  takesEmptyWords?: (args: Args) => boolean;
  /** Whether the answer can be long: then it is shown page by page on a terminal. */
  pages?: boolean;
  /** What the positionals can be, for the shell to complete. */
  completes?: Completes;
  options: OptionTable;
  /** Command lines, each with what it does. */
  examples: readonly (readonly [commandLine: string, about: string])[];
  /** Resolves to the exit code. */
  run(context: Context, args: Args): Promise<number>;
}

export const COMMAND_GROUPS = ["Find", "Read", "Money", "Care"] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** A command as the overview lists it; the rest of it is loaded when it is called. */
export interface CommandEntry {
  /** What it is for: under this heading help lists it. */
  group: CommandGroup;
  /** Other names that it is called by. */
  aliases?: readonly string[];
  /** The name and the positionals after it, as yargs writes them. */
  form: string;
  about: string;
  /** Whether it changes sessions, or what others see of them; a demo has none of that. */
  changes?: boolean;
  /** Whether its words may begin with a dash: then an option of one letter stands alone, or before digits or `=`. */
  takesDashes?: boolean;
  /** Whether what follows is a command line of its own, options and all. */
  takesCommandLine?: boolean;
  load(): Promise<Command>;
}

export interface Registry {
  /** What `sessiondb` does without a command. */
  frontPage: CommandEntry;
  commands: readonly CommandEntry[];
}

/** The word that names the command; empty for the front page. */
export function commandName({ form }: CommandEntry): string {
  return form === "$0" ? "" : (form.split(" ", 1)[0] ?? "");
}

import type { Config } from "../config.ts";
import type { Args } from "./args.ts";
import type { OptionTable } from "./options.ts";
import type { Output } from "./output/output.ts";
import type { World } from "./world.ts";

export const ExitCode = { done: 0, failed: 1, usage: 2, busy: 75, interrupted: 130 } as const;

/** What a command works with. */
export interface Context {
  world: World;
  config: Config;
  /** The configuration as it stands by now. @throws SessionDbError `usage` when it is wrong */
  readConfig: () => Config;
  /** stdout: the answer and nothing else. */
  out: Output;
  /** stderr: progress, notes, freshness, hints. */
  talk: Output;
  /** The answer is one JSON document. */
  json: boolean;
}

/** Names that `sessiondb completion` lists, one a line, while somebody types. */
export const NAME_KINDS = ["models", "providers", "tools", "labels", "zones"] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** What can be said in a place of the command line: one of these words, a session, such a name, a path. */
export type Completes = "sessions" | "files" | NameKind | readonly string[];

/** One command: its help block and what it does. The file loads what it needs to run only when it runs. */
export interface Command {
  /** The words after the command's name and what they mean. */
  positionals?: Record<string, string>;
  /** Whether a word can be empty or white space, because it is a value. */
  takesEmptyWords?: (args: Args) => boolean;
  /** The answer can be long: on a terminal it is shown page by page. */
  pages?: boolean;
  /** What those words can be, for the shell to complete. */
  completes?: Completes;
  options: OptionTable;
  /** Command lines and what they do. */
  examples: readonly (readonly [commandLine: string, about: string])[];
  /** Resolves to the exit code. */
  run(context: Context, args: Args): Promise<number>;
}

import { COLOR_MODES } from "../../config/config.ts";

/** Kinds of names that `sessiondb completion` lists, one a line, while a command line is typed. */
export const NAME_KINDS = ["models", "providers", "tools", "labels", "zones", "qualifiers"] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/**
 * Kinds that it lists with what they are, behind a tab: `sessions` with `latest`, `ids` without it, `branches` of the session
 * that the line names.
 */
export const DESCRIBED_KINDS = ["sessions", "ids", "branches"] as const;
export type DescribedKind = (typeof DESCRIBED_KINDS)[number];

/** What may stand in a place of the command line: a path, a name of some kind, or one of these words. */
export type Completes = "files" | DescribedKind | NameKind | readonly string[];

/** Whether what is completed comes with a description. */
export function isDescribed(value: Completes | "anything"): value is DescribedKind {
  return DESCRIBED_KINDS.some((kind) => kind === value);
}

/** An option as it is declared, once: the parser, the help and the shells' completion are told by this. */
export interface Option {
  describe: string;
  /** One letter. */
  alias?: string;
  /** The word that stands for its value in the help; without one it takes none. */
  value?: string;
  /** What its value can be, where that is known. */
  completes?: Completes;
  /** Under which heading the help lists it. */
  group?: string;
}

/** Options by their names, without dashes. */
export type OptionTable = Readonly<Record<string, Option>>;

export const REVEAL_OPTION: OptionTable = {
  reveal: {
    describe: "Show secrets (tokens, keys, passwords) instead of masking them",
  },
};

/** The options of every command. */
export const GLOBAL_OPTIONS: OptionTable = {
  "agent-dir": { value: "DIR", completes: "files", describe: "pi's directory [default: ~/.pi/agent]" },
  "sessions-dir": {
    value: "DIR",
    completes: "files",
    describe: "Folder of session files (repeatable)",
  },
  db: { value: "FILE", completes: "files", describe: "The index file [default: in pi's directory]" },
  config: {
    value: "FILE",
    completes: "files",
    describe: "The configuration file [default: ~/.config/sessiondb/config.json]",
  },
  timezone: {
    value: "ZONE",
    alias: "z",
    completes: "zones",
    describe: "IANA time zone [default: the system's]",
  },
  json: { describe: "One JSON document instead of text" },
  color: {
    value: "WHEN",
    completes: COLOR_MODES,
    describe: `Colour: ${COLOR_MODES.join(", ")} [default: auto]`,
  },
  "no-color": { describe: "The same as --color never" },
  "no-pager": { describe: "Do not use a pager for long output" },
  version: { alias: "V", describe: "Show the version" },
  help: { alias: "h", describe: "Show help: -h in short, --help all of it" },
};

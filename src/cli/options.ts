import type { Options } from "yargs";
import { COLOR_MODES } from "../config.ts";

/**
 * The options of a command, as yargs describes them: `string` unless `type` says `boolean`. `choices` and `normalize`
 * (the value is a path) are for the shell's completion.
 */
export type OptionTable = Readonly<Record<string, Options>>;

export const REVEAL_OPTION: OptionTable = {
  reveal: {
    type: "boolean",
    describe: "Show secrets (tokens, keys, passwords) instead of masking them",
  },
};

/** The options of every command. */
export const GLOBAL_OPTIONS: OptionTable = {
  "agent-dir": { type: "string", normalize: true, describe: "pi's directory [default: ~/.pi/agent]" },
  "sessions-dir": {
    type: "string",
    normalize: true,
    describe: "Folder of session files (repeatable)",
  },
  db: { type: "string", normalize: true, describe: "The index file [default: in pi's directory]" },
  config: {
    type: "string",
    normalize: true,
    describe: "The configuration file [default: ~/.config/sessiondb/config.json]",
  },
  timezone: { type: "string", alias: "z", describe: "IANA time zone [default: the system's]" },
  json: { type: "boolean", describe: "One JSON document instead of text" },
  color: {
    type: "string",
    choices: COLOR_MODES,
    describe: `Colour: ${COLOR_MODES.join(", ")} [default: auto]`,
  },
  "no-color": { type: "boolean", describe: "The same as --color never" },
  "no-pager": { type: "boolean", describe: "Do not use a pager for long output" },
  version: { type: "boolean", describe: "Show the version" },
  help: { type: "boolean", alias: "h", describe: "Show this help" },
};

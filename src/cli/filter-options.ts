import type { Options } from "yargs";
import { absolutePath } from "../file/paths.ts";
import { ENTRY_TYPES } from "../format/types.ts";
import { type Filter, HAS, ORIGINS } from "../query/filter.ts";
import {
  type FilterWorld,
  readFilter as toFilter,
  VALUED_KEYS,
  type WrittenFilter,
} from "../query/read-filter.ts";
import { type Args, isSet, textOf } from "./args.ts";
import type { Context } from "./command.ts";
import type { OptionTable } from "./options.ts";

/** The usual roles, for the shell; any other can be asked for, too. */
const ROLES = ["user", "assistant", "toolResult", "bashExecution"];

/** The conditions that list, search and usage share. */
const FILTER_OPTIONS = {
  project: { normalize: true, describe: "Only this directory and everything below it" },
  here: { describe: "Only the current directory and everything below it" },
  since: { describe: "Since this day or time: 2026-11-03, today, 7d, 2w, 3mo" },
  until: { describe: "Up to and including this day or time" },
  model: { describe: "Part of a model's name" },
  provider: { describe: "Name of a provider" },
  role: { choices: ROLES, describe: "Role of the message: user, assistant, toolResult, ..." },
  type: { choices: ENTRY_TYPES, describe: "Type of the entry: message, compaction, ..." },
  tool: { describe: "Name of a tool" },
  label: { describe: "Only entries with this label" },
  named: { describe: "Only sessions that have a name" },
  has: {
    choices: HAS,
    describe:
      "Entries with an error, image or compaction (list: sessions that have one); branch: sessions with several branches",
  },
  origin: { choices: ORIGINS, describe: `How the session began: ${ORIGINS.join(", ")}` },
} as const satisfies Record<string, Options>;

const FLAGS: readonly string[] = ["here", "named"];

/** The same for yargs: all are strings, except the two that take no value. */
export function filterOptions(): OptionTable {
  const entries = Object.entries(FILTER_OPTIONS).map(([name, option]): [string, Options] => {
    const type = FLAGS.includes(name) ? "boolean" : "string";
    return [name, { ...option, type, group: "Filters:" }];
  });
  return Object.fromEntries(entries);
}

export function filterWorldOf({ world, config }: Context): FilterWorld {
  return {
    now: world.now(),
    timezone: config.timezone,
    absolutePath: (path, source) => absolutePath(path, source, world),
  };
}

/** The options as a Filter. @throws SessionDbError `usage` */
export function readFilter(args: Args, world: FilterWorld): Filter {
  const written: WrittenFilter = { here: isSet(args, "here"), ...(isSet(args, "named") && { named: true }) };
  for (const name of VALUED_KEYS) {
    const text = textOf(args, name);
    if (text !== undefined) written[name] = text;
  }
  return toFilter(written, world, (key) => `--${key}`);
}

import type { Config } from "../../config/config.ts";
import { absolutePath } from "../../files/paths.ts";
import { type Filter, HAS, ORIGINS } from "../../filters/filter.ts";
import { type FilterWorld, readFilter, VALUED_KEYS, type WrittenFilter } from "../../filters/filter-words.ts";
import { ENTRY_TYPES } from "../../format/types.ts";
import type { World } from "../terminal/world.ts";
import { type Args, countOf, isSet, textOf } from "./args.ts";
import type { Option, OptionTable } from "./options.ts";

/** The usual roles, for the shell; any other can be asked for, too. */
const ROLES = ["user", "assistant", "toolResult", "bashExecution"];

/** The conditions that list, search and usage share. */
const FILTER_OPTIONS: OptionTable = {
  project: {
    value: "DIR",
    completes: "files",
    describe: "Only this project, by any of its directories, and everything below it",
  },
  session: {
    value: "ID",
    completes: "ids",
    describe: "Only this session: its id, the beginning of one, or its path",
  },
  here: { describe: "Only the project of the current directory, and everything below it" },
  since: { value: "WHEN", describe: "Since this day or time: 2026-11-03, today, 7d, 2w, 3mo" },
  until: { value: "WHEN", describe: "Up to and including this day or time" },
  model: { value: "NAME", completes: "models", describe: "Part of a model's name" },
  provider: { value: "NAME", completes: "providers", describe: "Name of a provider" },
  role: {
    value: "ROLE",
    completes: ROLES,
    describe: "Role of the message: user, assistant, toolResult, ...",
  },
  type: {
    value: "TYPE",
    completes: ENTRY_TYPES,
    describe: "Type of the entry: message, compaction, ...",
  },
  tool: { value: "NAME", completes: "tools", describe: "Name of a tool" },
  label: { value: "LABEL", completes: "labels", describe: "Only entries with this label" },
  named: { describe: "Only sessions that have a name" },
  has: {
    value: "WHAT",
    completes: HAS,
    describe:
      "Entries with an error, image or compaction (list: sessions that have one); branch: sessions with several branches; archived: those in the archive",
  },
  origin: { value: "HOW", completes: ORIGINS, describe: `How the session began: ${ORIGINS.join(", ")}` },
};

export function filterOptions(): OptionTable {
  const entries = Object.entries(FILTER_OPTIONS).map(([name, option]): [string, Option] => [
    name,
    { ...option, group: "Filters:" },
  ]);
  return Object.fromEntries(entries);
}

/** What words of a filter depend on. */
interface FilterContext {
  world: Pick<World, "now" | "home" | "cwd">;
  config: Pick<Config, "timezone">;
}

export function filterWorldOf({ world, config }: FilterContext): FilterWorld {
  return {
    now: world.now(),
    timezone: config.timezone,
    absolutePath: (path, source) => absolutePath(path, source, world),
  };
}

/** The options as a Filter. @throws SessionDbError `usage` */
export function filterFrom(context: FilterContext, args: Args): Filter {
  return readWritten(context, {
    ...valuesIn(args),
    here: isSet(args, "here"),
    ...(isSet(args, "named") && { named: true }),
  });
}

/** The filters that take a value, as they were written. */
export function valuesIn(args: Args): WrittenFilter {
  const written: WrittenFilter = {};
  for (const name of VALUED_KEYS) {
    const text = textOf(args, name);
    if (text !== undefined) written[name] = text;
  }
  return written;
}

/** @throws SessionDbError `usage`, which names the option */
export function readWritten(context: FilterContext, written: WrittenFilter): Filter {
  return readFilter(written, filterWorldOf(context), (key) => `--${key}`);
}

/** The option for how many sessions are listed. `onTerminal` is for people: programs and files get all. */
export function limitOption(onTerminal: number): OptionTable {
  return {
    limit: {
      value: "N",
      alias: "n",
      describe: `Maximum number of sessions, 0 = all [default: ${onTerminal} on a terminal, else 0]`,
    },
  };
}

/** How many sessions to list, 0 for all. @throws SessionDbError `usage` */
export function sessionLimitOf(isForPeople: boolean, args: Args, onTerminal: number): number {
  return countOf(args, "limit") ?? (isForPeople ? onTerminal : 0);
}

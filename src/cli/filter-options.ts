import type { Options } from "yargs";
import { absolutePath } from "../config.ts";
import { SessionDbError } from "../errors.ts";
import type { Filter } from "../query/filter.ts";
import { type Args, choiceOf, isSet, textOf } from "./args.ts";
import type { Context } from "./command.ts";
import type { Calendar } from "./dates.ts";
import type { OptionTable } from "./options.ts";

const HAS = ["error", "image", "compaction", "branch"] as const;
const ORIGINS = ["interactive", "fork", "subagent"] as const;

/** The conditions that list, search and usage share. */
export const FILTER_OPTIONS = {
  project: { describe: "Only this directory and what lies below it" },
  here: { describe: "Only the current directory and what lies below it" },
  since: { describe: "From this day or instant on: 2026-11-03, today, 7d, 2w, 3mo" },
  until: { describe: "Up to and with this day or instant" },
  model: { describe: "Part of a model's name" },
  provider: { describe: "Name of a provider" },
  role: { describe: "Role of the message: user, assistant, toolResult, ..." },
  type: { describe: "Type of the entry: message, compaction, ..." },
  tool: { describe: "Name of a tool" },
  label: { describe: "Only what bears this label" },
  named: { describe: "Only sessions that have a name" },
  has: { describe: `Only sessions with such an entry: ${HAS.join(", ")}` },
  origin: { describe: `How the session began: ${ORIGINS.join(", ")}` },
} as const satisfies Record<string, Options>;

const FLAGS: readonly string[] = ["here", "named"];
const TEXTS = ["model", "provider", "role", "type", "tool", "label"] as const;

/** The same for yargs: everything is a string but the two that take no value. */
export function filterOptions(): OptionTable {
  const entries = Object.entries(FILTER_OPTIONS).map(([name, option]): [string, Options] => {
    const type = FLAGS.includes(name) ? "boolean" : "string";
    return [name, { ...option, type, group: "Filters:" }];
  });
  return Object.fromEntries(entries);
}

/** Where names of directories and days are taken from. */
export interface FilterWorld extends Calendar {
  home: string;
  cwd: string | undefined;
}

export function filterWorldOf({ world, config }: Context): FilterWorld {
  return { home: world.home, cwd: world.cwd, now: world.now(), timezone: config.timezone };
}

/** The options as a Filter. @throws SessionDbError `usage` */
export async function readFilter(args: Args, world: FilterWorld): Promise<Filter> {
  const filter: Filter = { ...projectOf(args, world), ...(await datesOf(args, world)) };
  for (const name of TEXTS) {
    const text = textOf(args, name);
    if (text !== undefined) filter[name] = text;
  }
  const has = choiceOf(args, "has", HAS);
  if (has !== undefined) filter.has = has;
  const origin = choiceOf(args, "origin", ORIGINS);
  if (origin !== undefined) filter.origin = origin;
  if (isSet(args, "named")) filter.named = true;
  return filter;
}

function projectOf(args: Args, world: FilterWorld): Pick<Filter, "project"> {
  const project = textOf(args, "project");
  if (project !== undefined && isSet(args, "here")) {
    throw new SessionDbError("usage", "--project and --here exclude each other", { hint: "Leave out one." });
  }
  if (project !== undefined) return { project: absolutePath(project, "--project", world) };
  return isSet(args, "here") ? { project: absolutePath(".", "--here", world) } : {};
}

async function datesOf(args: Args, calendar: Calendar): Promise<Pick<Filter, "since" | "until">> {
  const since = textOf(args, "since");
  const until = textOf(args, "until");
  if (since === undefined && until === undefined) return {};
  const { parseSpan } = await import("./dates.ts");
  const start = since === undefined ? undefined : parseSpan(since, calendar).start;
  const end = until === undefined ? undefined : parseSpan(until, calendar).end;
  if (start !== undefined && end !== undefined && start >= end) {
    throw new SessionDbError("usage", `--since ${since} is after --until ${until}`, {
      hint: "Swap them, or leave out one.",
    });
  }
  return { ...(start !== undefined && { since: start }), ...(end !== undefined && { until: end }) };
}

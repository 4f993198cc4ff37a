import { SessionDbError } from "../errors.ts";
import { type Period, type PeriodContext, parsePeriod } from "../time/period.ts";
import { type Filter, HAS, ORIGINS } from "./filter.ts";

/** The conditions that take a value, as an option and as `key:value` in a query. */
export const VALUED_KEYS = [
  "project",
  "since",
  "until",
  "model",
  "provider",
  "role",
  "type",
  "tool",
  "label",
  "has",
  "origin",
] as const;

/** A filter as people write it, in options or in a query. */
export interface WrittenFilter {
  project?: string;
  here?: boolean;
  since?: string;
  until?: string;
  model?: string;
  provider?: string;
  role?: string;
  type?: string;
  tool?: string;
  label?: string;
  named?: boolean;
  has?: string;
  origin?: string;
}

/** What gives names of directories and days their meaning. */
export interface FilterWorld extends PeriodContext {
  /** A directory as an absolute path; errors name `source` as the setting that asked for it. */
  absolutePath(path: string, source: string): string;
}

/** How a key is called in errors: `--since` on a command line. */
type NameOf = (key: keyof WrittenFilter) => string;

const TEXTS = ["model", "provider", "role", "type", "tool", "label"] as const;

/** @throws SessionDbError `usage` */
export function readFilter(written: WrittenFilter, world: FilterWorld, nameOf: NameOf): Filter {
  const filter: Filter = { ...projectOf(written, world, nameOf), ...datesOf(written, world, nameOf) };
  for (const key of TEXTS) {
    const text = written[key];
    if (text === undefined) continue;
    if (text.trim() === "") {
      throw new SessionDbError("usage", `${nameOf(key)} needs a value`, {
        hint: "Give one, or leave it out.",
      });
    }
    filter[key] = text;
  }
  if (written.has !== undefined) filter.has = oneOf(HAS, written.has, nameOf("has"));
  if (written.origin !== undefined) filter.origin = oneOf(ORIGINS, written.origin, nameOf("origin"));
  if (written.named !== undefined) filter.named = written.named;
  return filter;
}

/** @throws SessionDbError `usage` */
function oneOf<T extends string>(choices: readonly T[], text: string, name: string): T {
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new SessionDbError("usage", `${name} cannot be "${text}"`, {
    hint: `Choose one of: ${choices.join(", ")}.`,
  });
}

function projectOf(
  { project, here }: WrittenFilter,
  world: FilterWorld,
  nameOf: NameOf,
): Pick<Filter, "project"> {
  const names = [nameOf("project"), nameOf("here")] as const;
  if (project !== undefined && here) {
    throw new SessionDbError("usage", `${names[0]} and ${names[1]} cannot be used together`, {
      hint: "Leave one out.",
    });
  }
  if (project !== undefined) return { project: world.absolutePath(project, names[0]) };
  return here ? { project: world.absolutePath(".", names[1]) } : {};
}

function datesOf(
  { since, until }: WrittenFilter,
  world: FilterWorld,
  nameOf: NameOf,
): Pick<Filter, "since" | "until"> {
  const first = since === undefined ? undefined : parsePeriod(since, world);
  const last = until === undefined ? undefined : parsePeriod(until, world);
  if (first !== undefined && last !== undefined && isAfter(first, last)) {
    throw new SessionDbError("usage", `${nameOf("since")} ${since} is after ${nameOf("until")} ${until}`, {
      hint: "Swap them, or leave out one.",
    });
  }
  return { ...(first && { since: first.start }), ...(last && { until: last.end }) };
}

/** A day that the clocks of a zone skipped has no time at all: it ends as it begins, and is not after itself. */
function isAfter(first: Period, last: Period): boolean {
  return first.start >= last.end && first.start > last.start;
}

import * as v from "valibot";
import { SessionDbError } from "../errors.ts";
import { isAbsoluteOnWindows } from "../files/paths.ts";
import { looksLikePath } from "../files/session-path.ts";
import { oneOf, type Problem, someText, validated } from "../runtime/validation.ts";
import { type Period, type PeriodContext, parsePeriod } from "../time/period.ts";
import { type Filter, HAS, ORIGINS } from "./filter.ts";

/** The conditions that take a value, as an option and as `key:value` in a query. */
export const VALUED_KEYS = [
  "project",
  "session",
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
export type WrittenFilter = { [Key in (typeof VALUED_KEYS)[number]]?: string } & {
  here?: boolean;
  named?: boolean;
};

/** The conditions that mean the same whoever writes them: a person, or a program. */
export const WORDS = v.object({
  session: v.exactOptional(someText),
  model: v.exactOptional(someText),
  provider: v.exactOptional(someText),
  role: v.exactOptional(someText),
  type: v.exactOptional(someText),
  tool: v.exactOptional(someText),
  label: v.exactOptional(someText),
  has: v.exactOptional(oneOf(HAS)),
  origin: v.exactOptional(oneOf(ORIGINS)),
});

/** What gives names of directories and days their meaning. */
export interface FilterWorld extends PeriodContext {
  /** A directory as an absolute path; errors name `source` as the setting that asked for it. */
  absolutePath(path: string, source: string): string;
}

/** How a key is called in errors: `--since` on a command line. */
type NameOf = (key: string) => string;

/** @throws SessionDbError `usage` */
export function readFilter(written: WrittenFilter, world: FilterWorld, nameOf: NameOf): Filter {
  return {
    ...projectOf(written, world, nameOf),
    ...datesOf(written, world, nameOf),
    ...sessionOf(
      validated(WORDS, written, (problem) => wrong(problem, nameOf)),
      world,
      nameOf,
    ),
    ...(written.named !== undefined && { named: written.named }),
  };
}

/** Paths are absolute, so that they mean a file of the index. */
function sessionOf<T extends { session?: string }>(words: T, world: FilterWorld, nameOf: NameOf): T {
  const { session } = words;
  if (session === "latest") {
    throw new SessionDbError(
      "usage",
      `${nameOf("session")} takes the id of a session, or the beginning of one`,
      {
        hint: "sessiondb list shows them, last active first.",
      },
    );
  }
  if (session === undefined || !looksLikePath(session)) return words;
  return { ...words, session: world.absolutePath(session, nameOf("session")) };
}

const CHOICES: Partial<Record<string, readonly string[]>> = { has: HAS, origin: ORIGINS };

function wrong({ path, value }: Problem, nameOf: NameOf): SessionDbError {
  const key = String(path[0]);
  const choices = CHOICES[key];
  if (choices === undefined) {
    return new SessionDbError("usage", `${nameOf(key)} needs a value`, {
      hint: "Give one, or leave it out.",
    });
  }
  return new SessionDbError("usage", `${nameOf(key)} cannot be "${value}"`, {
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
  // A directory of another system means what the sessions say, and nothing below the current directory.
  if (project !== undefined && isAbsoluteOnWindows(project)) return { project };
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

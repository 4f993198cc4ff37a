import { createRequire } from "node:module";
import type { JSONPath, Node, ParseError } from "jsonc-parser";
import * as v from "valibot";
import { SessionDbError } from "../errors.ts";
import { complaintOf, oneOf, textNamed, validated } from "../runtime/validation.ts";
import { WEEKDAYS } from "../time/calendar.ts";
import { BUDGETS } from "./budget-settings.ts";
import { PUSH, TEAM } from "./push-settings.ts";
import { withoutMark } from "./text-file.ts";

export const COLOR_MODES = ["auto", "always", "never"] as const;
export type ColorMode = (typeof COLOR_MODES)[number];

const path = textNamed("a path");
const paths = v.array(path, "a list of paths");
const aString = textNamed("a string");

/**
 * The settings in the user's configuration file, absent where they are not set. `config.schema.json` says the same, which
 * a test makes sure of.
 */
export const SETTINGS = v.object({
  sessionsDirs: v.exactOptional(
    v.pipe(
      paths,
      v.description(
        "Folders of sessions, instead of the one pi uses, unless --agent-dir is given. Paths are absolute, or begin with ~.",
      ),
      v.examples([["~/.pi/agent/sessions", "/srv/pi/sessions"]]),
    ),
  ),
  db: v.exactOptional(
    v.pipe(
      aString,
      v.description("The index file, unless --agent-dir is given. The full text is kept beside it."),
      v.examples(["~/.cache/sessiondb/index-v1.db"]),
    ),
  ),
  timezone: v.exactOptional(
    v.pipe(
      aString,
      v.description("The IANA time zone; by default the system's."),
      v.examples(["Europe/Berlin", "UTC"]),
    ),
  ),
  weekStart: v.exactOptional(v.pipe(oneOf(WEEKDAYS), v.description("The first day of the week."))),
  color: v.exactOptional(v.pipe(oneOf(COLOR_MODES), v.description("Whether to use colour."))),
  exclude: v.exactOptional(
    v.pipe(
      paths,
      v.description(
        "What is never indexed, and is removed from the index if it was: folders of sessions, or project directories (which stand for the folders in which pi keeps their sessions). * matches any part of a name.",
      ),
      v.examples([["~/projects/secret", "~/.pi/agent/sessions/--home-ada-clients-*"]]),
    ),
  ),
  budgets: v.exactOptional(
    v.pipe(
      BUDGETS,
      v.description(
        "What may be spent: each with a name, a limit a day, a week, a month or in all, and of what it counts. It counts what meets all of its keys.",
      ),
      v.examples([
        [
          { name: "work", project: "~/work", month: 200, warn: 0.8 },
          { name: "all", day: 25, week: 100 },
        ],
      ]),
    ),
  ),
  team: v.exactOptional(v.pipe(TEAM, v.description("The database that a team shares."))),
  push: v.exactOptional(
    v.pipe(
      PUSH,
      v.description("What of this device is pushed to the team's database: nothing but what is listed here."),
      v.examples([{ projects: ["~/work/*"], level: "usage" }]),
    ),
  ),
  aliases: v.exactOptional(
    v.pipe(
      v.record(v.string(), path, "an object of paths"),
      v.description(
        "Directories that are the project of another one, by which all that was held in them counts: from where a project was to where it is. * matches any part of a name.",
      ),
      v.examples([{ "~/orchard": "~/projects/orchard", "/tmp/orchard-*": "~/projects/orchard" }]),
    ),
  ),
});

/** What holds where a setting is absent. */
export const DEFAULTS = { weekStart: "monday", color: "auto" } as const;

export type Settings = v.InferOutput<typeof SETTINGS>;

export const SETTING_NAMES = Object.keys(SETTINGS.entries);

/** The settings of a file, and remarks about it. */
export interface ReadSettings {
  settings: Settings;
  /** For people, on stderr. */
  notes: string[];
  /** Where a setting stands, for errors about its value: `/home/ada/.config/sessiondb/config.json:4`. */
  placeOf: (name: keyof Settings) => string;
}

/**
 * Reads the settings in a configuration file. Unknown names give notes, because a newer version may know them. Anything
 * else that is wrong is an error: if an `exclude` were ignored, files that must not be in the index would get there.
 *
 * @throws SessionDbError `usage`, which names the line
 */
export function parseSettings(text: string, path: string): ReadSettings {
  const json = withoutMark(text);
  const place = (keys: JSONPath) => `${path}:${lineOf(json, keys)}`;
  const value = parse(json, path);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(path, "is not a JSON object");
  const strange = Object.keys(value).filter((name) => name !== "$schema" && !SETTING_NAMES.includes(name));
  return {
    settings: validated(SETTINGS, value, (problem) =>
      wrong(place([...problem.path]), complaintOf("", problem)),
    ),
    notes: strange.map(
      (name) => `${path}: there is no setting "${name}"; the settings are ${SETTING_NAMES.join(", ")}`,
    ),
    placeOf: (name) => place([name]),
  };
}

function parse(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const errors: ParseError[] = [];
    jsonc().parseTree(json, errors, { disallowComments: true });
    throw wrong(`${path}:${lineAt(json, errors[0]?.offset ?? 0)}`, `is not valid JSON (${error.message})`);
  }
}

/** The line on which a value stands, or, where it is missing, what should hold it. Of two of one name the later one counts. */
function lineOf(json: string, keys: JSONPath): number {
  let node = jsonc().parseTree(json);
  for (const key of keys) {
    const inner = typeof key === "number" ? node?.children?.[key] : valueNamed(node, key);
    if (inner === undefined) break;
    node = inner;
  }
  return lineAt(json, node?.offset ?? 0);
}

function valueNamed(object: Node | undefined, name: string): Node | undefined {
  const property = object?.children?.findLast(({ children }) => children?.[0]?.value === name);
  return property?.children?.[1];
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Loaded once something is wrong: `JSON.parse` does not say where, and is all that a right file needs. */
function jsonc(): typeof import("jsonc-parser") {
  return createRequire(import.meta.url)("jsonc-parser") as typeof import("jsonc-parser");
}

/** @param where the file, or a place in it */
function wrong(where: string, what: string): SessionDbError {
  return new SessionDbError("usage", `${where}: ${what}`, { hint: "Fix the file, or move it away." });
}

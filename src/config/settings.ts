import { SessionDbError } from "../errors.ts";
import { WEEKDAYS, type Weekday } from "../time/calendar.ts";
import { withoutMark } from "./byte-order-mark.ts";

export const COLOR_MODES = ["auto", "always", "never"] as const;
export type ColorMode = (typeof COLOR_MODES)[number];

/** The settings in the user's configuration file; absent means not set. `config.schema.json` describes the same. */
export interface Settings {
  sessionsDirs?: string[];
  db?: string | undefined;
  timezone?: string;
  weekStart?: Weekday;
  color?: ColorMode;
  exclude?: string[];
}

/** The settings of a file, and remarks about it. */
export interface ReadSettings {
  settings: Settings;
  /** For people, on stderr. */
  notes: string[];
}

type Problem = string | undefined;

/** What is wrong with a value, as the end of a sentence; undefined when nothing is. */
const CHECKS: Record<keyof Settings, (value: unknown) => Problem> = {
  sessionsDirs: paths,
  db: text,
  timezone: text,
  weekStart: oneOf(WEEKDAYS),
  color: oneOf(COLOR_MODES),
  exclude: paths,
};

export const SETTING_NAMES = Object.keys(CHECKS);

/**
 * Reads the settings in a configuration file. Unknown names give notes, because a newer version may know them. Anything
 * else that is wrong is an error: if an `exclude` were ignored, files that must not be in the index would get there.
 *
 * @throws SessionDbError `usage`
 */
export function parseSettings(json: string, path: string): ReadSettings {
  const value = parse(json, path);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(path, "is not a JSON object");
  const notes: string[] = [];
  for (const [name, setting] of Object.entries(value)) {
    if (name === "$schema") continue;
    if (!isSettingName(name)) {
      notes.push(`${path}: there is no setting "${name}"; the settings are ${SETTING_NAMES.join(", ")}`);
      continue;
    }
    const problem = CHECKS[name](setting);
    if (problem !== undefined) throw wrong(path, `${name} ${problem}`);
  }
  return { settings: value, notes };
}

function isSettingName(name: string): name is keyof Settings {
  return Object.hasOwn(CHECKS, name);
}

function parse(json: string, path: string): unknown {
  try {
    return JSON.parse(withoutMark(json));
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong(path, `is not valid JSON (${error.message})`);
    throw error;
  }
}

function wrong(path: string, what: string): SessionDbError {
  return new SessionDbError("usage", `${path}: ${what}`, { hint: "Fix the file, or move it away." });
}

function text(value: unknown): Problem {
  return typeof value === "string" && value.trim() !== "" ? undefined : "has to be a string";
}

function paths(value: unknown): Problem {
  const isList = Array.isArray(value) && value.every((each) => text(each) === undefined);
  return isList ? undefined : "has to be a list of paths";
}

function oneOf(choices: readonly string[]): (value: unknown) => Problem {
  return (value) =>
    choices.some((choice) => choice === value) ? undefined : `has to be one of ${choices.join(", ")}`;
}

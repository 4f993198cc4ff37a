import { basename, dirname, isAbsolute, join } from "node:path";
import { absolutePath, isAbsoluteOnWindows, usualIndexPath } from "../files/paths.ts";
import type { Environment } from "../runtime/env.ts";
import type { Weekday } from "../time/calendar.ts";
import { isUnset, ownTimezone, timezoneByIntl, unknownTimezone } from "../time/zone.ts";
import type { BudgetSetting } from "./budget-settings.ts";
import { sessionDirOf } from "./pi.ts";
import { PUSH_DEFAULTS, type TeamConfig } from "./push-settings.ts";
import { type ColorMode, DEFAULTS, type Settings } from "./settings.ts";
import { readSettingsFile } from "./settings-file.ts";
import { type ReadText, readTextFile } from "./text-file.ts";

export { COLOR_MODES, type ColorMode } from "./settings.ts";
/** The options of the command line about places; absent means not given. */
export interface Flags {
  agentDir?: string | undefined;
  sessionsDir?: readonly string[] | undefined;
  db?: string | undefined;
  config?: string | undefined;
  timezone?: string | undefined;
  color?: ColorMode | undefined;
}

export interface ConfigInputs {
  flags: Flags;
  env: Environment;
  /** The user's home directory; must be absolute where anything depends on it. */
  home: string;
  /** Undefined when the current directory no longer exists. */
  cwd: string | undefined;
  /**
   * Returns the IANA zone a name stands for, the system's without a name; undefined for an unknown name. By default
   * `Intl` is asked.
   */
  timezoneOf?: (name: string | undefined) => string | undefined;
  readText?: ReadText;
}

export interface Config {
  agentDir: string;
  /** Whether the configuration file may set these: not where `--agent-dir` is given. */
  inFile: { sessionsDirs: boolean; db: boolean };
  /** Absolute session roots: at least one, without duplicates. */
  roots: string[];
  location: { indexPath: string; searchPath: string };
  /** An IANA name. */
  timezone: string;
  /** The day weeks begin with. */
  weekStart: Weekday;
  /** Absolute paths that are never indexed, with `*` for any part of a name. */
  exclude: string[];
  /** Absolute directories, with `*` for any part of a name, and those whose projects they are. */
  aliases: Record<string, string>;
  /** What may be spent; projects are absolute directories. */
  budgets: BudgetSetting[];
  team: TeamConfig;
  /** Where the user's configuration file is, or would be. */
  configPath: string;
  color: ColorMode;
  /** Whether to show the stack of a bug. */
  debug: boolean;
  /** What was wrong with a source of settings and what was taken instead: for people, on stderr. */
  notes: string[];
}

/**
 * The settings in force: flags come first, then the environment, the user's configuration file, pi's settings, and
 * defaults. Pure except for `readText`. Throws `usage` for an unknown time zone, for a relative path without a current
 * directory and for a configuration file that is wrong.
 */
export function resolveConfig(given: ConfigInputs): Config {
  const inputs = { readText: readTextFile, ...given };
  const { flags, env, readText } = inputs;
  const configPath = configPathOf(inputs);
  const reading = { isNamed: flags.config !== undefined, readText };
  const { settings: written, notes, placeOf } = readSettingsFile(configPath, reading);
  // With `--agent-dir` the question is about the sessions of that directory, which must not get into the usual index.
  const { sessionsDirs: _sessionsDirs, db: _db, ...elsewhere } = written;
  const settings: Settings = flags.agentDir === undefined ? written : elsewhere;
  const agentDir = resolveAgentDir(inputs);
  return {
    agentDir,
    inFile: { sessionsDirs: (settings.sessionsDirs ?? []).length > 0, db: settings.db !== undefined },
    roots: resolveRoots(inputs, agentDir, settings, notes),
    location: resolveLocation(inputs, agentDir, settings),
    timezone: resolveTimezone(settings.timezone, () => placeOf("timezone"), { ...inputs, notes }),
    weekStart: settings.weekStart ?? DEFAULTS.weekStart,
    exclude: (settings.exclude ?? []).map((path) => fromSettings(path, "exclude", inputs)),
    aliases: Object.fromEntries(
      Object.entries(settings.aliases ?? {}).map((each) =>
        each.map((path) => fromSettings(path, "aliases", inputs)),
      ),
    ),
    budgets: (settings.budgets ?? []).map((budget) => budgetOf(budget, inputs)),
    team: teamOf(settings, inputs),
    configPath,
    color: flags.color ?? colorOf(env, settings.color),
    debug: wantsDebug(env),
    notes,
  };
}

/** An index database with its search database: `index-v1.db` and `search-v1.db` stand side by side. */
export function locateIndex(indexPath: string): Config["location"] {
  const name = basename(indexPath);
  const searchName = name.includes("index")
    ? name.replace("index", "search")
    : `${name.replace(/\.db$/, "")}.search.db`;
  return { indexPath, searchPath: join(dirname(indexPath), searchName) };
}

function resolveAgentDir(inputs: ConfigInputs): string {
  if (inputs.flags.agentDir !== undefined) return absolutePath(inputs.flags.agentDir, "--agent-dir", inputs);
  const fromEnvironment = inputs.env.PI_CODING_AGENT_DIR || undefined;
  if (fromEnvironment !== undefined) return absolutePath(fromEnvironment, "PI_CODING_AGENT_DIR", inputs);
  return absolutePath("~/.pi/agent", "The agent directory", inputs);
}

/**
 * The path in `--config`, else `$XDG_CONFIG_HOME/sessiondb/config.json`, on every system; that is `~/.config` if not
 * set.
 */
function configPathOf(inputs: ConfigInputs): string {
  const { flags, env, home } = inputs;
  if (flags.config !== undefined) return absolutePath(flags.config, "--config", inputs);
  const named = env.XDG_CONFIG_HOME ?? "";
  return join(isAbsolute(named) ? named : join(home, ".config"), "sessiondb", "config.json");
}

/** Paths in the configuration file are absolute or begin with `~`: the file must mean the same in every directory. */
function fromSettings(text: string, name: string, { home }: ConfigInputs): string {
  return absolutePath(text, `${name} in the configuration file`, { home, cwd: home });
}

/** As with `--project`, a directory of another system means what the sessions say. */
function budgetOf({ project, ...budget }: BudgetSetting, inputs: ConfigInputs): BudgetSetting {
  if (project === undefined) return budget;
  if (isAbsoluteOnWindows(project)) return { ...budget, project };
  return { ...budget, project: fromSettings(project, `project of the budget "${budget.name}"`, inputs) };
}

function teamOf({ team, push }: Settings, inputs: ConfigInputs): TeamConfig {
  const { projects = [], ...rest } = push ?? {};
  return {
    ...PUSH_DEFAULTS,
    label: undefined,
    ...rest,
    url: inputs.env.SESSIONDB_TEAM || team?.url,
    budgets: team?.budgets ?? [],
    projects: projects.map((path) => (path === "*" ? path : fromSettings(path, "push.projects", inputs))),
  };
}

function resolveLocation(inputs: ConfigInputs, agentDir: string, settings: Settings): Config["location"] {
  if (inputs.flags.db !== undefined) return locateIndex(absolutePath(inputs.flags.db, "--db", inputs));
  if (settings.db !== undefined) return locateIndex(fromSettings(settings.db, "db", inputs));
  return indexIn(agentDir);
}

/** Where the index for pi's directory is by default. */
export function indexIn(agentDir: string): Config["location"] {
  return locateIndex(usualIndexPath(agentDir));
}

function resolveRoots(
  inputs: ConfigInputs & { readText: ReadText },
  agentDir: string,
  settings: Settings,
  notes: string[],
): string[] {
  const named = inputs.flags.sessionsDir ?? [];
  if (named.length > 0) {
    return [...new Set(named.map((path) => absolutePath(path, "--sessions-dir", inputs)))];
  }
  const fromEnvironment = inputs.env.PI_CODING_AGENT_SESSION_DIR || undefined;
  if (fromEnvironment !== undefined && inputs.flags.agentDir === undefined) {
    return [absolutePath(fromEnvironment, "PI_CODING_AGENT_SESSION_DIR", inputs)];
  }
  const inFile = settings.sessionsDirs ?? [];
  if (inFile.length > 0)
    return [...new Set(inFile.map((path) => fromSettings(path, "sessionsDirs", inputs)))];
  const settingsPath = join(agentDir, "settings.json");
  const ofPi = sessionDirOf(settingsPath, inputs.readText, notes);
  if (ofPi !== undefined) return [absolutePath(ofPi, `sessionDir in ${settingsPath}`, inputs)];
  return [join(agentDir, "sessions")];
}

function resolveTimezone(
  inFile: string | undefined,
  placeInFile: () => string,
  { flags, env, timezoneOf = zoneOf(env), notes }: ConfigInputs & Pick<Config, "notes">,
): string {
  const asked = flags.timezone ?? inFile;
  const zone = timezoneOf(asked);
  if (zone !== undefined) return zone;
  if (asked !== undefined)
    throw unknownTimezone(asked, flags.timezone === undefined ? placeInFile() : undefined);
  if (env.TZ !== undefined && !isUnset(env.TZ)) {
    notes.push(
      `TZ is "${env.TZ}", of which Node makes UTC; set it, or --timezone, to a name such as Europe/Berlin.`,
    );
  }
  return "UTC";
}

function zoneOf({ TZ }: Environment): (name: string | undefined) => string | undefined {
  return (name) => (name === undefined ? ownTimezone(TZ) : timezoneByIntl(name));
}

/** https://no-color.org wins over `FORCE_COLOR`; a dumb terminal has no colour. */
export function colorOf(env: Environment, setting: ColorMode = DEFAULTS.color): ColorMode {
  if (isSet(env, "NO_COLOR") || env.FORCE_COLOR === "0") return "never";
  if (isSet(env, "FORCE_COLOR")) return "always";
  return env.TERM === "dumb" ? "never" : setting;
}

/** Whether the stack of a bug is to be shown. */
export function wantsDebug(env: Environment): boolean {
  return isSet(env, "SESSIONDB_DEBUG");
}

function isSet(env: Environment, name: string): boolean {
  return (env[name] ?? "") !== "";
}

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { toJsonSchema } from "@valibot/to-json-schema";
import { describe, expect, test } from "vitest";
import { type ConfigInputs, resolveConfig } from "../../src/config/config.ts";
import { DEFAULTS, parseSettings, SETTING_NAMES, SETTINGS } from "../../src/config/settings.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const FILE = "/home/ada/.config/sessiondb/config.json";

/** A world with one configuration file, and others by path. */
function withFiles(files: Record<string, unknown>, change: Partial<ConfigInputs> = {}): ConfigInputs {
  return {
    flags: {},
    env: {},
    home: "/home/ada",
    cwd: "/work",
    readText: (path) => {
      if (Object.hasOwn(files, path)) return JSON.stringify(files[path]);
      throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
    },
    ...change,
  };
}

const resolve = (settings: object, change: Partial<ConfigInputs> = {}) =>
  resolveConfig(withFiles({ [FILE]: settings }, change));

describe("the configuration file", () => {
  test("says where things are and how they are shown", () => {
    const config = resolve({
      sessionsDirs: ["~/one", "/two", "/two"],
      db: "~/cache/index.db",
      timezone: "Asia/Tokyo",
      weekStart: "sunday",
      color: "never",
      exclude: ["~/secret", "/srv/*"],
    });
    expect(config).toMatchObject({
      roots: ["/home/ada/one", "/two"],
      location: { indexPath: "/home/ada/cache/index.db" },
      timezone: "Asia/Tokyo",
      weekStart: "sunday",
      color: "never",
      exclude: ["/home/ada/secret", "/srv/*"],
      notes: [],
    });
  });

  test("comes after flags and the environment, and before pi's settings and the defaults", () => {
    const settings = { sessionsDirs: ["/file"], db: "/file/i.db", timezone: "Asia/Tokyo", color: "never" };
    const ofPi = { "/home/ada/.pi/agent/settings.json": { sessionDir: "/pi" }, [FILE]: settings };
    expect(resolveConfig(withFiles(ofPi)).roots).toEqual(["/file"]);
    const env = { PI_CODING_AGENT_SESSION_DIR: "/env", FORCE_COLOR: "1" };
    expect(resolve(settings, { env })).toMatchObject({ roots: ["/env"], color: "always" });
    const flags = {
      sessionsDir: ["/flag"],
      db: "/flag/i.db",
      timezone: "Europe/Berlin",
      color: "auto",
    } as const;
    expect(resolve(settings, { env, flags })).toMatchObject({
      roots: ["/flag"],
      location: { indexPath: "/flag/i.db" },
      timezone: "Europe/Berlin",
      color: "auto",
    });
  });

  test("need not be there", () => {
    expect(resolveConfig(withFiles({}))).toMatchObject({ weekStart: "monday", exclude: [], notes: [] });
  });

  test("is looked for where XDG_CONFIG_HOME says, and where the flag says", () => {
    const files = { "/xdg/sessiondb/config.json": { color: "always" }, "/mine.json": { color: "never" } };
    const env = { XDG_CONFIG_HOME: "/xdg" };
    expect(resolveConfig(withFiles(files, { env })).color).toBe("always");
    expect(resolveConfig(withFiles(files, { env, flags: { config: "/mine.json" } })).color).toBe("never");
    expect(resolveConfig(withFiles(files, { env: { XDG_CONFIG_HOME: "relative" } })).configPath).toBe(FILE);
  });

  test.each([
    ['{"exclude": "~/secret"}', "exclude has to be a list of paths"],
    ['{"exclude": [1]}', "exclude[0] has to be a path"],
    ['{"weekStart": "Mon"}', "weekStart has to be one of monday"],
    ['{"exclude": ["~/secret", " "]}', "exclude[1] has to be a path"],
    ['{"colour": "auto", "exclude": "~/secret"}', "exclude has to be a list of paths"],
    ['{"sessionsDirs": "~/one"}', "sessionsDirs has to be a list of paths"],
    ['{"db": 5}', "db has to be a string"],
    ['{"timezone": ""}', "timezone has to be a string"],
    ['{"color": null}', "color has to be one of auto"],
    ["[]", "is not a JSON object"],
    ["null", "is not a JSON object"],
    ["5", "is not a JSON object"],
    ['{"exclude": ["a",]}', "is not valid JSON"],
  ])("is an error when it is wrong, because what it excludes must not be indexed: %s", (json, message) => {
    expect(() => parseSettings(json, FILE)).toThrow(message);
  });

  test("may hold settings of a newer version, which are noted", () => {
    const { notes } = parseSettings('{"$schema": "x", "colour": "auto"}', FILE);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain('there is no setting "colour"');
    const files = { [FILE]: { colour: "auto", toString: "auto" } };
    expect(resolveConfig(withFiles(files)).notes).toEqual([
      expect.stringContaining('"colour"'),
      expect.stringContaining('"toString"'),
    ]);
  });

  test("may begin with a byte-order mark", () => {
    expect(parseSettings('\uFEFF{"color": "never"}', FILE).settings).toEqual({ color: "never" });
  });

  test("counts relative paths from the home directory, wherever it is read", () => {
    expect(resolve({ exclude: ["secret"] }).exclude).toEqual(["/home/ada/secret"]);
  });

  test("is not asked about places where --agent-dir names one, but about all else", () => {
    const settings = { sessionsDirs: ["/file"], db: "/file/i.db", timezone: "Asia/Tokyo", exclude: ["/s"] };
    expect(resolve(settings).inFile).toEqual({ sessionsDirs: true, db: true });
    expect(resolve(settings, { flags: { agentDir: "/mine" } })).toMatchObject({
      inFile: { sessionsDirs: false, db: false },
      roots: ["/mine/sessions"],
      location: { indexPath: "/mine/sessiondb/index-v1.db" },
      timezone: "Asia/Tokyo",
      exclude: ["/s"],
    });
  });

  test("is not looked for in the current directory where there is no home directory", () => {
    const asked: string[] = [];
    const readText = (path: string): string => {
      asked.push(path);
      throw Object.assign(new Error(), { code: "ENOENT" });
    };
    resolveConfig(withFiles({}, { home: "", flags: { agentDir: "/mine" }, readText }));
    expect(asked).toEqual(["/mine/settings.json"]);
  });
});

describe("a configuration file that cannot be read", () => {
  const failing = (code: string, flags: ConfigInputs["flags"] = {}) => {
    const readText = (path: string): string => {
      throw Object.assign(new Error(path), path.endsWith("config.json") ? { code } : { code: "ENOENT" });
    };
    return () => resolveConfig(withFiles({}, { readText, flags }));
  };

  test.each(["ENOENT", "ENOTDIR"])("because it is not there (%s) is noted where it was named", (code) => {
    expect(failing(code)().notes).toEqual([]);
    expect(failing(code, { config: "/my/config.json" })().notes).toEqual([
      "there is no configuration file /my/config.json",
    ]);
  });

  test("is an error, and so is a bug, as it was thrown", () => {
    const unreadable = { code: "usage", message: `${FILE} cannot be read (EACCES)` };
    expect(failing("EACCES")).toThrow(expect.objectContaining(unreadable));
    expect(failing("")).toThrow(FILE);
    expect(failing("")).not.toThrow("cannot be read");
  });

  test.each(["sessiondb", "sessiondb/config.json"])(
    "because %s is a link that leads nowhere is an error",
    (link) => {
      const home = tempDir();
      mkdirSync(join(home, ".config", dirname(link)), { recursive: true });
      symlinkSync(join(home, "missing"), join(home, ".config", link));
      const inputs = { flags: {}, env: {}, home, cwd: home };
      expect(() => resolveConfig(inputs)).toThrow(/config\.json is, or is reached through, a broken link$/);
    },
  );

  test("because it is wrong says what is wrong", () => {
    expect(() => resolve({ exclude: 5 })).toThrow(`${FILE}:1: exclude has to be a list of paths`);
  });
});

describe("a configuration file that is wrong names the line", () => {
  const lines = (...text: string[]) => text.join("\n");

  test.each([
    ["of a value", lines("{", '  "color": "auto",', '  "weekStart": "Mon"', "}"), 3, "weekStart has to be"],
    [
      "within a list",
      lines("{", '  "exclude": [', '    "~/a",', '    ""', "  ]", "}"),
      4,
      "exclude[1] has to be",
    ],
    ["where JSON ends that is not valid", lines("{", '  "color": "auto",', "}"), 3, "is not valid JSON"],
    ["where a comma is missing", lines("{", '  "db": "a"', '  "color": "auto"', "}"), 3, "is not valid JSON"],
    ["where it stops", lines("{", '  "exclude": [', '    "~/a"', ""), 4, "is not valid JSON"],
    ["of a file from Windows", lines("{\r", '  "db": "a",\r', '  "color": 5\r', "}"), 3, "color has to be"],
    ["after a byte-order mark", lines("\uFEFF{", '  "color": 5', "}"), 2, "color has to be"],
    [
      "of the later one of two of one name, which counts",
      lines("{", '  "color": "auto",', '  "color": 5', "}"),
      3,
      "color has to be",
    ],
    [
      "within the later one of two lists",
      lines("{", '  "exclude": ["", "a"],', '  "exclude": [', '    "b",', '    ""', "]}"),
      5,
      "exclude[1] has to be",
    ],
  ])("%s", (_what, text, line, says) => {
    expect(() => parseSettings(text, FILE)).toThrow(`${FILE}:${line}: ${says}`);
  });

  test("of a time zone that there is not", () => {
    const text = lines("{", '  "color": "auto",', '  "timezone": "Europe/Berlyn"', "}");
    const readText = (path: string) => (path === FILE ? text : withFiles({}).readText?.(path)) ?? "";
    expect(() => resolveConfig(withFiles({}, { readText }))).toThrow(
      `unknown time zone "Europe/Berlyn" in ${FILE}:3`,
    );
  });

  const budgets = (...each: string[]) => lines("{", '"budgets": [', each.join(",\n"), "]", "}");
  const WORK = '{ "name": "work", "month": 200 }';

  test.each([
    ["two of one name", budgets(WORK, WORK), 4, "budgets[1] has to be of another name"],
    ["without a name", budgets(WORK, '{ "day": 1 }'), 4, "budgets[1].name has to be a name"],
    [
      "without a limit",
      budgets('{ "name": "a", "warn": 1 }'),
      3,
      "budgets[0] has to be an object with a limit",
    ],
    ["a negative limit", budgets(lines('{ "name": "a",', '"day": -1 }')), 4, "budgets[0].day"],
    ["a limit of nothing", budgets('{ "name": "a", "total": 0 }'), 3, "budgets[0].total has to be an amount"],
    [
      "a limit without an end",
      budgets('{ "name": "a", "week": 1e999 }'),
      3,
      "budgets[0].week has to be an amount",
    ],
    [
      "a limit that is a text",
      budgets('{ "name": "a", "month": "5" }'),
      3,
      "budgets[0].month has to be an amount",
    ],
    [
      "warning from 80 on",
      budgets('{ "name": "a", "day": 1, "warn": 80 }'),
      3,
      "budgets[0].warn has to be a part",
    ],
    [
      "warning from nothing on",
      budgets('{ "name": "a", "day": 1, "warn": 0 }'),
      3,
      "budgets[0].warn has to be",
    ],
    [
      "of no project",
      budgets('{ "name": "a", "day": 1, "project": "" }'),
      3,
      "budgets[0].project has to be a path",
    ],
    ["no object", budgets(WORK, "5"), 4, "budgets[1] has to be an object of name, project"],
    [
      "with a key that means nothing",
      budgets('{ "name": "a", "day": 1, "modle": "x" }'),
      3,
      'budgets[0] cannot have "modle"',
    ],
    ["no list", '{ "budgets": {} }', 1, "budgets has to be a list of budgets"],
  ])("of a budget that is wrong: %s", (_what, text, line, says) => {
    expect(() => parseSettings(text, FILE)).toThrow(`${FILE}:${line}: ${says}`);
  });
});

test("budgets are of directories that mean the same everywhere", () => {
  const budgets = [
    { name: "work", project: "~/work", month: 200, warn: 0.5 },
    { name: "all", day: 5 },
    { name: "elsewhere", project: "C:\\Users\\ada\\work", day: 5 },
  ];
  expect(resolve({ budgets }).budgets).toEqual([
    { ...budgets[0], project: "/home/ada/work" },
    ...budgets.slice(1),
  ]);
  expect(resolve({}).budgets).toEqual([]);
});

describe("the JSON schema", () => {
  const written = JSON.parse(readFileSync(new URL("../../config.schema.json", import.meta.url), "utf8")) as {
    properties: Record<string, { description?: string; examples?: unknown[] }>;
  };
  const { $schema: _schema, ...properties } = written.properties;

  test("says what the program takes", () => {
    // What a schema cannot say: that a number is finite (JSON has no other), and what several keys have to do with each other.
    const ignoreActions = ["finite", "check", "check_items"];
    const declared = toJsonSchema(SETTINGS, { target: "draft-07", ignoreActions }).properties ?? {};
    const withDefaults = Object.entries(declared).map(([name, schema]) => {
      const fallback = Object.entries(DEFAULTS).find(([key]) => key === name)?.[1];
      return [name, { ...Object(schema), ...(fallback !== undefined && { default: fallback }) }];
    });
    expect(properties).toEqual(Object.fromEntries(withDefaults));
    expect(Object.keys(properties)).toEqual(SETTING_NAMES);
  });

  test("has a sentence about each setting, and examples that the program takes", () => {
    for (const [name, { description, examples = [] }] of Object.entries(properties)) {
      expect(description).toMatch(/\.$/);
      for (const example of examples) parseSettings(JSON.stringify({ [name]: example }), FILE);
    }
  });
});

import { describe, expect, test, vi } from "vitest";
import { type ConfigInputs, colorOf, locateIndex, resolveConfig } from "../../src/config/config.ts";
import { SessionDbError } from "../../src/errors.ts";
import { timezoneByIntl } from "../../src/time/zone.ts";

const HOME = "/home/ada";

function inputs(change: Partial<ConfigInputs> = {}): ConfigInputs {
  return {
    flags: {},
    env: {},
    home: HOME,
    cwd: "/work",
    timezoneOf: zoneOf("UTC"),
    readText: missing,
    ...change,
  };
}

/** Knows the zones that there are, and is in one itself. */
function zoneOf(system: string | undefined) {
  return (name: string | undefined) => (name === undefined ? system : timezoneByIntl(name));
}

function missing(path: string): string {
  throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
}

function codeThrownBy(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof SessionDbError) return error.code;
    throw error;
  }
  return "nothing";
}

describe("the agent directory", () => {
  const cases: [string, Partial<ConfigInputs>, string][] = [
    ["is pi's default", {}, "/home/ada/.pi/agent"],
    ["comes from the environment", { env: { PI_CODING_AGENT_DIR: "/srv/pi" } }, "/srv/pi"],
    ["may begin with a tilde in the environment", { env: { PI_CODING_AGENT_DIR: "~/pi" } }, "/home/ada/pi"],
    [
      "is the default when the environment says nothing",
      { env: { PI_CODING_AGENT_DIR: "" } },
      "/home/ada/.pi/agent",
    ],
    [
      "comes from the flag before the environment",
      { flags: { agentDir: "mine" }, env: { PI_CODING_AGENT_DIR: "/srv/pi" } },
      "/work/mine",
    ],
    ["may be a file URL, as for pi", { env: { PI_CODING_AGENT_DIR: "file:///srv/p%20i" } }, "/srv/p i"],
  ];
  test.each(cases)("%s", (_name, change, expected) => {
    expect(resolveConfig(inputs(change)).agentDir).toBe(expected);
  });

  test("needs no home directory where it is named", () => {
    expect(resolveConfig(inputs({ home: "", flags: { agentDir: "/srv/pi" } })).agentDir).toBe("/srv/pi");
  });

  test("is an error where it depends on a home directory that is not known", () => {
    expect(codeThrownBy(() => resolveConfig(inputs({ home: "" })))).toBe("usage");
  });
});

describe("the session roots", () => {
  const settings = (text: string) => ({
    readText: (path: string) => (path.endsWith("settings.json") ? text : missing(path)),
  });

  test("are the sessions folder of the agent directory", () => {
    expect(resolveConfig(inputs()).roots).toEqual(["/home/ada/.pi/agent/sessions"]);
  });

  test("come from pi's settings", () => {
    const { roots } = resolveConfig(inputs(settings('{"sessionDir":"~/talks"}')));
    expect(roots).toEqual(["/home/ada/talks"]);
  });

  test("come from the environment before the settings", () => {
    const env = { PI_CODING_AGENT_SESSION_DIR: "/srv/talks" };
    expect(resolveConfig(inputs({ env, ...settings('{"sessionDir":"/other"}') })).roots).toEqual([
      "/srv/talks",
    ]);
  });

  test("come from the flags before everything, each once", () => {
    const flags = { sessionsDir: ["/a", "b", "/work/b", "/x/../a/"] };
    const env = { PI_CODING_AGENT_SESSION_DIR: "/srv/talks" };
    expect(resolveConfig(inputs({ flags, env })).roots).toEqual(["/a", "/work/b"]);
  });

  test("are read from the settings of the agent directory that is in use", () => {
    const read: string[] = [];
    const readText = (path: string): string => {
      if (!path.endsWith("settings.json")) return missing(path);
      read.push(path);
      return "{}";
    };
    resolveConfig(inputs({ flags: { agentDir: "/srv/pi" }, readText }));
    expect(read).toEqual(["/srv/pi/settings.json"]);
  });

  test.each([
    ["broken JSON", "{"],
    ["a session folder that is a number", '{"sessionDir":7}'],
  ])("are the default, with a note, when the settings hold %s", (_name, text) => {
    const config = resolveConfig(inputs(settings(text)));
    expect(config.roots).toEqual(["/home/ada/.pi/agent/sessions"]);
    expect(config.notes).toEqual([expect.stringContaining("settings.json")]);
  });

  test("are the default, with a note, when the settings cannot be read", () => {
    const readText = (path: string): string => {
      if (!path.endsWith("settings.json")) return missing(path);
      throw Object.assign(new Error("no"), { code: "EACCES" });
    };
    expect(resolveConfig(inputs({ readText })).notes).toEqual([expect.stringContaining("EACCES")]);
  });

  test.each(["null", "[]", '"text"', '{"sessionDir":""}', "\uFEFF{}"])(
    "are the default, silently, for %s",
    (text) => {
      const config = resolveConfig(inputs(settings(text)));
      expect([config.roots, config.notes]).toEqual([["/home/ada/.pi/agent/sessions"], []]);
    },
  );

  test("come neither from the environment where --agent-dir is given, nor where it says nothing", () => {
    const env = { PI_CODING_AGENT_SESSION_DIR: "/srv/talks" };
    expect(resolveConfig(inputs({ env, flags: { agentDir: "/mine" } })).roots).toEqual(["/mine/sessions"]);
    const nothing = { PI_CODING_AGENT_SESSION_DIR: "" };
    expect(resolveConfig(inputs({ env: nothing })).roots).toEqual(["/home/ada/.pi/agent/sessions"]);
  });

  test("E11: cannot be relative when the current directory is gone", () => {
    const lost = inputs({ cwd: undefined, flags: { sessionsDir: ["here"] } });
    expect(codeThrownBy(() => resolveConfig(lost))).toBe("usage");
  });

  test("are found from a directory that is gone when nothing is relative", () => {
    expect(resolveConfig(inputs({ cwd: undefined })).roots).toEqual(["/home/ada/.pi/agent/sessions"]);
  });
});

describe("a path that is named", () => {
  const dbAt = (db: string, change: Partial<ConfigInputs> = {}) =>
    resolveConfig(inputs({ flags: { db }, ...change })).location.indexPath;

  test.each([
    ["~", "/home/ada"],
    ["~/x.db", "/home/ada/x.db"],
    ["~x.db", "/work/~x.db"],
    ["file:///srv/a%20b.db", "/srv/a b.db"],
  ])("as %s is %s", (named, path) => {
    expect(dbAt(named)).toBe(path);
  });

  test.each(["", "file://elsewhere/x.db", "file:///%E0%A4%A"])("cannot be %j", (named) => {
    expect(codeThrownBy(() => dbAt(named))).toBe("usage");
  });
});

test("the index stands in the agent directory", () => {
  expect(resolveConfig(inputs()).location).toEqual({
    indexPath: "/home/ada/.pi/agent/sessiondb/index-v1.db",
    searchPath: "/home/ada/.pi/agent/sessiondb/search-v1.db",
  });
});

test.each([
  ["/x/index-v1.db", "/x/search-v1.db"],
  ["/index/my.db", "/index/my.search.db"],
  ["/x/pi", "/x/pi.search.db"],
  ["/x/my-index.sqlite", "/x/my-search.sqlite"],
])("the full text of %s is %s", (indexPath, searchPath) => {
  expect(locateIndex(indexPath)).toEqual({ indexPath, searchPath });
});

describe("the time zone", () => {
  test("is the system's", () => {
    expect(resolveConfig(inputs({ timezoneOf: zoneOf("Asia/Tokyo") })).timezone).toBe("Asia/Tokyo");
  });

  test("is written the canonical way", () => {
    expect(resolveConfig(inputs({ flags: { timezone: "europe/berlin" } })).timezone).toBe("Europe/Berlin");
  });

  test.each(["Mars/Olympus", "+02:00", "", "Europe/Berlin; DROP"])("cannot be %j", (timezone) => {
    expect(codeThrownBy(() => resolveConfig(inputs({ flags: { timezone } })))).toBe("usage");
  });

  test("is the one this process is in where nobody names one", () => {
    const { timezoneOf: _none, ...others } = inputs();
    expect(resolveConfig(others).timezone).toBe("UTC");
    vi.stubEnv("TZ", "Asia/Tokyo");
    expect(resolveConfig(others).timezone).toBe("Asia/Tokyo");
  });

  test("that is unknown is named with the file that names it, where one does", () => {
    const readText = (path: string) => (path.endsWith("config.json") ? '{"timezone":"Mars"}' : missing(path));
    const file = "/home/ada/.config/sessiondb/config.json";
    expect(() => resolveConfig(inputs({ readText }))).toThrow(`unknown time zone "Mars" in ${file}`);
    const flags = { timezone: "Venus" };
    expect(() => resolveConfig(inputs({ readText, flags }))).toThrow(/^unknown time zone "Venus"$/);
  });

  test.each([
    ["CET-1CEST,M3.5.0,M10.5.0/3", "UTC", true],
    ["<+0330>-3:30", "UTC", true],
    ["Mars/Olympus", "UTC", true],
    ["JST-9", "Etc/GMT-9", false],
    [":right/Asia/Tokyo", "Asia/Tokyo", false],
    ["UTC0", "UTC", false],
    ["", "UTC", false],
    [":", "UTC", false],
  ])(
    "is the one that Node makes of TZ=%s, %s; with a note where that is UTC and was not asked for",
    (TZ, zone, noted) => {
      vi.stubEnv("TZ", TZ);
      const { timezoneOf: _none, ...others } = inputs({ env: { TZ } });
      const { timezone, notes } = resolveConfig(others);
      expect([timezone, notes.filter((note) => note.includes(`"${TZ}"`)).length]).toEqual([
        zone,
        noted ? 1 : 0,
      ]);
    },
  );

  test("is UTC on a system that names none", () => {
    expect(resolveConfig(inputs({ timezoneOf: zoneOf(undefined) })).timezone).toBe("UTC");
  });
});

test.each([
  [{}, "auto"],
  [{ NO_COLOR: "1" }, "never"],
  [{ NO_COLOR: "" }, "auto"],
  [{ FORCE_COLOR: "1" }, "always"],
  [{ FORCE_COLOR: "0" }, "never"],
  [{ NO_COLOR: "1", FORCE_COLOR: "1" }, "never"],
  [{ TERM: "dumb" }, "never"],
])("colour with %j is %s", (env, color) => {
  expect(resolveConfig(inputs({ env })).color).toBe(color);
});

test.each([
  [{}, false],
  [{ SESSIONDB_DEBUG: "" }, false],
  [{ SESSIONDB_DEBUG: "1" }, true],
])("the stack of a bug is shown with %j: %s", (env, debug) => {
  expect(resolveConfig(inputs({ env })).debug).toBe(debug);
});

test("a dumb terminal has no colour, whatever the configuration file says", () => {
  expect([colorOf({ TERM: "dumb" }, "always"), colorOf({}, "always")]).toEqual(["never", "always"]);
});

test("the flag decides about colour before the environment", () => {
  expect(resolveConfig(inputs({ env: { NO_COLOR: "1" }, flags: { color: "always" } })).color).toBe("always");
});

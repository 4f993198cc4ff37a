import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FreshnessServer } from "../../daemon/components/freshness-server.ts";
import { commandName } from "../../src/cli/command-line/command.ts";
import { GLOBAL_OPTIONS } from "../../src/cli/command-line/options.ts";
import { REGISTRY } from "../../src/cli/registry.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import type { SessionList } from "../../src/reports/answers.ts";
import type { Environment } from "../../src/runtime/env.ts";
import { openIndex } from "../../src/store/open.ts";
import { widthOf } from "../../src/text/width.ts";
import { sessiondb } from "../faults/command.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, NOW, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const samples = { agentDir: sampleAgent(sharedTempDir()) };
const names = REGISTRY.commands.map(commandName);

describe("help", () => {
  test.each(["", ...names])("of %j has an example and fits", async (name) => {
    const { code, stdout } = await runCli([...name.split(" ").filter(Boolean), "--help"], {
      ...samples,
      columns: 70,
    });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Examples?:$/m)]);
    // What is to be copied stands on one line, however long.
    const isExample = (line: string): boolean => /^ {2}\S.*sessiondb|^ {2}sessiondb/.test(line);
    expect(stdout.split("\n").filter((line) => widthOf(line) > 70 && !isExample(line))).toEqual([]);
  });

  test.each(names)("of %s says what each option takes", async (name) => {
    const command = await REGISTRY.commands.find((entry) => commandName(entry) === name)?.load();
    const options = Object.entries(command?.options ?? {});
    const valued = options.flatMap(([option, { value }]) =>
      value === undefined ? [] : `--${option} ${value}`,
    );
    const { stdout } = await runCli([name, "--help"], samples);
    expect(valued.filter((written) => !stdout.includes(written))).toEqual([]);
    // Those of every command are named, and explained once.
    for (const option of Object.keys(GLOBAL_OPTIONS)) expect(stdout).toContain(`--${option}`);
    expect((await runCli(["--help"], samples)).stdout).toContain("--sessions-dir DIR");
  });

  test("tells each command on one line of a terminal of 80 columns", async () => {
    const { stdout } = await runCli(["--help"], { ...samples, columns: 80 });
    const groups = [...stdout.matchAll(/^(Find|Read|Money|Care):\n([\s\S]*?)\n\n/gm)];
    expect(groups.map(([, group]) => group)).toEqual(["Find", "Read", "Money", "Care"]);
    const lines = groups.flatMap(([, , list = ""]) => list.split("\n"));
    expect(lines.every((line) => line.startsWith("  sessiondb"))).toBe(true);
    expect(lines).toHaveLength(names.length + 1);
  });

  test("is no wider than 100 columns, and says nothing of types", async () => {
    const { stdout } = await runCli(["usage", "--help"], { ...samples, columns: 250 });
    const widths = stdout.split("\n").map(widthOf);
    expect([Math.max(...widths) <= 100, Math.max(...widths) > 80]).toEqual([true, true]);
    const pages = await Promise.all(names.map((name) => runCli([name, "--help"], samples)));
    expect(pages.filter((page) => /\[(boolean|string|array)\]/.test(page.stdout))).toEqual([]);
  });

  test("names every command", async () => {
    const { stdout } = await runCli(["help"], samples);
    for (const name of names) expect(stdout).toContain(`sessiondb ${name}`);
  });

  test("with -h is short: a command's own options, and one example", async () => {
    const [short, long] = [
      await runCli(["search", "-h"], samples),
      await runCli(["search", "--help"], samples),
    ];
    const linesOf = ({ stdout }: { stdout: string }) => stdout.split("\n").length;
    expect(linesOf(short) * 1.5).toBeLessThan(linesOf(long));
    expect(short.stdout).toContain("-C, --context N");
    expect(short.stdout).toMatch(/^Filters, which --help explains: --project /m);
    expect(short.stdout.match(/^ {2}#/gm)).toHaveLength(1);
    expect((await runCli(["-h"], samples)).stdout).not.toContain("--agent-dir");
  });

  test("answers help too", async () => {
    const { stdout } = await runCli(["list", "--help"], samples);
    expect((await runCli(["help", "list"], samples)).stdout).toBe(stdout);
    expect((await runCli(["--no-color", "--db", "x", "help", "list"], samples)).stdout).toBe(stdout);
    expect((await runCli(["list", "help"], samples)).stderr).toMatch(/^error: unexpected "help"/);
    // Who asks for help may have got the rest wrong.
    expect((await runCli(["list", "--sinse", "7d", "--help"], samples)).stdout).toBe(stdout);
  });

  test("does not look at the index", async () => {
    const agentDir = emptyAgent(tempDir());
    await runCli(["list", "--help"], { agentDir });
    expect(existsSync(join(agentDir, "sessiondb"))).toBe(false);
  });
});

test("what follows -- is no option", async () => {
  const { stdout, stderr } = await runCli(["search", "nobody-said-this", "--", "--json"], samples);
  expect([stdout, stderr]).toEqual(["", expect.stringMatching(/^Nothing found\./)]);
});

test.each(["--version", "-V", "version"])("the version is a number: %s", async (asked) => {
  expect((await runCli([asked], samples)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [["ls"], ["list"]],
  [
    ["log", "--limit", "2"],
    ["list", "--limit", "2"],
  ],
  [
    ["find", "harbour", "-tide", "-n", "3"],
    ["search", "harbour", "-tide", "--limit", "3"],
  ],
  [
    ["find", "harbour", "-n3", "-C1"],
    ["search", "harbour", "--limit", "3", "--context", "1"],
  ],
  [
    ["cost", "model"],
    ["usage", "model"],
  ],
  [["stats"], []],
])("%j is the same as %j", async (other, own) => {
  const [a, b] = [await runCli(other, samples), await runCli(own, samples)];
  expect([a.code, a.stdout]).toEqual([0, b.stdout]);
});

describe("wrong use is one line with a way out, exit code 2, and nothing on stdout", () => {
  const cases: [string[], RegExp][] = [
    [["serch", "x"], /unknown command "serch"\. Did you mean sessiondb search\?/],
    [["banana"], /unknown command "banana"\. See sessiondb --help/],
    [["--limit", "3", "list"], /--limit comes before the command\. .* after it: sessiondb list --limit 3\./],
    [["--limit", "3"], /unknown command "3"\. See sessiondb --help/],
    [["--no-color", "lst", "list"], /unknown command "lst"\. Did you mean sessiondb list\?/],
    [["show", "latest", "--branch", "a", "--around", "b"], /--branch and --around cannot be used together/],
    [["show", "latest", "--context", "1"], /--context needs an entry, and none was given/],
    [["constructor"], /unknown command "constructor"\. See sessiondb --help/],
    [["list", "--constructor=x"], /unknown option --constructor\. See sessiondb list --help/],
    [["usage", "__proto__"], /cannot be grouped by "__proto__"\. Choose one of/],
    [
      ["search", "x", "-i"],
      /-i is no option of search\. Case never makes a difference: leave -i out\. To leave out/,
    ],
    [["search", "x", "-3"], /-3 is no option of search\. -C 3 shows 3 entries before and after each hit\./],
    [["search", "x", "-n", "y"], /--limit takes a whole number, not "y"/],
    [["search", "x", "-C"], /-C needs a value/],
    [
      ["export", "latest", "-o", "a.pdf"],
      /an export is no \.pdf file\. End the name in \.md, \.html or \.jsonl/,
    ],
    [["LIST"], /unknown command "LIST"\. Did you mean sessiondb list\?/],
    [["daemon", "strat"], /the action cannot be "strat"\. Did you mean start\?/],
    [["completion", "cmd"], /the shell cannot be "cmd"\. Choose one of: bash, zsh, fish, powershell\./],
    [["list", "--sinse", "7d"], /unknown option --sinse\. Did you mean --since\?/],
    [["sync", "--sessions", "x"], /unknown option --sessions\. Did you mean --sessions-dir\?/],
    [["list", "-x"], /unknown option -x/],
    [["--bogus"], /unknown option --bogus\. See sessiondb --help/],
    [["list", "extra"], /unexpected "extra"\. See sessiondb list --help/],
    [["list", "--since"], /--since needs a value/],
    [["list", "--limit", "--sort", "cost"], /--limit needs a value\. See sessiondb list --help/],
    [["list", "--agent-dir", "--here"], /--agent-dir needs a value/],
    [["show", ""], /the session is empty\. See sessiondb show --help/],
    [["search", "", " "], /the query is empty\. See sessiondb search --help/],
    [["search", "x", ""], /the query is empty\. See sessiondb search --help/],
    [["search", "--substring", ""], /nothing to search for\. Give some text/],
    [["search", "--substring", "x", ""], /nothing to search for\. Give some text/],
    [["search", "--substring"], /nothing to search for\. Give some text/],
    [["search", "x", "-z", "Mars/X"], /unknown time zone "Mars\/X"/],
    [["search", "x", "--context", "-1"], /--context takes a whole number, not "-1"\. 0 shows the hit alone/],
    [["list", "--since", "soon"], /"soon" is not a date/],
    [["list", "--sort", "price"], /--sort cannot be "price"\. Choose one of: modified/],
    [["list", "--sort", "cost:up"], /--sort cannot be "cost:up"\..* :asc or :desc may follow\./],
    [["list", "--sort", "cost:asc:desc"], /--sort cannot be "cost:asc:desc"/],
    [["list", "--limit", "many"], /--limit takes a whole number/],
    [["list", "--limit", "9".repeat(20)], /--limit takes a whole number, not "9{20}"\. 0 means all\./],
    [["list", "--json=1"], /--json takes no value/],
    [["list", "-z", "Mars/X"], /unknown time zone "Mars\/X"/],
    [["list", "--color", "pink"], /--color cannot be "pink"/],
    [["usage", "yearly"], /cannot be grouped by "yearly"\..* branch, waste, statusline\./],
    [["usage", "--all", "--since", "7d"], /--all cannot be used with/],
    [["search"], /nothing to search for/],
    [
      ["search", "tide since:2026-11", "--until", "2026-10"],
      /since 2026-11-01T\S+ is after until 2026-10-31T\S+\. Swap them/,
    ],
    [["search", "tide until:2026-10", "--since", "2026-11"], /is after until/],
    [["list", "--since", "2026-11-02", "--until", "2026-11-01"], /--since 2026-11-02 is after --until/],
    [["search", "role:user"], /nothing to search for\. To filter without searching, use sessiondb list\./],
    [["sql", "--csv", "--tsv", "SELECT 1"], /--csv and --tsv cannot be used together/],
    [["sql"], /standard input contains no statement/],
    [["list", "--db", ""], /--db needs a value/],
    [["list", "--db", " "], /--db needs a value/],
  ];
  test.each(cases)("%j", async (argv, message) => {
    const { code, stdout, stderr } = await runCli(argv, samples);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^error: [^\n]+[.?]\n$/);
  });

  test("with --json also as a document on stderr", async () => {
    const { stderr } = await runCli(["list", "--sinse", "7d", "--json"], samples);
    expect(JSON.parse(stderr.split("\n")[1] ?? "")).toEqual({
      error: { code: "usage", message: "unknown option --sinse", hint: "Did you mean --since?" },
    });
  });
});

test("a bug is one line that says so, with the stack for those who ask", async () => {
  const broken = {
    ...samples,
    meetsBug: true,
    now: () => {
      throw new TypeError("no clock");
    },
  };
  const { code, stderr } = await runCli(["list"], broken);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: this is a bug in sessiondb: TypeError: no clock\. [^\n]+\n$/),
  ]);
  const { stderr: debugged } = await runCli(["list"], { ...broken, env: { SESSIONDB_DEBUG: "1" } });
  expect([debugged.includes("    at "), debugged.includes("SESSIONDB_DEBUG=1")]).toEqual([true, false]);
});

describe("colour", () => {
  const coloured = async (
    argv: string[],
    env: Record<string, string>,
    columns?: number,
  ): Promise<boolean> => {
    const { stdout } = await runCli(argv, { ...samples, env, ...(columns && { columns }) });
    return stdout !== stripVTControlCharacters(stdout);
  };

  test.each([
    ["on a terminal", ["list"], {}, 80, true],
    ["not elsewhere", ["list"], {}, undefined, false],
    ["not with NO_COLOR", ["list"], { NO_COLOR: "1" }, 80, false],
    ["with FORCE_COLOR", ["show", "latest"], { FORCE_COLOR: "1" }, undefined, true],
    ["not with --no-color", ["list", "--no-color"], { FORCE_COLOR: "1" }, 80, false],
    ["not with --no-color, whatever else is said", ["list", "--color=always", "--no-color"], {}, 80, false],
    ["with --color always", ["show", "latest", "--color", "always"], {}, undefined, true],
    ["not in documents", ["list", "--json", "--color", "always"], {}, 80, false],
  ] as [string, string[], Record<string, string>, number | undefined, boolean][])(
    "%s",
    async (_name, argv, env, columns, expected) => {
      expect(await coloured(argv, env, columns)).toBe(expected);
    },
  );
});

test("an error has no colour where none is asked for", async () => {
  const { stderr } = await runCli(["show", "nobody", "--no-color"], { ...samples, columns: 80 });
  expect(stderr).toMatch(/^error: there is no session "nobody"/);
});

describe("an error of the command line itself", () => {
  const configHome = sharedTempDir();
  const configPath = join(configHome, "sessiondb", "config.json");
  beforeAll(() => {
    mkdirSync(dirname(configPath));
    writeFileSync(configPath, '{ "color": "never" }');
  });

  test.each([
    [["list", "--sinse"], {}, true],
    [["list", "--sinse", "--no-color"], {}, false],
    [["list", "--sinse", "--color", "never"], {}, false],
    [["list", "--sinse", "--color=never"], {}, false],
    [["list", "--sinse", "--color=always"], { NO_COLOR: "1" }, true],
    [["list", "--color", "pink"], {}, true],
    [["list", "--sinse"], { XDG_CONFIG_HOME: configHome }, false],
    [["list", "--sinse", "--config", configPath], {}, false],
    [["list", "-z", "Mars/X"], { XDG_CONFIG_HOME: configHome }, false],
    [["list", "--config", ""], {}, true],
  ] as [string[], Record<string, string>, boolean][])(
    "%j has colour as is asked for, with %j",
    async (argv, env, expected) => {
      const { code, stderr } = await runCli(argv, { ...samples, env, columns: 80 });
      expect([code, stderr !== stripVTControlCharacters(stderr)]).toEqual([2, expected]);
    },
  );
});

describe("catching up", () => {
  test("comes first, so that what was just written is there", async () => {
    const agentDir = emptyAgent(tempDir());
    const one = session().user("first words");
    one.writeBelow(join(agentDir, "sessions"));
    expect(await runJson(["list"], { agentDir })).toMatchObject({
      total: 1,
      sessions: [{ messageCount: 1 }],
    });
    one.assistant({ text: "zebra" }).writeBelow(join(agentDir, "sessions"));
    expect(await runJson(["search", "zebra"], { agentDir })).toMatchObject({ total: 1 });
  });

  test("is left out with --no-sync", async () => {
    const agentDir = emptyAgent(tempDir());
    session().user("seen").writeBelow(join(agentDir, "sessions"));
    await runCli(["list"], { agentDir });
    session().user("unseen").writeBelow(join(agentDir, "sessions"));
    expect(await runJson(["list", "--no-sync"], { agentDir })).toMatchObject({ total: 1 });
  });

  test("cannot be left out when there is no index", async () => {
    const agentDir = join(tempDir(), "none");
    const { code, stderr } = await runCli(["list", "--no-sync"], { agentDir });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: there is no index yet: .*sessiondb sync/),
    ]);
    expect(existsSync(agentDir)).toBe(false);
  });

  test("matters nothing to the tables there are, which can be asked for before anything else", async () => {
    const agentDir = emptyAgent(tempDir());
    expect(await runJson(["schema", "usage"], { agentDir })).toMatchObject({ tables: [{ name: "usage" }] });
  });

  test.each([
    ["--project", "file://elsewhere/x"],
    ["--db", "file:///%zz"],
    ["--sessions-dir", "file://elsewhere/x"],
  ])("takes a URL of no file of this machine for wrong usage: %s %s", async (option, url) => {
    const { code, stderr } = await runCli(["list", option, url], { agentDir: emptyAgent(tempDir()) });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`${option} is not a file on this machine: ${url}`),
    ]);
  });

  test.skipIf(!existsSync("/proc/self"))(
    "says where an index can be kept where no folder can be made",
    async () => {
      const sessions = tempDir();
      session().user("hi").write(join(sessions, "one.jsonl"));
      const argv = ["list", "--sessions-dir", sessions];
      const { code, stderr } = await runCli(argv, { agentDir: "/proc/no-such-agent" });
      expect([code, stderr]).toEqual([1, expect.stringContaining("Choose another place with --db FILE")]);
    },
  );

  test("is not begun for sessions of here where the current directory is gone", async () => {
    const agentDir = emptyAgent(tempDir());
    const { code, stderr } = await runCli(["list", "--here"], { agentDir, cwd: null });
    expect([code, stderr]).toEqual([2, expect.stringContaining("the current directory is gone")]);
  });

  test("tells a folder that is not there from one without sessions", async () => {
    const agentDir = join(tempDir(), "misspelt");
    const { code, stderr } = await runCli(["list"], { agentDir });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`note: there is no folder ${agentDir}/sessions`),
    ]);
  });

  test("ends with Ctrl-C", async () => {
    const { code, stderr } = await runCli(["list"], { agentDir: sampleAgent(tempDir()), interrupted: true });
    expect([code, stderr]).toEqual([130, expect.stringMatching(/^error: interrupted/)]);
  });

  test("goes on past its time where most would be missing", async () => {
    const agentDir = emptyAgent(tempDir());
    for (let number = 0; number < 3; number++) bulky(number).writeBelow(join(agentDir, "sessions"));
    expect(await runJson(["list"], { agentDir, steady: hurried() })).toMatchObject({ total: 3 });
  });

  test.each([
    ["of much", 30],
    ["of little", 2],
  ])("stops in time where little %s is missing, and says so", async (_name, count) => {
    const agentDir = emptyAgent(tempDir());
    for (let number = 0; number < count; number++) small(number).writeBelow(join(agentDir, "sessions"));
    await settled();
    await runCli(["list"], { agentDir });
    small(99).writeBelow(join(agentDir, "sessions"));
    const { stdout, stderr } = await runCli(["list", "--json"], { agentDir, steady: hurried() });
    const { sessions } = JSON.parse(stdout) as SessionList;
    expect(stderr).toMatch(/^note: \d+ bytes of session files are not in the index yet; run sessiondb sync/);
    expect(sessions).toHaveLength(count);
  });

  test("does not need the full text for what is no search, however much is missing", async () => {
    const agentDir = emptyAgent(tempDir());
    small(0).writeBelow(join(agentDir, "sessions"));
    await runCli(["list"], { agentDir });
    writeFileSync(join(agentDir, "sessiondb", "search-v1.db"), "no database ".repeat(1000));
    small(1).writeBelow(join(agentDir, "sessions"));
    const { code, stderr } = await runCli(["list"], { agentDir, steady: hurried() });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: .* are not in the index yet/)]);
  });
});

test("B16: an answer with most of the sessions gone says that they are still in it", async () => {
  const agentDir = emptyAgent(tempDir());
  const paths = Array.from({ length: 30 }, (_, number) =>
    small(number).writeBelow(join(agentDir, "sessions")),
  );
  expect((await runCli(["list"], { agentDir })).stderr).toBe("");
  for (const path of paths.slice(0, 20)) rmSync(path);
  for (const command of ["list", "usage"]) {
    expect((await runCli([command], { agentDir })).stderr).toMatch(
      /^note: 20 session files are gone, most of the folder at once; they are still part of the answer\. .*--rebuild/,
    );
  }
  expect(sessiondb(agentDir, "sync", "--rebuild").status).toBe(0);
  expect((await runCli(["list"], { agentDir })).stderr).toBe("");
});

test.each(["which a look finds", "for which a daemon vouches"])(
  "B15: an answer from an index %s says which files it could not take in",
  async (way) => {
    const agentDir = emptyAgent(tempDir());
    const folder = join(agentDir, "sessiondb");
    const [path = ""] = [1, 2].map((number) => small(number).writeBelow(join(agentDir, "sessions")));
    await settled();
    await runCli(["list"], { agentDir });
    withIndex(folder, ({ database }) =>
      new FileIndexer(database).giveUp(path, path, "the daemon died 2 times while reading it"),
    );
    const place = { location: indexIn(folder), runtimeDir: process.env.XDG_RUNTIME_DIR };
    const asked = async (): Promise<boolean> => way === "for which a daemon vouches";
    const server = await FreshnessServer.open(place, asked);
    onTestFinished(() => server?.close());
    const env = { XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR };
    const note = /^note: 1 path cannot be read, and the answer lacks what is new there; sessiondb sync/;
    expect((await runCli(["list", "--json"], { agentDir, env })).stderr).toMatch(note);
    const elsewhere = ["list", "--json", "--sessions-dir", tempDir()];
    expect((await runCli(elsewhere, { agentDir, env })).stderr).toBe("");
  },
);

test("B6: a question waits for a file that is just being written again in place", async () => {
  const agentDir = emptyAgent(tempDir());
  const long = session({ id: "a" }).user("one").user("two").user("three");
  const fresh = session({ id: "a" }).user("new one").user("new two");
  const path = long.writeBelow(join(agentDir, "sessions"));
  const [header, ...entries] = fresh.lines().map((line) => `${line}\n`);
  const answer = await pollUntil(async () => {
    writeFileSync(path, long.bytes());
    await settled();
    await runCli(["list"], { agentDir });
    writeFileSync(path, header ?? "");
    let steps = 0;
    const onStep = () => {
      if (++steps === 3) for (const entry of entries) appendFileSync(path, entry);
    };
    const { stdout } = await runCli(["sql", "SELECT preview FROM entries ORDER BY key", "--json"], {
      agentDir,
      onStep,
    });
    // Else the machine had other things to do for so long that the file had settled when it was looked at first.
    return steps >= 3 && JSON.parse(stdout);
  });
  expect(answer).toEqual([{ preview: "new one" }, { preview: "new two" }]);
});

describe("progress", () => {
  const stderrOf = async (
    columns: number | undefined,
    steady: () => number,
    env: Environment = {},
  ): Promise<string> => {
    const agentDir = emptyAgent(tempDir());
    bulky(1).writeBelow(join(agentDir, "sessions"));
    return (await runCli(["list"], { agentDir, steady, env, ...(columns && { columns }) })).stderr;
  };

  test("is shown on a terminal when it takes longer than half a second", async () => {
    expect(await stderrOf(80, hurried())).toMatch(/Reading sessions .* of 10\.\d MB/);
  });

  test("is not shown for less", async () => {
    expect(await stderrOf(80, () => 0)).toBe("");
  });

  test("is not shown where there is no terminal, nor on one that cannot draw", async () => {
    expect(await stderrOf(undefined, hurried())).toBe("");
    expect(await stderrOf(80, hurried(), { TERM: "dumb" })).toBe("");
  });

  test("leaves no setting of the terminal as it was not, which a signal would leave to the shell", async () => {
    const [, ...changes] = (await stderrOf(80, hurried())).split("\u001b[?");
    const settings = changes.map((text) => text.slice(0, 2)).join(" ");
    expect(settings).toMatch(/^7l 7h( 7l 7h)*$/);
  });

  test("keeps to the width of the terminal", async () => {
    const lines = stripVTControlCharacters(await stderrOf(40, hurried())).split(/[\r\n]|(?=Reading)/);
    expect(lines.filter((line) => line.startsWith("Reading")).every((line) => widthOf(line) <= 40)).toBe(
      true,
    );
  });
});

describe("D18: another process that is writing", () => {
  function blocked(agentDir: string) {
    const indexPath = join(agentDir, "sessiondb", "index-v1.db");
    const other = openIndex({ indexPath, searchPath: join(agentDir, "sessiondb", "search-v1.db") });
    other.database.exec("BEGIN IMMEDIATE");
    return other;
  }

  test("does not matter while nothing has to be written", async () => {
    const agentDir = sampleAgent(tempDir());
    await settled();
    await runCli(["list"], { agentDir });
    const other = blocked(agentDir);
    expect(await runCli(["list"], { agentDir })).toMatchObject({ code: 0, stderr: "" });
    other.close();
  });

  test("is waited for while it takes its time", async () => {
    const agentDir = emptyAgent(tempDir());
    await runCli(["list"], { agentDir });
    session().user("new").writeBelow(join(agentDir, "sessions"));
    const other = blocked(agentDir);
    let steps = 0;
    const onStep = () => {
      if (++steps === 2) other.database.exec("COMMIT");
    };
    expect(await runJson(["list"], { agentDir, onStep })).toMatchObject({ total: 1 });
    expect(steps).toBeGreaterThanOrEqual(2);
    other.close();
  });

  test("is waited for as long as it gets on, though it lets nobody in", async () => {
    const agentDir = emptyAgent(tempDir());
    await runCli(["list"], { agentDir });
    session().user("new").writeBelow(join(agentDir, "sessions"));
    const other = blocked(agentDir);
    let steps = 0;
    const onStep = () => {
      if (++steps > 8) return;
      other.database.exec(`REPLACE INTO meta VALUES ('step', '${steps}'); COMMIT`);
      if (steps < 8) other.database.exec("BEGIN IMMEDIATE");
    };
    let seconds = 0;
    const steady = () => 1000 * seconds++;
    expect(await runJson(["list"], { agentDir, onStep, steady })).toMatchObject({ total: 1 });
    other.close();
  });

  test("is waited for, but not for ever: exit code 75", async () => {
    const agentDir = emptyAgent(tempDir());
    await runCli(["list"], { agentDir });
    session().user("new").writeBelow(join(agentDir, "sessions"));
    const other = blocked(agentDir);
    const { code, stderr } = await runCli(["list"], { agentDir, steady: hurried() });
    expect([code, stderr]).toEqual([75, expect.stringMatching(/^error: another process is writing/)]);
    other.close();
  });
});

test("a terminal that does not know its size is taken to have 80 columns, and needs no pages", async () => {
  const pages: string[] = [];
  const onPage = (text: string) => pages.push(text);
  const { stdout } = await runCli(["list", "--limit", "1"], { ...samples, columns: 0, rows: 0, onPage });
  expect([pages, stdout]).toEqual([[], expect.stringContaining("Messages")]);
});

test("broken settings of pi are a note, not a failure", async () => {
  const agentDir = sampleAgent(tempDir());
  writeFileSync(join(agentDir, "settings.json"), "{ broken");
  const { code, stderr } = await runCli(["list"], { agentDir });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: .*settings\.json is not valid JSON/)]);
});

/** Files written a moment before they are read are read again; this waits until they are old enough. */
async function settled(): Promise<void> {
  const start = Date.now();
  await pollUntil(() => Date.now() > start + 50);
}

/** A clock that gains three seconds whenever it is asked. */
function hurried(): () => number {
  let time = NOW;
  return () => {
    time += 3000;
    return time;
  };
}

function small(number: number) {
  return session({ id: `small-${number}`, timestamp: "2026-11-01T10:00:00Z" }).user(`small ${number}`);
}

/** A session of some 10 MB, three steps of reading. */
function bulky(number: number) {
  const builder = session({ id: `bulky-${number}`, timestamp: "2026-11-02T10:00:00Z" });
  for (let entry = 0; entry < 40; entry++) builder.user(`${"lorem ipsum ".repeat(21_000)} ${entry}`);
  return builder;
}

import { readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { widthOf } from "../../src/cli/output/width.ts";
import type { Hit, Session, SessionList, UsageReport } from "../../src/query/results.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../sync/store.ts";
import { emptyAgent, type Outcome, runCli, runJson, sampleAgent, takeIn } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

async function list(...argv: string[]): Promise<Session[]> {
  return ((await runJson(["list", ...argv], samples)) as SessionList).sessions;
}

async function hits(...argv: string[]): Promise<Hit[]> {
  return ((await runJson(["search", ...argv], samples)) as { hits: Hit[] }).hits;
}

describe("list", () => {
  test("is a document with every session, last active first", async () => {
    const document = (await runJson(["list"], samples)) as SessionList;
    const times = document.sessions.map(({ modifiedAt }) => modifiedAt);
    expect(Object.keys(document)).toEqual(["schemaVersion", "total", "sessions"]);
    expect(document.total).toBe(13);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test.each([60, 80, 200])("fits a terminal of %i columns", async (columns) => {
    const { stdout } = await runCli(["list"], { ...samples, columns });
    const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
    expect(lines).toHaveLength(14);
    expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
  });

  test("tells ids and paths in full where there is no terminal", async () => {
    const { stdout } = await runCli(["list"], samples);
    for (const { id, path, cwd } of await list())
      for (const text of [id, path, cwd]) expect(stdout).toContain(text);
  });

  test("says what it leaves out", async () => {
    const { stdout, stderr } = await runCli(["list", "--limit", "3"], samples);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(stderr).toContain("3 of 13 sessions");
  });

  test("keeps to a project, and what lies below it", async () => {
    const projects = (await list("--project", "/home/ada/projects/orchard")).map(({ cwd }) => cwd);
    expect(new Set(projects)).toEqual(new Set(["/home/ada/projects/orchard"]));
    expect((await list("--project", "/home/ada")).length).toBe(13);
    expect((await list("--here")).length).toBe(projects.length);
  });

  test("keeps to days, both included", async () => {
    const days = (await list("--since", "2026-10-14", "--until", "2026-10-16")).map(
      ({ modifiedAt }) => modifiedAt,
    );
    expect(days.map((time) => time.slice(0, 10)).toSorted()).toEqual(["2026-10-14", "2026-10-16"]);
  });

  test("sorts as asked", async () => {
    const costs = (await list("--sort", "cost")).map(({ usage }) => usage.cost);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    const sizes = (await list("--sort", "size:asc")).map(({ sizeBytes }) => sizeBytes);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    const titles = (await list("--sort", "title")).map(({ title }) => title);
    expect((await list("--sort", "title:desc")).map(({ title }) => title)).toEqual(titles.toReversed());
    expect(titles[0]).toMatch(/^\/standup/);
  });

  test("finds nothing without being a failure", async () => {
    const { code, stdout, stderr } = await runCli(["list", "--project", "/nowhere"], samples);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^No session matches\.\n/);
  });

  test("shows the last 50 on a terminal, and all to a program that has one", async () => {
    const many = emptyAgent(tempDir());
    for (let n = 0; n < 52; n++)
      session({ id: `s${n}` })
        .user("hi")
        .writeBelow(join(many, "sessions"));
    const shown = await runCli(["list"], { agentDir: many, columns: 80 });
    expect(shown.stdout.trimEnd().split("\n")).toHaveLength(51);
    expect(shown.stderr).toContain("50 of 52 sessions; --limit 0 shows all");
    const { stdout } = await runCli(["list", "--json"], { agentDir: many, columns: 80 });
    expect((JSON.parse(stdout) as SessionList).sessions).toHaveLength(52);
  });
});

test("sync --rebuild puts no file aside that --db has named: it may be no index of ours", async () => {
  const world = { agentDir: sampleAgent(tempDir()) };
  await runCli(["list"], world);
  const db = join(world.agentDir, "sessiondb", "index-v1.db");
  truncateSync(db, 20_000);
  const before = readdirSync(dirname(db));
  const { code, stderr } = await runCli(["sync", "--rebuild", "--db", db], world);
  expect([code, stderr]).toEqual([1, expect.stringContaining("If that file is an index, delete it and run")]);
  expect([readdirSync(dirname(db)), statSync(db).size]).toEqual([before, 20_000]);
});

describe("search", () => {
  test("names the line of the file that holds the words", async () => {
    const found = await hits("harvest", "--limit", "0");
    expect(found.length).toBeGreaterThan(3);
    for (const {
      session: { path },
      line,
    } of found) {
      expect(readFileSync(path, "utf8").split("\n")[line - 1]?.toLowerCase()).toContain("harvest");
    }
  });

  test("takes conditions as options and in the query alike", async () => {
    const byOption = await hits("harvest", "--role", "user", "--since", "2026-11-01");
    const inQuery = await hits("role:user harvest since:2026-11-01");
    expect(byOption.map(({ entryId }) => entryId)).toEqual(inQuery.map(({ entryId }) => entryId));
    expect(new Set(byOption.map(({ role }) => role))).toEqual(new Set(["user"]));
  });

  test("shows 20 hits unless told, and all with --limit 0", async () => {
    const many = emptyAgent(tempDir());
    const built = session();
    for (let n = 0; n < 23; n++) built.user(`plum ${n}`);
    built.writeBelow(join(many, "sessions"));
    const lengthOf = async (...argv: string[]) =>
      ((await runJson(["search", "plum", ...argv], { agentDir: many })) as { hits: Hit[] }).hits.length;
    expect([await lengthOf(), await lengthOf("--limit", "0"), await lengthOf("--limit", "3")]).toEqual([
      20, 23, 3,
    ]);
    const { stderr } = await runCli(["search", "plum"], { agentDir: many });
    expect(stderr).toBe("\n20 of 23 hits. --limit 0 shows all.\n");
  });

  test("leaves out words that begin with a dash", async () => {
    const all = await hits("harvest", "--limit", "0");
    const without = await hits("harvest", "-tree", "--limit", "0");
    expect(without.length).toBeGreaterThan(0);
    expect(without.length).toBeLessThan(all.length);
  });

  test("masks secrets, unless it is told not to", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    const holding = { agentDir: emptyAgent(tempDir()) };
    session().name("x").user(`the plum is ${secret}`).writeBelow(join(holding.agentDir, "sessions"));
    for (const argv of [["plum"], ["plum", "--json"], ["--substring", "plum"]]) {
      const { stdout } = await runCli(["search", ...argv], holding);
      expect([stdout.includes("[masked GitHub token]"), stdout.includes(secret)]).toEqual([true, false]);
      expect((await runCli(["search", ...argv, "--reveal"], holding)).stdout).toContain(secret);
    }
  });

  test("says which hits are not on the branch the session goes on with", async () => {
    const { stdout } = await runCli(["search", '"as expected the table is missing"'], samples);
    expect(stdout).toMatch(/^Signed out every night · .* · assistant · other branch$/m);
    expect((await runCli(["search", '"OK, that grew too big"'], samples)).stdout).not.toContain(
      "other branch",
    );
  });

  test("names three copies of a hit in forks, and counts them all", async () => {
    const forked = emptyAgent(tempDir());
    const parent = session({ id: "parent" }).user("plum");
    const forks = [1, 2, 3, 4, 5].map((n) => parent.fork({ id: `fork${n}` }).user("cherry"));
    for (const each of [parent, ...forks]) each.writeBelow(join(forked, "sessions"));
    const { stdout, stderr } = await runCli(["search", "plum"], { agentDir: forked });
    expect(stdout.match(/^also \/.*:2$/gm)).toHaveLength(3);
    expect(stdout).toMatch(/^also in 2 other forks$/m);
    expect(stderr).toBe("\n1 hit, 5 copies in forks.\n");
  });

  test.each(["\n", "  ", "\t"])("looks for white space too: %j", async (space) => {
    const agentDir = emptyAgent(tempDir());
    session().user("one two").user(`one${space}two`).writeBelow(join(agentDir, "sessions"));
    const found = await runJson(["search", "--substring", space], { agentDir });
    expect(found).toMatchObject({ total: 1, hits: [{ line: 3 }] });
  });

  test("for a text ends when it has enough, and says so", async () => {
    const { stderr } = await runCli(["search", "--substring", "e", "--limit", "1"], samples);
    expect(stderr).toBe("\nThe first 1 hit; there may be more. --limit 0 shows all.\n");
    const none = await runCli(["search", "--substring", "HARVEST-NOBODY"], samples);
    expect(none.stderr).toBe("Nothing found. Upper and lower case count; without --substring they do not.\n");
  });

  test("leaves out by a condition with a dash, and says so of a name that nothing has", async () => {
    const rolesOf = async (...argv: string[]) => (await hits(...argv)).map(({ role }) => role);
    expect(await rolesOf("harvest", "role:assistant")).not.toEqual([]);
    expect(await rolesOf("harvest", "-role:assistant")).not.toContain("assistant");
    expect(await rolesOf("harvest", "-role:assistant")).toContain("user");
    const { code, stderr } = await runCli(["search", "harvest", "-role:tool"], samples);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: There is no role "tool"\./)]);
  });

  test("says how much cannot be searched yet", async () => {
    const store = new Store();
    session().user("plum").user("cherry").write(store.path("one.jsonl"));
    store.sync();
    store.index.search.prepare("SELECT 1").get();
    store.close();
    const place = ["--db", indexIn(store.indexFolder).indexPath, "--sessions-dir", store.root];
    const { code, stderr } = await runCli(["search", "plum", "--no-sync", ...place], samples);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^note: 2 entries cannot be searched yet; sessiondb sync brings everything in\.\nNothing found/,
      ),
    ]);
  });

  test("finds Chinese", async () => {
    expect((await hits("中文")).length).toBeGreaterThan(0);
  });

  test("shows path:line, project and words", async () => {
    const { stdout } = await runCli(["search", "中文", "--limit", "1"], samples);
    expect(stdout).toMatch(/^\/.*\.jsonl:\d+$/m);
    expect(stdout).toContain("/home/ada/projects/shijian");
    expect(stdout).toContain("中文");
  });

  test.each([60, 80])("fits a terminal of %i columns, but for the path", async (columns) => {
    const { stdout } = await runCli(["search", "harvest"], { ...samples, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.filter((line) => widthOf(line) > columns && !/\.jsonl:\d+$/.test(line))).toEqual([]);
  });

  test("repeats the query as it was asked", async () => {
    expect(await runJson(["search", "role:user", "harvest"], samples)).toMatchObject({
      query: "role:user harvest",
    });
  });
});

describe("usage", () => {
  test("comes to what the front page says of the last 30 days", async () => {
    const { totals } = (await runJson(["usage"], samples)) as UsageReport;
    expect(await runJson([], samples)).toMatchObject({ last30Days: totals });
  });

  test("is about the last 30 days unless told", async () => {
    const report = (await runJson(["usage"], samples)) as UsageReport;
    expect(report.since).toBe("2026-10-22");
    expect(report.rows.map(({ key }) => key).toSorted()[0]).toBe("2026-10-27");
    expect(((await runJson(["usage", "--all"], samples)) as UsageReport).since).toBeNull();
  });

  test("begins its days at the midnights of the zone", async () => {
    const report = (await runJson(
      ["usage", "--since", "2026-11-19", "-z", "Asia/Tokyo"],
      samples,
    )) as UsageReport;
    expect([report.timezone, report.rows.map(({ key }) => key)]).toEqual(["Asia/Tokyo", ["2026-11-19"]]);
  });

  test("says what copies hold", async () => {
    const { stderr } = await runCli(["usage", "--all"], samples);
    expect(stderr).toMatch(/Left out: \$0\.24 in 21 requests/);
  });

  test("has bars on a terminal only", async () => {
    expect((await runCli(["usage", "--all"], { ...samples, columns: 80 })).stdout).toContain("█");
    expect((await runCli(["usage", "--all"], samples)).stdout).not.toContain("█");
  });
});

describe("sql", () => {
  const TWO = "SELECT 1 AS n, '=1+1' AS formula UNION ALL SELECT 2, 'a,b'";

  test.each([
    [
      "--json",
      '[\n  {\n    "n": 1,\n    "formula": "=1+1"\n  },\n  {\n    "n": 2,\n    "formula": "a,b"\n  }\n]\n',
    ],
    ["--nl", '{"n":1,"formula":"=1+1"}\n{"n":2,"formula":"a,b"}\n'],
    ["--csv", 'n,formula\n1,\'=1+1\n2,"a,b"\n'],
    ["--tsv", "n\tformula\n1\t'=1+1\n2\ta,b\n"],
  ])("prints %s", async (format, expected) => {
    expect((await runCli(["sql", TWO, format], samples)).stdout).toBe(expected);
  });

  test("prints a table unless told", async () => {
    expect((await runCli(["sql", TWO], samples)).stdout).toBe("n  formula\n1  =1+1\n2  a,b\n");
  });

  test.each([60, 200])(
    "sets rows below each other where %i columns cannot hold them beside",
    async (columns) => {
      const { stdout } = await runCli(["sql", "SELECT * FROM sessions LIMIT 2"], { ...samples, columns });
      const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
      expect(lines.filter((line) => /^(── row \d|session_id {2})/.test(line))).toHaveLength(4);
    },
  );

  test("reads the statement from standard input", async () => {
    expect((await runCli(["sql", "--nl"], { ...samples, stdin: "SELECT 7 AS n" })).stdout).toBe('{"n":7}\n');
    expect((await runCli(["sql", "-", "--nl"], { ...samples, stdin: "SELECT 8 AS n" })).stdout).toBe(
      '{"n":8}\n',
    );
  });

  test("sees what the other commands see", async () => {
    const { stdout } = await runCli(["sql", "--nl", "SELECT count(*) AS n FROM sessions"], samples);
    expect(stdout).toBe('{"n":13}\n');
  });
});

describe("schema", () => {
  test("shows one table", async () => {
    expect((await runCli(["schema", "SESSIONS"], { ...samples, columns: 80 })).stdout).toContain(
      "session_id",
    );
  });

  test("says what it is for on lines that fit", async () => {
    const world = { ...samples, columns: 40 };
    const { stdout } = await runCli(["schema", "sessions"], world);
    const [head = ""] = stdout.split("\n\n");
    expect(head).toMatch(/^\S*sessions\S*: /);
    expect(head.split("\n").filter((line) => widthOf(stripVTControlCharacters(line)) > 40)).toEqual([]);
  });

  test("suggests a name that is near", async () => {
    const { code, stderr } = await runCli(["schema", "sesions"], samples);
    expect([code, stderr]).toEqual([1, expect.stringContaining("Did you mean sessions?")]);
    const far = await runCli(["schema", "banana"], samples);
    expect(far.stderr).toContain('no table or view is called "banana". sessiondb schema names them all.');
  });
});

test.each([
  ["uninstall", "--print"],
  ["start", "--print"],
  ["status", "--follow"],
])("daemon %s does not pass over %s, which is for another action", async (action, option) => {
  const { code, stdout, stderr } = await runCli(["daemon", action, option], samples);
  expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(`takes no ${option}.`)]);
});

describe("an index of another version", () => {
  async function ofVersion(version: number): Promise<{ agentDir: string }> {
    const world = { agentDir: sampleAgent(tempDir()) };
    await takeIn(world);
    withIndex(join(world.agentDir, "sessiondb"), ({ database }) =>
      database.pragma(`user_version = ${version}`),
    );
    return world;
  }

  test.each([
    ["earlier", 1, "brought up to date"],
    ["later", 99, "newer version"],
  ])("that is %s does not keep the daemon's status from being told", async (_name, version, trouble) => {
    const world = await ofVersion(version);
    const { code, stdout, stderr } = await runCli(["daemon", "status", "--json"], world);
    expect(JSON.parse(stdout)).toMatchObject({
      running: false,
      index: { trouble: expect.stringContaining(trouble) },
    });
    expect([code, stderr]).toEqual([0, expect.stringMatching(`^note: .*${trouble}`)]);
  });

  const NOTE = /^note: an earlier version .* filled anew, this once\.$/m;

  test.each([["list"], ["search", "table"], ["verify"]])(
    "that is earlier is filled anew by %s, which says so once",
    async (...argv) => {
      const world = await ofVersion(1);
      const before = await runCli(argv, samples);
      const first = await runCli(argv, world);
      expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(NOTE)]);
      const again = await runCli(argv, world);
      expect(again.stderr).not.toMatch(NOTE);
      const found = ({ stdout }: typeof before, dir: string) => stdout.replaceAll(dir, "").length;
      expect(found(again, world.agentDir)).toBe(found(before, agentDir));
    },
  );

  test("that is earlier has a schema", async () => {
    const world = await ofVersion(1);
    expect(await runJson(["schema", "usage"], world)).toMatchObject({ tables: [{ name: "usage" }] });
  });
});

describe("the front page", () => {
  test("is a status document", async () => {
    const status = await runJson([], samples);
    expect(Object.keys(status as object)).toEqual([
      "schemaVersion",
      "sessions",
      "projects",
      "entries",
      "sizeBytes",
      "last30Days",
      "index",
      "lastSyncAt",
      "daemon",
    ]);
    expect(status).toMatchObject({ sessions: 13, projects: 7, daemon: { running: false } });
  });

  test.each([60, 80, 200])("fits a terminal of %i columns", async (columns) => {
    const dir = tempDir();
    const small = sampleAgent(dir);
    const { stdout } = await runCli([], { agentDir: small, home: dir, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
    expect(stdout).toContain("13 sessions");
  });

  test.each([
    [30, /^11-03 \S{18} today$/],
    [80, /^10-22 \S{30} today$/],
  ])("on a terminal of %i columns shows as many days as there is room for", async (columns, expected) => {
    const { stdout } = await runCli([], { ...samples, columns });
    const line = stripVTControlCharacters(stdout)
      .split("\n")
      .find((each) => each.endsWith(" today"));
    expect(line).toMatch(expected);
  });

  test("says what today and the last 30 days have cost, with a plot on a terminal only", async () => {
    const now = () => Date.parse("2026-11-19T23:00:00Z");
    const { stdout } = await runCli([], { ...samples, now });
    expect(stdout).toMatch(/^Today {9}\$0\.01\nLast 30 days {2}\$0\.34 {2}\S+ tokens, \d+ requests\n\n/m);
    const free = emptyAgent(tempDir());
    session().user("hi").writeBelow(join(free, "sessions"));
    const { stdout: page } = await runCli([], { agentDir: free, columns: 80 });
    expect(stripVTControlCharacters(page)).toContain("\n\nLast 30 days  no cost  0 tokens, 0 requests\n\n");
  });

  test("shows the five sessions that were active last", async () => {
    const { stdout } = await runCli([], samples);
    const last = (await list("--limit", "5")).map(({ id }) => id);
    expect(stdout.match(/^01a1\S+/gm)).toEqual(last);
  });

  test("tells a newcomer where it looked", async () => {
    const empty = emptyAgent(tempDir());
    const { code, stdout } = await runCli([], { agentDir: empty });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${empty}/sessions`)]);
  });
});

describe("text from sessions", () => {
  const ESC = "\u001b";
  const dir = sharedTempDir();
  const hostile = emptyAgent(dir);
  const evil = `${ESC}]0;owned\u0007${ESC}[2J\u202e\u009b31m\rneedle\u0008 =cmd`;
  session({ cwd: `/tmp/${ESC}[31mred` })
    .user(evil)
    .assistant({ text: `${ESC}]52;c;ZXZpbA==${ESC}\\ needle`, model: `m${ESC}[31m`, provider: `p${ESC}c` })
    .name(`name ${evil}`)
    .writeBelow(`${hostile}/sessions`);
  const forbidden = (text: string): boolean =>
    [...text].some((character) => {
      const code = character.codePointAt(0) ?? 0;
      const isControl = (code < 32 && code !== 10 && code !== 9) || (code >= 127 && code < 160);
      return (
        isControl ||
        (code >= 0x202a && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069) ||
        code === 0x61c
      );
    });

  /** Nothing but what a terminal may be sent, on one and without. */
  async function harmless(argv: string[]): Promise<Outcome[]> {
    const outcomes = await Promise.all(
      [undefined, 80].map((columns) =>
        runCli(argv, { agentDir: hostile, env: { NO_COLOR: "1" }, ...(columns && { columns }) }),
      ),
    );
    for (const { stdout, stderr } of outcomes) expect(forbidden(stdout + stderr)).toBe(false);
    return outcomes;
  }

  test.each([
    [[], "name "],
    [["list"], "name "],
    [["search", "needle"], "needle"],
    [["usage", "session", "--all"], "name "],
    [["usage", "model", "--all"], "\nm "],
    [["usage", "project", "--all"], "red"],
    [["sql", "SELECT * FROM messages"], "needle"],
    [["sql", "--csv", "SELECT * FROM messages"], "needle"],
    [["sql", "--nl", "SELECT * FROM messages"], "needle"],
    [["list", "--json"], "name "],
    [["search", "needle", "--json"], "needle"],
  ])("F8, I-13: brings no control character out of %j, but what stands around it", async (argv, text) => {
    for (const { code, stdout } of await harmless(argv))
      expect([code, stdout]).toEqual([0, expect.stringContaining(text)]);
  });

  test.each([
    [["search", "--has", evil, "x"], "needle"],
    [["list", `--bad${ESC}[31m`], "bad"],
  ])("F8, I-13: brings no control character out of %j, which is a misuse", async (argv, text) => {
    for (const { code, stdout, stderr } of await harmless(argv))
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(text)]);
  });
});

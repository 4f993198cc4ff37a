import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Session, SessionList } from "../../src/reports/answers.ts";
import type { UsageReport } from "../../src/reports/usage/usage-shapes.ts";
import { widthOf } from "../../src/text/width.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent, spendOn, takeIn } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

async function list(...argv: string[]): Promise<Session[]> {
  return ((await runJson(["list", ...argv], samples)) as SessionList).sessions;
}

test("a damaged index is put aside wherever it lies, and no file that is none of ours, with --rebuild neither", async () => {
  const world = { agentDir: sampleAgent(tempDir()) };
  const db = join(world.agentDir, "elsewhere.db");
  await runCli(["list", "--db", db], world);
  truncateSync(db, 20_000);
  const healed = await runCli(["list", "--db", db], world);
  expect([healed.code, healed.stderr]).toEqual([0, expect.stringContaining("was damaged")]);
  expect(await runJson(["list", "--db", db, "--no-sync"], world)).toMatchObject({ total: 13 });
  const letter = join(world.agentDir, "letter.db");
  writeFileSync(letter, "Dear reader, ".repeat(2000));
  const { code, stderr } = await runCli(["sync", "--rebuild", "--db", letter], world);
  expect([code, stderr]).toEqual([1, expect.stringContaining(letter)]);
  expect(readFileSync(letter, "utf8")).toBe("Dear reader, ".repeat(2000));
});

describe("usage", () => {
  test("comes to what the front page says of the last 30 days", async () => {
    const { totals } = (await runJson(["usage"], samples)) as UsageReport;
    expect(await runJson([], samples)).toMatchObject({ last30Days: totals });
  });

  test("is about the last 30 days unless told", async () => {
    const report = (await runJson(["usage"], samples)) as UsageReport;
    expect(report.since).toBe("2026-10-21");
    expect(report.rows.map(({ key }) => key).toSorted()[0]).toBe("2026-10-21");
    expect(await runJson(["usage", "--since", "30d"], samples)).toEqual(report);
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

  test("begins with what people ask, and keeps the index's own tables for --all", async () => {
    const { stdout, stderr } = await runCli(["schema"], samples);
    expect([
      stdout.startsWith("name\tkind\tabout\nsessions\ttable\t"),
      stdout.includes("entry_kinds"),
    ]).toEqual([true, false]);
    expect(stderr).toContain("10 tables of the index's own not shown; --all shows them");
    expect((await runCli(["schema", "--all"], samples)).stdout).toContain("entry_kinds");
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
    expect(far.stderr).toContain('there is no table or view "banana". sessiondb schema lists them all.');
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

  const NOTE = /^note: an earlier version .* being filled again, this one time\.$/m;

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
      "subagents",
      "projects",
      "entries",
      "sizeBytes",
      "last30Days",
      "index",
      "lastSyncAt",
      "daemon",
    ]);
    expect(status).toMatchObject({ sessions: 13, subagents: 0, projects: 7, daemon: { running: false } });
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
    [80, /^10-21 \S{31} today$/],
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

  test("does not say that what has no price cost nothing", async () => {
    const agent = emptyAgent(tempDir());
    spendOn(agent, "2026-11-20", { input: 1500 });
    const page = async () => (await runCli([], { agentDir: agent })).stdout;
    expect(await page()).toContain("\n\nLast 30 days  not priced  1.5K tokens, 1 request\n\n");
    spendOn(agent, "2026-11-01", { input: 1, cost: { total: 2 } });
    expect(await page()).toMatch(/^Today {9}not priced\nLast 30 days {2}\$2\.00 {2}/m);
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

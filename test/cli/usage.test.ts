import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { USAGE_GROUPINGS, type UsageReport } from "../../src/reports/usage/usage-shapes.ts";
import { widthOf } from "../../src/text/width.ts";
import { costing, installPi } from "../helpers/installed-pi.ts";
import { ccusageCommand, isMissing } from "../helpers/peers.ts";
import { writePiStore } from "../helpers/pi-store.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent, spendOn, takeIn } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };
const onTerminal = { ...samples, columns: 200, env: { NO_COLOR: "1" } };
const NO_SYNC = "--no-sync";

async function usage(...argv: string[]): Promise<UsageReport> {
  return (await runJson(["usage", ...argv], samples)) as UsageReport;
}

beforeAll(() => takeIn(samples));

describe("what usage is grouped by", () => {
  test.each([
    ["day", "daily"],
    ["weeks", "weekly"],
    ["Month", "monthly"],
    ["hours", "hourly"],
    ["models", "model"],
    ["branches", "branch"],
  ])("can be called %s as well as %s", async (word, by) => {
    expect((await usage(word, NO_SYNC)).by).toBe(by);
  });

  test("is suggested where it is misspelt", async () => {
    const { code, stderr } = await runCli(["usage", "modle"], samples);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean model?")]);
  });

  test.each(USAGE_GROUPINGS)("%s fits a terminal of 21 columns", async (by) => {
    const { stdout } = await runCli(["usage", by, "--all", NO_SYNC], { ...samples, columns: 21 });
    const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
    expect(lines.filter((line) => widthOf(line) > 21)).toEqual([]);
  });

  test.each(USAGE_GROUPINGS.flatMap((by) => [60, 80, 120, 200].map((columns) => [by, columns] as const)))(
    "%s fits a terminal of %i columns",
    async (by, columns) => {
      const argv = ["usage", by, "--all", "--breakdown", NO_SYNC];
      const { stdout, stderr } = await runCli(argv, { ...samples, columns });
      const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
      expect(lines.at(-1)).toMatch(/^Total .*\$0\.95/);
      const notes = stripVTControlCharacters(stderr).trimEnd().split("\n");
      expect(notes.filter((note) => widthOf(note) > columns)).toEqual([]);
      expect(notes.join(" ")).toContain("83% of the input came from the prompt cache, which saved $2.44.");
    },
  );
});

describe("unless told a report is about", () => {
  test.each([
    ["hourly", "2026-11-19"],
    ["daily", "2026-10-21"],
    ["weekly", "2026-08-31"],
    ["monthly", "2025-12-01"],
    ["model", "2026-10-21"],
  ])("%s: everything since %s", async (by, since) => {
    expect((await usage(by, NO_SYNC)).since).toBe(since);
  });

  test("weeks from the first day of the week on", async () => {
    const report = await usage("weekly", "--week-start", "sunday", NO_SYNC);
    expect([report.since, report.rows.map(({ key }) => key)]).toEqual([
      "2026-08-30",
      [
        "2026-09-20",
        "2026-09-27",
        "2026-10-04",
        "2026-10-11",
        "2026-10-18",
        "2026-10-25",
        "2026-11-01",
      ].concat(["2026-11-08", "2026-11-15"]),
    ]);
  });
});

describe("a breakdown", () => {
  test("adds up to its row, model by model", async () => {
    const { rows } = await usage("monthly", "--all", "--breakdown", NO_SYNC);
    for (const { models = [], cost, requests } of rows) {
      expect(models.reduce((sum, model) => sum + model.cost, 0)).toBeCloseTo(cost, 9);
      expect(models.reduce((sum, model) => sum + model.requests, 0)).toBe(requests);
    }
    expect(rows.flatMap(({ models = [] }) => models.length)).toEqual([2, 4, 4]);
  });

  test("stands below its row in a table", async () => {
    const { stdout } = await runCli(["usage", "monthly", "--all", "--breakdown", NO_SYNC], onTerminal);
    expect(stdout).toMatch(/^2026-09 .*\n├ gpt-5\.5 .*\n└ claude-sonnet-4-6 /m);
  });

  test("by model says nothing twice", async () => {
    const { stdout } = await runCli(["usage", "model", "--all", "--breakdown", NO_SYNC], onTerminal);
    expect(stdout.match(/claude-sonnet-4-6/g)).toHaveLength(1);
  });
});

test.each(["daily", "hourly", "weekly", "monthly", "session", "project"])(
  "a breakdown by %s fits a narrow terminal, however long a model's name is",
  async (by) => {
    const folder = tempDir();
    const model = "a-model-whose-name-somebody-thought-about-for-a-very-long-time-preview";
    session({ cwd: "/home/ada/projects/tide" })
      .user("x")
      .assistant({ model, usage: { input: 1, cost: 1 } })
      .writeBelow(join(folder, "sessions"));
    const { stdout } = await runCli(["usage", by, "--all", "--breakdown"], { agentDir: folder, columns: 60 });
    expect(stdout).toMatch(/└ a-model|time-preview/);
    expect(stdout.split("\n").filter((line) => widthOf(stripVTControlCharacters(line)) > 60)).toEqual([]);
  },
);

test.each([
  ["tokens", (row: UsageReport["rows"][number]) => -row.totalTokens],
  ["requests:asc", (row: UsageReport["rows"][number]) => row.requests],
  ["cacheRead", (row: UsageReport["rows"][number]) => -row.cacheRead],
])("rows are sorted by %s as asked", async (sort, by) => {
  const numbers = (await usage("model", "--all", "--sort", sort, NO_SYNC)).rows.map(by);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBeGreaterThan(2);
});

test("rows are sorted by their key upwards unless told", async () => {
  const keys = (await usage("model", "--all", "--sort", "key", NO_SYNC)).rows.map(({ key }) => key);
  expect(keys).toEqual(keys.toSorted());
  const back = await usage("model", "--all", "--sort", "key:desc", NO_SYNC);
  expect(back.rows.map(({ key }) => key)).toEqual(keys.toReversed());
});

test.each([
  ["hourly", /^2026-11-19 \d\d:00/m],
  ["daily", /^2026-11-19 Thu /m],
  ["weekly", /^2026-11-16 to 11-22 /m],
  ["monthly", /^2026-11 /m],
])("on a terminal a row of a report that is %s is named for people", async (by, expected) => {
  const { stdout } = await runCli(["usage", by, "--since", "2026-11-01", NO_SYNC], {
    ...samples,
    columns: 80,
  });
  expect(stripVTControlCharacters(stdout)).toMatch(expected);
});

test("on a terminal an hour has its offset where clocks were changed, and a week ends where the report does", async () => {
  const named = async (...argv: string[]) => {
    const { stdout } = await runCli(["usage", ...argv, NO_SYNC], { ...samples, columns: 80 });
    const lines = stripVTControlCharacters(stdout).split("\n").slice(1, -3);
    return lines.map((line) => line.split("  ")[0]);
  };
  expect(await named("hourly", "--since", "2026-11-14", "-z", "Europe/Berlin")).toEqual([
    "2026-11-14 16:00",
    "2026-11-19 08:00",
  ]);
  expect(
    await named("hourly", "--since", "2026-10-21", "--until", "2026-10-27", "-z", "Europe/Berlin"),
  ).toEqual(["2026-10-21 18:00+02:00", "2026-10-27 14:00+01:00"]);
  expect(await named("weekly", "--since", "2026-10-21", "--until", "2026-11-04")).toEqual([
    "2026-10-21 to 10-25",
    "2026-10-26 to 11-01",
    "2026-11-02 to 11-04",
  ]);
  expect(await named("weekly", "--since", "2026-11-04", "--until", "2026-11-04")).toEqual(["2026-11-04"]);
});

test("on a wide terminal rows show when their money was spent", async () => {
  const { stdout } = await runCli(["usage", "project", "--all", NO_SYNC], { ...samples, columns: 160 });
  expect(stripVTControlCharacters(stdout)).toMatch(/Cost over time *\n.* [·▁▂▃▄▅▆▇█]{16}$/m);
});

test("tokens without a cost are not priced, and said to be so", async () => {
  const agent = emptyAgent(tempDir());
  const sessions = join(agent, "sessions");
  const original = session({ timestamp: "2026-11-19T10:00:00Z" }).assistant({
    model: "local",
    usage: { input: 5, output: 5, cacheRead: 15, cost: { total: 0 } },
  });
  original.writeBelow(sessions);
  original.fork({ id: "fork", timestamp: "2026-11-19T11:00:00Z" }).writeBelow(sessions);
  const { stderr } = await runCli(["usage", "model"], { agentDir: agent });
  expect(stderr).toContain("\nLeft out: 25 tokens in 1 request, copied into forks");
  expect(stderr).toContain("Not priced: 1 request states tokens but no cost.");
  // What would the input have cost? Nobody says.
  expect(stderr).toContain("\n75% of the input came from the prompt cache.\n");
  const shown = await runCli(["usage", "model"], { agentDir: agent, columns: 80 });
  expect(stripVTControlCharacters(shown.stdout)).toMatch(/^local .* not priced {2}█+$/m);
});

test("what the cache saved is not told where only what was not cached has a price", async () => {
  const agent = emptyAgent(tempDir());
  session({ timestamp: "2026-11-19T10:00:00Z" })
    .assistant({ usage: { output: 5, cacheRead: 10, cost: { cacheRead: 1, total: 1 } } })
    .compaction("s", { usage: { input: 10, output: 5, cost: { input: 1, total: 1 } } })
    .writeBelow(join(agent, "sessions"));
  const { stderr } = await runCli(["usage"], { agentDir: agent });
  expect(stderr).toContain("\n50% of the input came from the prompt cache.\n");
});

test("a report about nothing says how to see more, one that leaves out rows says so", async () => {
  const later = { agentDir, now: () => Date.parse("2027-06-01T12:00:00Z") };
  const { stderr } = await runCli(["usage"], later);
  expect(stderr).toBe("Nothing was used. Since 2027-05-02, time zone UTC. --all covers everything.\n");
  const ever = await runCli(["usage", "--all"], { agentDir: emptyAgent(tempDir()) });
  expect(ever.stderr).toBe("Nothing was used. All time, time zone UTC.\n");
  const day = await runCli(["usage", "--since", "2026-11-18", "--until", "2026-11-18"], samples);
  expect(day.stderr).toMatch(/2026-11-18, time zone UTC\./);
  expect(day.stderr).not.toContain("2026-11-18 to");
  const hours = await runCli(
    ["usage", "-z", "Asia/Tokyo", "--since", "6h", "--until", "2026-11-20T12:00:00Z"],
    samples,
  );
  expect(hours.stderr).toContain(
    "Nothing was used. 2026-11-20 15:00 to 2026-11-20 21:00, time zone Asia/Tokyo.",
  );
  const skipped = ["-z", "Pacific/Apia", "--since", "2011-12-30", "--until", "2011-12-30"];
  expect((await runCli(["usage", ...skipped], samples)).stderr).toContain(
    "Nothing was used. A day that the clocks skipped, time zone Pacific/Apia.",
  );
  const cut = await runCli(["usage", "model", "--all", "--limit", "2"], samples);
  expect(cut.stderr).toContain("Showing 2 rows; the total covers all.");
  expect(stripVTControlCharacters(cut.stdout).trimEnd().split("\n")).toHaveLength(1 + 2);
  const { rows } = await usage("model", "--all", NO_SYNC);
  const whole = await runCli(["usage", "model", "--all", "--limit", String(rows.length)], samples);
  expect(whole.stderr).not.toContain("the total covers all");
});

describe("--csv", () => {
  test("has the rows under the names of the JSON document", async () => {
    const { stdout } = await runCli(["usage", "monthly", "--all", "--csv", NO_SYNC], samples);
    const [head = "", ...lines] = stdout.trimEnd().split("\n");
    const { rows } = await usage("monthly", "--all", NO_SYNC);
    const columns = head.split(",");
    expect(columns[0]).toBe("key");
    expect(lines).toEqual(
      rows.map((row) => columns.map((column) => String(row[column as keyof typeof row] ?? "")).join(",")),
    );
  });

  test("names a session by its title and path too", async () => {
    const { stdout } = await runCli(["usage", "session", "--all", "--csv", NO_SYNC], samples);
    const [head = "", ...lines] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^key,label,path,requests,/);
    expect(lines.every((line) => /,\/[^,]+\.jsonl,\d+,/.test(line))).toBe(true);
  });

  test("has a line for each model of a row with --breakdown", async () => {
    const argv = ["usage", "monthly", "--all", "--csv", "--breakdown", NO_SYNC];
    const { stdout } = await runCli(argv, samples);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1 + 2 + 4 + 4);
  });

  test("secrets in titles and labels are masked, as in the table", async () => {
    const agentDir = join(tempDir(), "agent");
    const token = `ghp_${"a1B2".repeat(9)}`;
    session({ id: "secret" })
      .user(`use ${token}`, { id: "asked" })
      .label("asked", `with ${token}`)
      .assistant()
      .writeBelow(join(agentDir, "sessions"));
    for (const by of ["session", "label"]) {
      const { stdout } = await runCli(["usage", by, "--all", "--csv"], { agentDir });
      expect(stdout).toContain("[masked GitHub token]");
      expect(stdout).not.toContain(token);
    }
  });

  test.each(["--json", "--compat=ccusage"])("excludes %s", async (other) => {
    expect((await runCli(["usage", "--csv", other], samples)).code).toBe(2);
  });
});

test("a limit leaves the newest periods, unless they are sorted otherwise, and the dearest of all others", async () => {
  const keys = async (...argv: string[]) =>
    (await usage(...argv, "--all", "--limit", "2", NO_SYNC)).rows.map(({ key }) => key);
  expect(await keys("monthly")).toEqual(["2026-10", "2026-11"]);
  expect(await keys("monthly", "--sort", "key:asc")).toEqual(["2026-09", "2026-10"]);
  expect(await keys("monthly", "--sort", "cost:desc")).toEqual(["2026-10", "2026-09"]);
  expect(await keys("hourly")).toEqual(["2026-11-14T15:00+00:00", "2026-11-19T07:00+00:00"]);
  expect(await keys("model")).toEqual(["claude-opus-4-7", "claude-sonnet-4-6"]);
  const { stdout, stderr } = await runCli(["usage", "monthly", "--all", "--limit", "2", NO_SYNC], samples);
  expect(stdout).toMatch(/^2026-10\t.*\n2026-11\t/m);
  expect(stderr).toContain("Showing 2 rows; the total covers all.");
});

describe("the status line", () => {
  test("is one line with today, a week and a month", async () => {
    const { stdout } = await runCli(["usage", "statusline"], samples);
    expect(stdout).toBe("$0 today · $0.03 in 7 days · $0.34 in 30 days\n");
  });

  test.each([
    ["--all"],
    ["--since", "7d"],
    ["--until", "today"],
    ["--csv"],
    ["--breakdown"],
    ["--sort", "cost"],
    ["--limit", "3"],
    ["--compat", "ccusage"],
  ])("does not pass over %s, which it cannot heed", async (...option) => {
    const { code, stdout, stderr } = await runCli(["usage", "statusline", ...option], samples);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(`takes no ${option[0]}.`)]);
  });

  test("says how many tokens today took", async () => {
    const now = () => Date.parse("2026-11-19T23:00:00Z");
    const { stdout } = await runCli(["usage", "statusline", NO_SYNC], { ...samples, now });
    expect(stdout).toBe("$0.01 today (11.1K tokens) · $0.03 in 7 days · $0.34 in 30 days\n");
  });

  test("begins its 7 and its 30 days as --since 7d and --since 30d do", async () => {
    const agent = emptyAgent(tempDir());
    for (const [day, total] of [
      ["2026-11-13", 1],
      ["2026-11-12", 2],
      ["2026-10-21", 4],
      ["2026-10-20", 8],
    ] as const)
      spendOn(agent, day, { input: 1, cost: { total } });
    const { stdout } = await runCli(["usage", "statusline"], { agentDir: agent });
    expect(stdout).toBe("$0 today · $1.00 in 7 days · $7.00 in 30 days\n");
    for (const [since, cost] of [
      ["7d", 1],
      ["30d", 7],
    ] as const) {
      expect(await runJson(["usage", "--since", since], { agentDir: agent })).toMatchObject({
        totals: { cost },
      });
    }
  });

  test("does not say that what has no price was free", async () => {
    const agent = emptyAgent(tempDir());
    spendOn(agent, "2026-11-20", { input: 1500 });
    const line = async () => (await runCli(["usage", "statusline"], { agentDir: agent })).stdout;
    const beginning = "not priced today (1.5K tokens) · not priced in 7 days";
    expect(await line()).toBe(`${beginning} · not priced in 30 days\n`);
    spendOn(agent, "2026-11-01", { input: 1, cost: { total: 2 } });
    expect(await line()).toBe(`${beginning} · $2.00 in 30 days\n`);
  });

  test("does not say that 30 days without a price were free", async () => {
    const agent = emptyAgent(tempDir());
    session({ timestamp: "2026-11-01T12:00:00Z" })
      .assistant({ usage: { input: 1500 } })
      .writeBelow(join(agent, "sessions"));
    const { stdout } = await runCli(["usage", "statusline"], { agentDir: agent });
    expect(stdout).toBe("$0 today · $0 in 7 days · not priced in 30 days\n");
  });

  test("keeps to the filters, and is a document with --json", async () => {
    const document = await runJson(["usage", "statusline", "--model", "opus", NO_SYNC], samples);
    expect(document).toMatchObject({
      schemaVersion: 1,
      timezone: "UTC",
      today: { cost: 0 },
      last7Days: { requests: 0 },
      last30Days: { requests: expect.any(Number) },
    });
  });
});

describe("--compat ccusage", () => {
  test("refuses what ccusage does not have", async () => {
    const { code, stderr } = await runCli(["usage", "tool", "--compat", "ccusage"], samples);
    expect([code, stderr]).toEqual([2, expect.stringContaining("daily, monthly, session")]);
  });

  test.skipIf(isMissing("ccusage"))("names sessions and projects after files and folders", async () => {
    const pi = tempDir();
    const files = [
      "--p--/2026_one.jsonl",
      "--p--/ab/run-1/session.jsonl",
      "flat_a_b.jsonl",
      "x/sessions/c.jsonl",
    ];
    for (const [at, file] of files.entries()) {
      const built = session({ id: `header${at}` }).assistant({ responseId: `r${at}` });
      built.write(join(pi, "sessions", file));
    }
    const theirs = ccusageSays(pi, "session", "UTC");
    const ours = await runCli(["usage", "session", "--compat", "ccusage", "-z", "UTC"], { agentDir: pi });
    const names = (json: string) => {
      const { sessions } = JSON.parse(json) as { sessions: { sessionId: string; projectPath: string }[] };
      return sessions.map(({ sessionId, projectPath }) => `${projectPath} ${sessionId}`).toSorted();
    };
    expect(names(ours.stdout)).toEqual(names(theirs));
    expect(names(ours.stdout)).toContain("--p-- session");
  });

  test.skipIf(isMissing("ccusage"))(
    "has what ccusage has of requests without tokens and of files with one name",
    async () => {
      const pi = tempDir();
      const said = (timestamp: string, tokens: number, model = "m") => ({
        model,
        responseId: timestamp,
        timestamp: `2026-11-${timestamp}T10:00:00.000Z`,
        usage: { input: tokens, output: 0, totalTokens: tokens, cost: { total: 1 } },
      });
      const files = {
        "--a--/1_x.jsonl": [said("03", 5), said("04", 0)],
        "--b--/2_x.jsonl": [said("01", 7), said("02", 7, "n"), said("05", 0, "none")],
        "--c--/run-0/session.jsonl": [said("02", 3)],
        "--c--/run-1/session.jsonl": [said("01", 3)],
      };
      for (const [file, messages] of Object.entries(files)) {
        const built = session({ id: file.replaceAll(/\W/g, "") });
        for (const message of messages) built.assistant(message, { timestamp: message.timestamp });
        built.write(join(pi, "sessions", file));
      }
      for (const by of ["daily", "session"]) {
        const theirs = ccusageSays(pi, by, "UTC");
        const ours = await runCli(["usage", by, "--compat", "ccusage"], { agentDir: pi });
        expect(inOrder(JSON.parse(ours.stdout))).toEqual(about(inOrder(JSON.parse(theirs))));
      }
    },
  );

  describe.skipIf(isMissing("ccusage", "piAgentModule"))("of what ccusage counts too", () => {
    const pi = sharedTempDir();
    beforeAll(() => {
      const { sessions } = writePiStore({ sessions: 48, seed: 7, agentDir: pi });
      for (const { file, kind } of sessions) if (["fork", "branchOff"].includes(kind)) rmSync(file);
    });

    test.each(["daily", "monthly", "session"])("is ccusage's own document: %s", async (by) => {
      const theirs = ccusageSays(pi, by, "Europe/Berlin");
      const argv = ["usage", by, "--compat", "ccusage", "--role", "assistant", "-z", "Europe/Berlin"];
      const ours = await runCli(argv, { agentDir: pi });
      expect(inOrder(JSON.parse(ours.stdout))).toEqual(about(inOrder(JSON.parse(theirs))));
    });
  });
});

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function ccusageSays(agentDir: string, by: string, timezone: string): string {
  const argv = ["pi", by, "--json", "--offline", "-z", timezone, "--pi-path", join(agentDir, "sessions")];
  return execFileSync(ccusageCommand(), argv, { encoding: "utf8" });
}

/** Numbers to the billionth; text as it is. */
function about(value: Json): unknown {
  if (typeof value === "number") return expect.closeTo(value, 9);
  if (Array.isArray(value)) return value.map(about);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, about(each)]));
}

/** Lists sorted by what names their members: where two cost the same, either may come first. */
function inOrder(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(inOrder).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inOrder(each)]));
}

function nameOf(value: Json): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return String(value);
  return String(value.date ?? value.month ?? value.sessionId ?? value.modelName);
}

test.each([
  ["tool", "No tool has stated usage of its own"],
  ["source", "All of it went into turns"],
  ["thinking", "The files do not say how much models were asked to think"],
])("usage %s says why it has one row", async (by, why) => {
  const { stderr } = await runCli(["usage", by, "--all"], samples);
  expect(stderr).toContain(why);
});

describe("waste", () => {
  test("is told by kind, with the sessions to look at, of the last 30 days unless told", async () => {
    const { stdout, stderr } = await runCli(["usage", "waste", NO_SYNC], {
      ...samples,
      columns: 100,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toMatch(/Cache misses +\d+ .*%\n.*another model was asked/);
    expect(stdout).toMatch(/Sessions to look at\n.*Title.*Cost/);
    expect(stderr).toContain("Since 2026-10-21, time zone UTC.");
    const document = (await runJson(["usage", "waste", NO_SYNC], samples)) as {
      since: string;
      sessions: object[];
    };
    expect(document.since).toBe("2026-10-21");
    const cut = await runJson(["usage", "waste", "--limit", "1", NO_SYNC], samples);
    expect(cut).toMatchObject({ ...document, sessions: document.sessions.slice(0, 1) });
  });

  test("has no column of a kind that no session shows, which would take the room of one that says something", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .assistant({ stopReason: "error", usage: { input: 5, cost: { total: 1 } } })
      .writeBelow(join(agentDir, "sessions"));
    for (const columns of [40, 100]) {
      const { stdout } = await runCli(["usage", "waste", "--all"], {
        agentDir,
        columns,
        env: { NO_COLOR: "1" },
      });
      expect(stdout).toMatch(/\nSession +Title +Failed +Cost\n/);
    }
  });

  test("says so where there is none, and where nothing was used", async () => {
    const agent = emptyAgent(tempDir());
    session()
      .user("x")
      .assistant({ usage: { input: 5, cost: { input: 1, total: 1 } } })
      .writeBelow(join(agent, "sessions"));
    const { stdout, stderr } = await runCli(["usage", "waste", "--all"], { agentDir: agent, columns: 80 });
    expect([stdout.includes("Sessions to look at"), stderr]).toEqual([
      false,
      expect.stringContaining("Nothing of it was"),
    ]);
    const none = await runCli(["usage", "waste", "--all", "--model", "no"], { agentDir: agent, columns: 80 });
    expect([none.stdout, none.stderr]).toEqual([
      "",
      expect.stringMatching(/Nothing was used[\s\S]*no model "no"/),
    ]);
  });

  test("gives spreadsheets a line for each kind", async () => {
    const { stdout } = await runCli(["usage", "waste", "--all", "--csv", NO_SYNC], samples);
    const { rows } = (await runJson(["usage", "waste", "--all", NO_SYNC], samples)) as {
      rows: { key: string; requests: number; totalTokens: number }[];
    };
    const [names, ...lines] = stdout.trimEnd().split("\n");
    expect(names).toBe("key,requests,totalTokens,cost,unpriced,share");
    expect(lines.map((line) => line.split(",").slice(0, 3))).toEqual(
      rows.map(({ key, requests, totalTokens }) => [key, String(requests), String(totalTokens)]),
    );
  });

  test.each([["--breakdown"], ["--own"], ["--sort", "cost"], ["--compat", "ccusage"]])(
    "refuses %s",
    async (...option) => {
      expect((await runCli(["usage", "waste", ...option], samples)).code).toBe(2);
    },
  );
});

describe("--estimate", () => {
  const folder = sharedTempDir();
  const agentDir = emptyAgent(folder);
  const env = {
    NO_COLOR: "1",
    PATH: installPi(folder, { "openai-codex": { "gpt-5": costing(0) }, openai: { "gpt-5": costing(2) } }),
  };
  const usage = { input: 1_000_000, output: 0, cost: { total: 0 } };
  session()
    .user("x")
    .assistant({ provider: "openai-codex", model: "gpt-5", usage })
    .assistant({ provider: "ollama", model: "qwen\u001b[31m3", usage })
    .writeBelow(join(agentDir, "sessions"));

  test("has a column of its own, and says what it rests on and lacks", async () => {
    const { stdout, stderr } = await runCli(["usage", "provider", "--all", "--estimate"], {
      agentDir,
      env,
      columns: 100,
    });
    expect(stdout).toMatch(/Cost +Estimate/);
    expect(stdout).toMatch(/openai-codex .*not priced +\$2\.000/);
    expect(stdout).toMatch(/ollama .*not priced +-/);
    expect(stdout).toMatch(/Total .*not priced +\$2\.000/);
    expect(stderr.replace(/\s+/g, " ")).toContain(
      "what 1 request without a cost would have cost as API, by the list of pi's models 1.2.3; no part of Cost.",
    );
    expect(stderr).toContain("Without a price there, as local models: ollama/qwen3 (1).");
  });

  test.each([
    [0.000001, "There is nothing to estimate: no request states tokens without a cost."],
    [0, "Nothing could be estimated by the list of pi's models 1.2.3."],
  ])("says so where there is nothing to add, as where all costs are %d", async (total, sentence) => {
    const local = emptyAgent(tempDir());
    session()
      .assistant({ provider: "ollama", model: "qwen3", usage: { input: 1, cost: { total } } })
      .writeBelow(join(local, "sessions"));
    const options = { agentDir: local, env, columns: 200 };
    const { stderr } = await runCli(["usage", "provider", "--all", "--estimate"], options);
    expect(stderr).toContain(`${sentence}\n`);
  });

  test("is two more names for spreadsheets and scripts", async () => {
    const { stdout } = await runCli(["usage", "model", "--all", "--estimate", "--csv"], { agentDir, env });
    expect(stdout).toMatch(/^key,.*,estimatedCost,estimatedRequests\ngpt-5,.*,2,1\n/);
    const document = await runJson(["usage", "model", "--all", "--estimate"], { agentDir, env });
    expect(document).toMatchObject({
      totals: { cost: 0 },
      estimatedCost: 2,
      estimatedRequests: 1,
      unknownModels: [{ provider: "ollama" }],
    });
  });

  test("fails where there is no pi, and is refused where it means nothing", async () => {
    const ask = (...argv: string[]) => runCli(["usage", ...argv, "--estimate"], { agentDir });
    expect(await ask("model")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("no pi on PATH"),
    });
    for (const argv of [["daily", "--compat", "ccusage"], ["waste"], ["statusline"], ["--check"]])
      expect([argv, (await ask(...argv)).code]).toEqual([argv, 2]);
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { widthOf } from "../../src/text/width.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, NOW, type PretendOptions, runCli, runJson } from "./pretend-world.ts";

/** On 2026-11-20: $4 of /p, today, and $5 of /q, on the first of the month. */
function world(budgets: object[], change: Partial<PretendOptions> = {}): PretendOptions {
  const dir = tempDir();
  const agentDir = emptyAgent(dir);
  mkdirSync(join(dir, "sessiondb"));
  writeFileSync(join(dir, "sessiondb", "config.json"), JSON.stringify({ budgets }));
  for (const [cwd, at, total] of [
    ["/p", NOW, 4],
    ["/q", Date.parse("2026-11-01T00:00:00Z"), 5],
  ] as const)
    session({ id: cwd.slice(1), cwd, timestamp: new Date(at).toISOString() })
      .at(at)
      .assistant({ usage: { input: 1000, cost: { total } } })
      .writeBelow(join(agentDir, "sessions"));
  return { agentDir, env: { XDG_CONFIG_HOME: dir }, ...change };
}

const [RED, YELLOW, END] = ["\u001b[31m", "\u001b[33m", "\u001b[39m"];
const CHECK = ["usage", "--check"];

describe("usage --check", () => {
  test.each([
    ["within", { month: 100 }, 0, "all  $9.00  of $100  this month  9%\n"],
    ["where one warns", { month: 10, total: 100 }, 3, "all  $9.00  of $10   this month  90%  warns"],
    ["where one is over", { day: 3, month: 10 }, 4, "all  $4.00  of $3   today       134%  over"],
  ])("exits by the worst of all limits, with a line for each: %s", async (_what, limits, code, line) => {
    const done = await runCli(CHECK, world([{ name: "all", ...limits }]));
    expect([done.code, done.stdout, done.stderr]).toEqual([code, expect.stringContaining(line), ""]);
    expect(done.stdout.trimEnd().split("\n")).toHaveLength(Object.keys(limits).length);
  });

  test("exits so with a document, too", async () => {
    const { code, stdout } = await runCli(
      [...CHECK, "--json"],
      world([{ name: "p", project: "/p", month: 4 }]),
    );
    expect([code, JSON.parse(stdout)]).toEqual([
      3,
      {
        ...{ schemaVersion: 1, timezone: "UTC", state: "warns", withoutSessions: [] },
        limits: [
          {
            ...{ name: "p", project: "/p", period: "month", since: "2026-11-01", until: "2026-11-30" },
            ...{ limit: 4, warnAt: 3.2, spent: 4, unpriced: 0, state: "warns" },
          },
        ],
      },
    ]);
  });

  test("answers from the index as it stands, if it is told to", async () => {
    const asked = world([{ name: "all", day: 4 }]);
    expect((await runCli(CHECK, asked)).code).toBe(3);
    session({ id: "new", timestamp: new Date(NOW).toISOString() })
      .at(NOW)
      .assistant({ usage: { input: 1, cost: { total: 1 } } })
      .writeBelow(join(asked.agentDir, "sessions"));
    expect((await runCli([...CHECK, "--no-sync"], asked)).code).toBe(3);
    expect((await runCli(CHECK, asked)).code).toBe(4);
  });

  test("without budgets says in one sentence how to set one, and exits well", async () => {
    const { code, stdout, stderr } = await runCli(CHECK, world([]));
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^No budgets are set; one is set in .*config\.json: "budgets": \[.*\]\.\n$/);
    const example = JSON.parse(/"budgets": (\[.*\])/.exec(stderr)?.[1] ?? "") as object[];
    expect((await runCli(CHECK, world(example))).code).toBe(0);
  });

  test("notes a project that no session was held in, and that is no error", async () => {
    const asked = world([{ name: "gone", project: "~/gone", day: 1 }]);
    const { code, stderr } = await runCli(CHECK, asked);
    expect([code, stderr]).toEqual([0, 'note: there is no session of the budget "gone" in ~/gone\n']);
  });

  test("notes a model or a provider that nothing was asked of, as a misspelt one", async () => {
    const asked = world([
      { name: "a", provider: "Anthropic", day: 1 },
      { name: "b", model: "claude-*", day: 1 },
      { name: "c", model: "CLAUDE", provider: "anthropic", project: "/nothing/today", day: 1 },
    ]);
    const { code, stderr } = await runCli(CHECK, asked);
    expect([code, stderr.match(/no (?:provider|model) "[^"]*"/g)]).toEqual([
      0,
      ['no provider "Anthropic"', 'no model "claude-*"'],
    ]);
  });

  test("says what has no price, and so does not count", async () => {
    const asked = world([{ name: "all", total: 10 }]);
    session({ id: "free" })
      .assistant({ usage: { input: 10 } })
      .writeBelow(join(asked.agentDir, "sessions"));
    expect((await runCli(CHECK, asked)).stderr).toBe("Not priced, and so not counted: 1 request.\n");
  });

  test.each([
    ["--since", "today"],
    ["--project", "/p"],
    ["--here"],
    ["--all"],
    ["--limit", "3"],
    ["--csv"],
    ["--week-start", "sunday"],
    ["--compat", "ccusage"],
    ["--otlp", "-"],
  ])("does not pass over %s, which it cannot heed", async (...option) => {
    const { code, stdout, stderr } = await runCli([...CHECK, ...option], world([]));
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(`takes no ${option[0]}.`)]);
  });

  test.each(["model", "statusline"])("is no question by %s", async (by) => {
    const { code, stderr } = await runCli([...CHECK, by], world([]));
    expect([code, stderr]).toEqual([2, expect.stringContaining(`usage --check takes no "${by}".`)]);
  });

  test("is told of a budget that is wrong with the line of the file, as an error", async () => {
    const { code, stderr } = await runCli(CHECK, world([{ name: "all", day: -1 }]));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/config\.json:1: budgets\[0\]\.day has to be/)]);
  });
});

describe("what was spent of a limit", () => {
  const lineOf = async (costs: number[], total: number, warn = 1) => {
    const asked = world([{ name: "x", project: "/x", total, warn }]);
    const built = session({ id: "x", cwd: "/x" });
    for (const cost of costs) built.assistant({ usage: { input: 1, cost: { total: cost } } });
    built.writeBelow(join(asked.agentDir, "sessions"));
    return (await runCli(CHECK, asked)).stdout.trimEnd();
  };

  test.each([
    ["of binary fractions is what people would say", [0.29], 1, "x  $0.29  of $1  in all  29%"],
    ["above it, too", [1.1], 1, "x  $1.10  of $1  in all  110%  over"],
    ["that is all of it", Array<number>(10).fill(0.1), 1, "x  $1.00  of $1  in all  100%  warns"],
    ["that is nearly all of it", [0.999999], 1, "x  $1.00  of $1  in all  99%"],
    ["that is hardly more than it", [1_000_000_000.000001], 1e9, "101%  over"],
    ["of less than a cent", [0.000002], 0.000001, "x  <$0.01  of $0.000001  in all  200%  over"],
    ["that nobody has", [5], 1e300, "x  $5.00  of $1e+300  in all  0%"],
  ])("%s", async (_what, costs, limit, line) => {
    expect(await lineOf(costs, limit)).toContain(line);
  });
});

const BUDGETS = [
  { name: "everything \u001b[2J there is, and more", day: 3, week: 5, month: 1000, total: 1e6 },
  { name: "p", project: "/p", month: 5 },
];

describe.each([
  ["the check", CHECK],
  ["the front page", []],
  ["the table of usage", ["usage"]],
  ["a table of models", ["usage", "model"]],
])("in %s budgets", (_what, argv) => {
  test.each([21, 40, 60, 80, 120])("fit a terminal of %i columns", async (columns) => {
    const { stdout } = await runCli(argv, world(BUDGETS, { columns }));
    const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
    expect(lines.filter((line) => widthOf(line) > columns && columns >= 40)).toEqual([]);
    expect(stdout).toContain("80%");
    expect(stdout).not.toContain("\u001b[2J");
  });

  test("are yellow where they warn and red where they are over", async () => {
    const { stdout } = await runCli(argv, world(BUDGETS, { columns: 100 }));
    const line = (text: string) => stdout.split("\n").find((each) => each.includes(text)) ?? "";
    expect([line("134%").startsWith(RED), line("134%").endsWith(`over${END}`)]).toEqual([true, true]);
    expect([line("80%").startsWith(YELLOW), line("80%").endsWith(`warns${END}`)]).toEqual([true, true]);
    expect(line("of $1,000 ")).toMatch(/^\w.*█?░/);
  });
});

test("in a pipe and in JSON a report of usage says nothing of budgets", async () => {
  const asked = world(BUDGETS);
  const { stdout } = await runCli(["usage"], asked);
  expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  expect(await runJson(["usage"], asked)).not.toHaveProperty("budgets");
});

describe("the pace", () => {
  /** A dollar at noon of each day from September on, up to yesterday, and none today. */
  const daily = (budgets: object[]) => {
    const asked = world(budgets, { columns: 200 });
    const built = session({ id: "daily", cwd: "/daily", timestamp: "2026-09-01T12:00:00Z" });
    for (let at = Date.parse("2026-09-01T12:00:00Z"); at < NOW; at += 24 * 3_600_000)
      built.at(at).assistant({ usage: { input: 1, cost: { total: 1 } } });
    built.writeBelow(join(asked.agentDir, "sessions"));
    return asked;
  };
  const HOW = "Likely: in 4 of 5 cases";

  test("of the month stands below a report over time", async () => {
    const { stderr } = await runCli(["usage", "--project", "/daily"], daily([]));
    expect(stderr).toContain(
      "$19.00 this month: by now $20.00 on average (last 2 months), at its end likely $29.",
    );
    expect(stderr).toContain(HOW);
    for (const argv of [["model"], ["--until", "today"], ["--role", "assistant"]])
      expect((await runCli(["usage", ...argv], daily([]))).stderr).not.toContain("this month:");
  });

  test("of each limit stands below every report, and never in what programs read", async () => {
    const asked = daily([{ name: "d", project: "/daily", week: 20, month: 40, total: 100 }]);
    const { stderr } = await runCli(["usage", "model"], asked);
    expect(stderr).toContain("d this week: by now $5.00 on average (last 4 weeks), at its end likely $6.00.");
    expect(stderr).toContain(
      "d this month: by now $20.00 on average (last 2 months), at its end likely $29.",
    );
    expect(stderr).not.toContain("in all:");
    const { stderr: said } = await runCli(["usage", "--csv"], asked);
    expect(said).not.toContain("this month");
  });

  test("is not told where there are no two weeks of data", async () => {
    const { stderr } = await runCli(["usage", "--project", "/p"], world([], { columns: 200 }));
    expect(stderr).not.toContain("this month");
  });
});

describe("the status line", () => {
  const line = async (budgets: object[], change: Partial<PretendOptions> = {}) =>
    (await runCli(["usage", "statusline"], world(budgets, change))).stdout;
  const SUMS = "$4.00 today (1K tokens) · $4.00 in 7 days · $9.00 in 30 days";

  test("says which budget warns or is over, and nothing of others", async () => {
    expect(await line([{ name: "all", day: 100 }])).toBe(`${SUMS}\n`);
    expect(await line(BUDGETS.slice(1))).toBe(`${SUMS} · p 80% of $5\n`);
    expect(
      await line([
        { name: "p", project: "/p", day: 100, month: 5 },
        { name: "q", project: "/q", month: 2.5 },
      ]),
    ).toBe(`${SUMS} · p 80% of $5 this month · q 200% of $2.50\n`);
  });

  test("is yellow while one warns, and red once one is over", async () => {
    const shown = { columns: 200 };
    expect(await line(BUDGETS.slice(1), shown)).toBe(`${YELLOW}${SUMS} · p 80% of $5${END}\n`);
    expect(await line([{ name: "p", day: 3.9, total: 4.5 }])).toBe(
      `${SUMS} · p 103% of $3.90 today · p 200% of $4.50 in all\n`,
    );
    expect(await line([{ name: "p", day: 3.9 }], shown)).toBe(`${RED}${SUMS} · p 103% of $3.90${END}\n`);
    expect(await line([], shown)).toBe(`${SUMS}\n`);
  });

  test("is a document with all limits", async () => {
    const asked = await runJson(["usage", "statusline"], world(BUDGETS));
    expect(asked).toMatchObject({ budgets: [{ period: "day", state: "over" }, {}, {}, {}, { name: "p" }] });
  });
});

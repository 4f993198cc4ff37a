import { describe, expect, test } from "vitest";
import { forPostgres } from "../../src/team/ask/team-sql.ts";
import { type Outcome, runCli } from "../cli/pretend-world.ts";
import { Comparison, readKeys, type Shapes } from "../helpers/described-json.ts";
import { readPage } from "../helpers/manual.ts";
import { hasNoPostgres, postgresServer } from "../helpers/postgres.ts";
import { session } from "../helpers/session-builder.ts";
import { laptop, newTeam } from "../helpers/team.ts";

const server = postgresServer();

type Ask = (line: string, columns?: number) => Promise<Outcome>;

interface Asking {
  /** By the lead. */
  ask: Ask;
  /** By the lead, with settings of the team. */
  askWith: (team: object) => Ask;
  ofBen: Ask;
}

let made: Promise<Asking> | undefined;

/** A team to which ada has pushed text, and ben numbers: one for all tests, which only ask. */
function asking(): Promise<Asking> {
  made ??= make();
  return made;
}

async function make(): Promise<Asking> {
  const team = await newTeam(server);
  const [ada, ben, lea] = [
    await team.url("ada"),
    await team.url("ben"),
    await team.url("lea", { lead: true }),
  ];
  const adas = laptop(ada, { projects: ["*"], level: "text" });
  session({ id: "pears", cwd: "/work/orchard", timestamp: "2026-11-02T10:00:00Z" })
    .user("plant the pears")
    .assistant({ text: "planted" })
    .writeBelow(`${adas.agentDir}/sessions`);
  const bens = laptop(ben);
  session({ id: "tides", cwd: "/work/tide", timestamp: "2026-11-03T10:00:00Z" })
    .user("read the tides")
    .assistant({ model: "local", provider: "ollama", usage: { input: 5, output: 5, cost: { total: 0 } } })
    .writeBelow(`${bens.agentDir}/sessions`);
  for (const each of [adas, bens]) expect(await runCli(["push"], each)).toMatchObject({ code: 0 });
  const as =
    (url: string, settings?: object): Ask =>
    (line, columns) =>
      runCli([...wordsOf(line), "--color", "never"], {
        ...laptop(url, undefined, settings),
        ...(columns !== undefined && { columns }),
      });
  return { ask: as(lea), ofBen: as(ben), askWith: (settings) => as(lea, settings) };
}

/** Words between spaces; what stands in quotes is one. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"));
}

/** How a page describes keys that several documents have. */
function shapeOf(name: string): string {
  const pages = [readPage("docs/json.md").text, readPage("docs/team.md").text].join("\n");
  return RegExp(`^- ${name}: ([\\s\\S]*?)\\.$`, "m").exec(pages)?.[1] ?? "";
}

/** Says that there is another device, which is to write. */
const DEVICE = `"SELECT hello_v1(jsonb_build_object('device', '${"0".repeat(32)}', 'label', 'x', 'client', '1', 'level', 'usage'))"`;

describe.skipIf(hasNoPostgres())("a team is asked by the commands that ask an index", () => {
  test("how its budgets stand, for cron and hooks", async () => {
    const { ask, askWith } = await asking();
    const budgets = [
      { name: "all", total: 100 },
      { name: "ada", author: "Ada", project: "ORCH", total: 0.001 },
      { name: "elsewhere", model: "no such", month: 1 },
    ];
    const checked = await askWith({ url: "postgres://x@y/z", budgets })("usage --check --team");
    expect(checked.code).toBe(4);
    expect(checked.stdout).toMatch(/^all .* of \$100 [\s\S]*\nada .*\bover\nelsewhere +\$0 /);
    const page = await askWith({ url: "postgres://x@y/z", budgets })("--team", 100);
    expect(page.stdout).toMatch(/\nada .*\bover\n/);
    const none = await ask("usage --check --team");
    expect([none.code, none.stderr]).toEqual([0, expect.stringContaining("The team has no budgets")]);
  });

  test("what it has spent, by whom and on what, in any format", async () => {
    const { ask, ofBen } = await asking();
    const table = await ask("usage author --team --all", 100);
    expect(table.stdout).toMatch(/Who\s+Requests[\s\S]*ada[\s\S]*ben[\s\S]*Total/);
    expect(table.stderr).toContain("Not priced: 1 request states tokens but no cost.");
    const { rows, by } = JSON.parse((await ask("usage author --team --json")).stdout);
    expect([by, rows.map(({ key }: { key: string }) => key)]).toEqual(["author", ["ada", "ben"]]);
    expect((await ask("usage model --team --author BEN --csv")).stdout.split("\n")[1]).toMatch(
      /^local,1,5,5,/,
    );
    expect((await ask("usage session --team")).stdout).toContain("pears\tada: plant the pears");
    expect((await ofBen("usage author --team --csv --no-header")).stdout).toMatch(/^ben,[^\n]*\n$/);
    expect((await ask("usage --team --author xerxes")).stderr).toContain(
      'There is no author "xerxes". There are: ada, ben, lea, owner.',
    );
  });

  test("which sessions there are, with titles only where they have left a device", async () => {
    const { ask, ofBen } = await asking();
    const { total, sessions } = JSON.parse((await ask("list --team --json")).stdout);
    expect(total).toBe(2);
    const [tides, pears] = sessions;
    expect(tides).toMatchObject({ author: "ben", id: "tides", title: "", level: "usage" });
    expect(pears).toMatchObject({
      author: "ada",
      title: "plant the pears",
      project: "orchard",
      level: "text",
    });
    expect((await ask("list --team", 100)).stdout).toMatch(
      /Session +Who +Title[\s\S]*ben[\s\S]*ada +plant the pears/,
    );
    expect((await ofBen("list --team --no-header")).stdout).toMatch(/^tides\tben\t\t\w{24}\t[^\n]*\n$/);
    expect((await ask("list --team --sort size")).stderr).toContain("--sort cannot be");
  });

  test("what was said, where it has left a device", async () => {
    const { ask, ofBen } = await asking();
    const { total, hits } = JSON.parse((await ask("search --team pears role:user --json")).stdout);
    expect([total, hits[0]]).toEqual([
      1,
      expect.objectContaining({ author: "ada", snippet: "plant the pears", highlights: [[10, 15]] }),
    ]);
    const shown = await ask("search --team pears OR planted", 80);
    expect(shown.stdout).toContain("ada: plant the pears");
    expect(shown.stderr).toContain("2 hits.");
    for (const asked of [await ofBen("search --team pears"), await ask("search --team tides")])
      expect(asked.stderr).toContain("only sessions that were pushed at the level text are searched");
  });

  test("in SQL, with the names that an index has", async () => {
    const { ask, ofBen } = await asking();
    const byDay =
      'sql --team "SELECT author, day, requests FROM usage_daily WHERE day >= ? AND author = :who ORDER BY day"';
    expect((await ask(`${byDay} 2026-11-01 --csv -p who=ada`)).stdout).toBe(
      "author,day,requests\nada,2026-11-02,1\n",
    );
    expect((await ask('sql --team "SELECT count(*) AS n FROM sessions" --json')).stdout).toBe(
      '[\n  {\n    "n": 2\n  }\n]\n',
    );
    expect((await ofBen('sql --team "SELECT count(*) FROM sessions" --csv --no-header')).stdout).toBe("1\n");
    const many = await ask('sql --team "SELECT generate_series(1, 1200) AS n" --csv --limit 700');
    expect([many.stdout.split("\n").length, many.stderr]).toEqual([
      702,
      expect.stringContaining("first 700 rows"),
    ]);
    const kinds =
      'sql --team "SELECT true AS b, 9007199254740993 AS i, 1.5 AS d, NULL AS n" --csv --no-header';
    expect((await ask(kinds)).stdout).toBe("1,9007199254740993,1.5,\n");
  });

  test.each([
    ['"DELETE FROM usage"', "only a single statement that reads is allowed"],
    ['"SELECT 1; DELETE FROM usage"', "cannot insert multiple commands"],
    ['"WITH gone AS (DELETE FROM sessiondb_data.usage RETURNING 1) SELECT 1"', "permission denied"],
    [DEVICE, "only a single statement that reads is allowed"],
    ['"SELECT 1 FROM sessiondb_data.usage"', "permission denied"],
    ['"SELECT nothing FROM usage"', 'column "nothing" does not exist'],
    ['"SELECT 1 WHERE 1 = ?"', "syntax error"],
    ['"SELECT pg_sleep(20)" --timeout 0.2', "took too long"],
  ])("a statement that may not be, or is none, is told in one line: %s", async (statement, told) => {
    const { code, stdout, stderr } = await (await asking()).ask(`sql --team ${statement}`);
    expect([code, stdout, stderr.trimEnd().split("\n").length]).toEqual([expect.any(Number), "", 1]);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(told)]);
  });

  test("in JSON with the keys that the manual says", async () => {
    const { ask, askWith } = await asking();
    const page = readPage("docs/team.md").text;
    const shapes: Shapes = new Map();
    for (const name of ["Sums", "Row", "Limit", "Place", "Pushed"])
      shapes.set(name, readKeys(shapeOf(name), shapes));
    const budgets = askWith({
      url: "postgres://x@y/z",
      budgets: [{ name: "all", total: 1, model: "x", provider: "y", project: "z" }],
    });
    const asked: Record<string, Outcome[]> = {
      "sessiondb --team": [await budgets("--team --json")],
      "list --team": [await ask("list --team --json")],
      "search --team": [await ask("search --team pears --json")],
    };
    const documents = [...page.matchAll(/^\| `([^`|]+ --team|sessiondb --team)` \| (.*) \|$/gm)];
    expect(documents.map(([, name]) => name)).toEqual(Object.keys(asked));
    for (const [, name = "", keys = ""] of documents) {
      const all = new Map([["schemaVersion", { optional: false, isList: false }], ...readKeys(keys, shapes)]);
      const comparison = new Comparison(shapes);
      const found = (asked[name] ?? []).flatMap(({ stdout }) =>
        comparison.differences(JSON.parse(stdout), all),
      );
      expect([name, found]).toEqual([name, []]);
    }
  });

  test("for an overview: what it costs, who is silent, old or behind, what was dearest", async () => {
    const { ask } = await asking();
    const { stdout } = await ask("--team", 100);
    expect(stdout).toMatch(/4 people · 2 sessions · 2 projects · 2 devices/);
    expect(stdout).toContain("Not priced: 50% of the requests (1 request).");
    expect(stdout).toContain("plant the pears");
    const found = JSON.parse((await ask("--team --json")).stdout);
    expect(found).toMatchObject({
      people: 4,
      sessions: 2,
      devices: 2,
      troubled: [],
      last30Days: { requests: 2, unpriced: 1 },
    });
    expect(found.authors.map(({ key }: { key: string }) => key)).toEqual(["ada", "ben"]);
  });

  test.each([
    ["usage branch --team", "usage branch cannot be asked of a team"],
    ["usage waste --team", "usage waste cannot be asked of a team"],
    ["usage --team --role user", "usage --team takes no --role"],
    ["usage --team --here", "usage --team takes no --here"],
    ["usage --team --otlp -", "usage --team takes no --otlp"],
    ["usage --check --team --author ada", "usage --check takes no --author"],
    ["usage author", "an index holds one person's sessions"],
    ["usage --author ada", "usage without --team takes no --author"],
    ["list --team --tool bash", "list --team takes no --tool"],
    ["list --author ada", "list without --team takes no --author"],
    ["search --team --substring x", "search --team takes no --substring"],
    ["search --team x --context 1", "search --team takes no --context"],
    ["search --team x tool:bash", "tool: cannot be asked of a team"],
    ["search --team x here:yes", "here: cannot be asked of a team"],
    ["search --team role:user", "nothing to search for"],
    ["search x --author ada", "search without --team takes no --author"],
  ])("what its data do not know is refused: %s", async (line, told) => {
    const { code, stderr } = await (await asking()).ask(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(told)]);
  });
});

test("nobody is asked where no team is configured", async () => {
  const { code, stderr } = await runCli(["usage", "--team"], laptop(""));
  expect([code, stderr]).toEqual([2, expect.stringContaining("no team is configured")]);
});

test.each([
  ["SELECT ? + ?", { positional: [1, 2] }, "SELECT $1 + $2", [1, 2]],
  ["SELECT ?2, ?1", { positional: [1, 2] }, "SELECT $2, $1", [1, 2]],
  ["SELECT :a, :a, @b, $c", { named: { a: 1, b: 2, c: 3 } }, "SELECT $1, $1, $2, $3", [1, 2, 3]],
  ["SELECT ?, :a", { positional: [1], named: { a: 2 } }, "SELECT $1, $2", [1, 2]],
  [
    "SELECT '?', \"?\", $$?$$, $x$ :a $x$ -- ?\n/* ? */, ?",
    { positional: [1] },
    "SELECT '?', \"?\", $$?$$, $x$ :a $x$ -- ?\n/* ? */, $1",
    [1],
  ],
  ["SELECT a::text, b ? 'c', :d", {}, "SELECT a::text, b ? 'c', :d", []],
  ["SELECT $1", { positional: [12n] }, "SELECT $1", ["12"]],
])("parameters as SQLite takes them become PostgreSQL's: %s", (sql, parameters, text, values) => {
  expect(forPostgres(sql, parameters)).toEqual({ text, values });
});

import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../../daemon/control/process.ts";
import { indexIn } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { MAIN } from "../helpers/program.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { type Outcome, runCli, SQL_PROGRAM, sampleAgent, takeIn } from "./pretend-world.ts";

const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
const agentDir = sampleAgent(sharedTempDir());

async function sql(...argv: string[]): Promise<Outcome> {
  return runCli(["sql", "--no-sync", ...argv], { agentDir });
}

async function rowsOf(...argv: string[]): Promise<unknown> {
  const { stdout, stderr, code } = await sql("--json", ...argv);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

beforeAll(() => takeIn({ agentDir }));

describe("a statement that never ends", () => {
  test.each([`${ENDLESS} SELECT count(*) FROM n`, `${ENDLESS} SELECT i FROM n WHERE i < 0`])(
    "is ended at its limit with one line: %s",
    async (statement) => {
      const { code, stdout, stderr } = await sql("--timeout", "0.5", statement);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toBe(
        "error: the statement was stopped after 0.5 s. Ask for less, or allow more time with --timeout SECONDS.\n",
      );
    },
  );

  test("leaves whole what it has printed", async () => {
    const statement = `${ENDLESS} SELECT i FROM n WHERE i <= 1200`;
    let seconds = 1;
    // The time that the process takes to start counts: as often as it takes for a machine to print anything at all.
    const inTime = await pollUntil(
      async () => {
        const outcome = await sql("--json", "--timeout", String(++seconds), statement);
        return outcome.stdout !== "" && outcome;
      },
      { what: "something printed" },
    );
    const { code, stdout, stderr } = inTime;
    expect([code, JSON.parse(stdout).length]).toEqual([1, 1000]);
    expect(stderr).toContain(`the statement was stopped after ${seconds} s`);
  });

  test("stops at its rows", async () => {
    const { code, stdout, stderr } = await sql("--csv", "--limit", "1500", `${ENDLESS} SELECT i FROM n`);
    expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "1500"]);
    expect(stderr).toContain("Showing the first 1,500 rows");
  });

  test.skipIf(process.platform !== "linux")("does not outlive the program", async () => {
    const argv = ["sql", "--no-sync", "--timeout", "0", `${ENDLESS} SELECT count(*), 'orphan' FROM n`];
    const env = { ...process.env, PI_CODING_AGENT_DIR: agentDir };
    const program = endWithTest(spawn(process.execPath, [MAIN, ...argv], { env, stdio: "ignore" }));
    await pollUntil(() => childrenOf(program.pid).length > 0, { what: "its process" });
    const [child = 0] = childrenOf(program.pid);
    program.kill("SIGKILL");
    await pollUntil(() => !isAlive(child), { what: "the end of its process" });
    expect(isAlive(child)).toBe(false);
  });

  test.skipIf(process.platform !== "linux")(
    "does not outlive a program that is gone before the process has looked whose child it is",
    async () => {
      const nobody = "0";
      const child = endWithTest(
        fork(SQL_PROGRAM, [nobody], {
          serialization: "advanced",
          stdio: ["ignore", "ignore", "ignore", "ipc"],
        }),
      );
      const ended = once(child, "exit");
      const location = indexIn(join(agentDir, "sessiondb"));
      child.send({ location, sql: `${ENDLESS} SELECT count(*) FROM n`, parameters: {}, limits: {} });
      expect(await ended).toEqual([null, "SIGKILL"]);
    },
  );
});

function childrenOf(pid = 0): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return readFileSync(path, "utf8").split(" ").filter(Boolean).map(Number);
}

describe("F5: a statement that needs too much memory is ended with one line", () => {
  test.each([
    "SELECT max(x) FROM (SELECT hex(zeroblob(240000000)) AS x UNION ALL SELECT hex(zeroblob(240000001)))",
    `SELECT json_group_array(hex(randomblob(2000))) FROM (${ENDLESS} SELECT i FROM n LIMIT 400000)`,
  ])("%s", async (statement) => {
    const { code, stderr } = await sql("--json", "--timeout", "100", statement);
    expect([code, stderr.split("\n")[0]]).toEqual([
      1,
      "error: the statement needs more memory than it may use. Ask for fewer or shorter values.",
    ]);
  });
});

describe("values", () => {
  test("stand in order, or under names", async () => {
    expect(await rowsOf("SELECT ? AS a, ? AS b", "7", "007")).toEqual([{ a: 7, b: "007" }]);
    expect(await rowsOf("SELECT :a AS a, $b AS b, @a AS c", "-p", "a=x=y", "--param", "b=")).toEqual([
      { a: "x=y", b: "", c: "x=y" },
    ]);
    expect((await sql("SELECT ? AS a", "--", "--json")).stdout).toBe("a\n--json\n");
    // A word that is the name of another command.
    expect(await rowsOf("SELECT ? AS a, :b AS b", "search", "-p", "b=1")).toEqual([{ a: "search", b: 1 }]);
    expect(await rowsOf("SELECT ? AS a, :b AS b", "1.5", "-p", "b=9007199254740993")).toEqual([
      { a: 1.5, b: "9007199254740993" },
    ]);
  });

  test.each(["1", "-1", "0", "1.25", "9223372036854775807", "-9223372036854775808"])(
    "%s is a number",
    async (n) => {
      expect(
        await rowsOf(
          "SELECT typeof(?) IN ('integer', 'real') AS is_number, CAST(? AS TEXT) AS text",
          "--",
          n,
          n,
        ),
      ).toEqual([{ is_number: 1, text: n }]);
    },
  );

  test.each([
    ["0.010", 0.01],
    ["0.50", 0.5],
    ["1.0", 1],
    [".5", 0.5],
    ["-.50", -0.5],
    ["0.12345678901234567890", 0.12345678901234568],
  ])("%s is a number, however it is written", async (text, value) => {
    expect(await rowsOf("SELECT typeof(?) AS type, ? AS value", "--", text, text)).toEqual([
      { type: "real", value },
    ]);
  });

  test.each(["", "01", "1e5", "+1", "1.2.3", ".", "9223372036854775808", "0x10", "NaN", " 1"])(
    "%j is text",
    async (text) => {
      expect(await rowsOf("SELECT typeof(?) AS type, ? AS text", text, text)).toEqual([
        { type: "text", text },
      ]);
    },
  );

  test.each([
    ["SELECT ?", []],
    ["SELECT ?1, ?2", ["1"]],
    ["SELECT ?1", ["1", "2"]],
    ["SELECT :a", ["-p", "b=1"]],
    ["SELECT 1", ["2"]],
  ])("that do not fit are an error: %s %j", async (statement, words) => {
    const { code, stderr } = await sql(statement, ...words);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: the values do not fit .*\n$/)]);
  });

  test("are meant by their numbers too, which no text or comment has", async () => {
    expect(
      await rowsOf("SELECT ?2 AS a, ?1 AS b, ?02 AS c, ? AS d, :e AS e", "x", "y", "z", "-p", "e=1"),
    ).toEqual([{ a: "y", b: "x", c: "y", d: "z", e: 1 }]);
    const statement =
      "SELECT ? AS a, '?1''?1' AS b, \"a\" AS \"?1\", `a` AS [?1] /* ?1 */ FROM (SELECT 1 AS a) -- ?1";
    expect(await rowsOf(statement, "x")).toEqual([{ a: "x", b: "?1'?1", "?1": 1, "?1_2": 1 }]);
  });

  test("without a name are a misuse", async () => {
    expect((await sql("SELECT :a", "-p", "1")).code).toBe(2);
  });
});

describe("a statement", () => {
  test("may begin with a comment", async () => {
    expect((await sql("-- one of the cookbook\nSELECT 1 AS a")).stdout).toBe("a\n1\n");
  });

  test("is not waited for at a terminal, where nobody may be typing one", async () => {
    const { code, stderr } = await runCli(["sql"], { agentDir, typed: true, stdin: "SELECT 1" });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: no statement\. Give one: .*sessiondb schema/),
    ]);
  });

  test("is read from a file, with its values", async () => {
    const file = join(tempDir(), "question.sql");
    writeFileSync(file, "\ufeff-- what was asked\nSELECT ? AS a, :b AS b;\n");
    expect(await rowsOf("--file", file, "1", "-p", "b=2")).toEqual([{ a: 1, b: 2 }]);
  });

  test("cannot be read from a file that is not there", async () => {
    const { code, stderr } = await sql("-f", "/nowhere/x.sql");
    expect([code, stderr]).toEqual([1, expect.stringContaining("ENOENT")]);
  });

  test("cannot be read from a file without one", async () => {
    const { code, stderr } = await sql("-f", "/dev/null");
    expect([code, stderr]).toEqual([2, expect.stringContaining("/dev/null contains no statement")]);
  });

  test("is refused before anything is read", async () => {
    const { code, stdout, stderr } = await sql("PRAGMA query_only = OFF");
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      expect.stringMatching(/^error: only a single statement that reads/),
    ]);
  });

  test.each(["x", "-1", "1e3", ""])("has no time limit of %j", async (timeout) => {
    expect((await sql("SELECT 1", `--timeout=${timeout}`)).code).toBe(2);
  });

  test.each([
    "SELECT session_id, sum(cost) OVER (ORDER BY created_at) AS so_far FROM sessions",
    "WITH d AS (SELECT day, cost FROM usage_daily) SELECT day, avg(cost) OVER (ROWS 6 PRECEDING) AS mean FROM d",
    "SELECT j.value AS model, count(*) AS n FROM sessions, json_each(models) j GROUP BY 1",
    "SELECT json_extract(entry_json(key), '$.message.role') AS role, count(*) AS n FROM entries GROUP BY 1",
    "SELECT name, percentile(duration_ms, 90) AS p90 FROM tool_calls GROUP BY name",
    "SELECT DISTINCT strftime('%H', timestamp / 1000, 'unixepoch') AS hour FROM entries",
  ])("of an analyst works: %s", async (statement) => {
    expect(await rowsOf(statement)).not.toEqual([]);
  });
});

describe("an answer", () => {
  test("keeps the digits of integers beyond 2^53", async () => {
    const statement = "SELECT 9007199254740993 AS big, -9007199254740993 AS small, 9007199254740991 AS safe";
    expect((await sql(statement, "--csv")).stdout).toBe(
      "big,small,safe\n9007199254740993,-9007199254740993,9007199254740991\n",
    );
    expect(await rowsOf(statement)).toEqual([
      { big: "9007199254740993", small: "-9007199254740993", safe: 9007199254740991 },
    ]);
  });

  test("has texts as they are, also with line ends that are none to JSON", async () => {
    expect(await rowsOf("SELECT 'a' || char(8232) || 'b' || char(8233) || char(10) || 'c' AS text")).toEqual([
      { text: "a\u2028b\u2029\nc" },
    ]);
  });

  test("keeps columns of one name apart", async () => {
    expect(await rowsOf("SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS __proto__")).toEqual([
      Object.fromEntries([
        ["a", 1],
        ["a_2", 2],
        ["a_2_2", 3],
        ["__proto__", 4],
      ]),
    ]);
    expect((await sql("SELECT 1 AS a, 2 AS a")).stdout).toBe("a  a\n1  2\n");
  });

  test("without rows is a header, or an empty list", async () => {
    expect((await sql("SELECT 1 AS a, 2 AS b WHERE 0", "--csv")).stdout).toBe("a,b\n");
    expect((await sql("SELECT 1 AS a WHERE 0", "--json")).stdout).toBe("[]\n");
    expect((await sql("SELECT 1 AS a WHERE 0", "--nl")).stdout).toBe("");
  });

  test("is a table of 1,000 rows at most, and says so; other forms have more", async () => {
    const statement = `${ENDLESS} SELECT i FROM n LIMIT 20000`;
    const { stdout, stderr } = await sql(statement);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1001);
    expect(stderr).toBe("1,000 rows\nShowing the first 1,000 rows; --limit 0 shows all.\n");
    expect((await sql(statement, "--csv")).stdout.trimEnd().split("\n")).toHaveLength(20_001);
  });

  test("has long values cut, and says so", async () => {
    const one = await sql("--csv", "--cell-limit", "3", "SELECT 'abcd' AS a");
    expect(one.stderr).toBe("1 value is cut after 3 characters; --cell-limit 0 shows all.\n");
    const { stdout, stderr } = await sql(
      "--nl",
      "--cell-limit",
      "5",
      "SELECT 'ärger!' AS a, x'0102030405060708' AS b",
    );
    expect(stdout).toBe('{"a":"ärger","b":"0102030405"}\n');
    expect(stderr).toContain("2 values are cut after 5 characters; --cell-limit 0 shows all.");
  });

  test("has no half of a character at the end of a value that is cut", async () => {
    const { stdout } = await sql("--nl", "--cell-limit", "3", "SELECT 'ab😀' AS a, '😀😀' AS b, '😀' AS c");
    expect(stdout).toBe('{"a":"ab","b":"😀","c":"😀"}\n');
  });

  test("of many batches comes whole and in order", async () => {
    const { stdout } = await sql("--csv", `${ENDLESS} SELECT i, hex(zeroblob(1000)) AS x FROM n LIMIT 5000`);
    const numbers = stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[0]);
    expect(numbers).toEqual(Array.from({ length: 5000 }, (_, index) => String(index + 1)));
  });

  test("runs no formula of a spreadsheet, unless it is to be raw", async () => {
    expect((await sql("--csv", "SELECT '=1+1' AS x")).stdout).toBe("x\n'=1+1\n");
    expect((await sql("--csv", "--raw", "SELECT '=1+1' AS x")).stdout).toBe("x\n=1+1\n");
  });
});

describe("entry_json", () => {
  test("is the line of an entry as it stands in its session file", async () => {
    const [row] = (await rowsOf(
      "SELECT f.path, e.line, entry_json(e.key) AS text FROM entries e JOIN files f ON f.id = e.file_id ORDER BY e.key DESC",
    )) as { path: string; line: number; text: string }[];
    expect(row?.text).toBe(readFileSync(row?.path ?? "", "utf8").split("\n")[(row?.line ?? 0) - 1]);
  });

  test("is NULL for what is no entry, and where the file has changed", async () => {
    expect(
      await rowsOf("SELECT entry_json(0) AS a, entry_json(NULL) AS b, entry_json('/etc/passwd') AS c"),
    ).toEqual([{ a: null, b: null, c: null }]);
    const dir = tempDir();
    const changed = { agentDir: sampleAgent(dir) };
    await takeIn(changed);
    const { stdout } = await runCli(
      ["sql", "--no-sync", "--nl", "SELECT path FROM files WHERE id = 1"],
      changed,
    );
    const { path } = JSON.parse(stdout) as { path: string };
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"id"', '"no"'));
    const argv = [
      "sql",
      "--no-sync",
      "--nl",
      "SELECT count(entry_json(key)) AS n FROM entries WHERE file_id = 1",
    ];
    expect((await runCli(argv, changed)).stdout).toBe('{"n":0}\n');
  });
});

describe("secrets in an answer", () => {
  const token = `ghp_${"Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u"}`;
  const PASSWORD = `Xk29${"vQpL8rTz5mWn"}`;
  const statement = `SELECT '${token}' AS a, '{"password":"${PASSWORD}","n":1.10}' AS b, 7 AS c`;

  test.each([[], ["--json"], ["--nl"], ["--csv"], ["--tsv"]])("are masked: %s", async (...format) => {
    const { stdout } = await sql(...format, statement);
    expect(stdout).toContain("[masked GitHub token]");
    expect(stdout).toContain("[masked secret]");
    expect(stdout).toContain("1.10");
    expect(stdout).not.toMatch(/Zk3rT9|Xk29vQ/);
  });

  test("are shown with --reveal", async () => {
    expect(await rowsOf("--reveal", statement)).toEqual([
      { a: token, b: `{"password":"${PASSWORD}","n":1.10}`, c: 7 },
    ]);
  });
});

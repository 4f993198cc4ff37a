import { describe, expect, test } from "vitest";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { emptyAgent, runCli, sampleAgent } from "../pretend-world.ts";

const samples = { agentDir: sampleAgent(sharedTempDir()) };
/** A command for each kind of rows. */
const COMMANDS = [
  ["list"],
  ["search", "harbour"],
  ["labels"],
  ["files", "standup.ts"],
  ["usage", "model", "--all"],
  ["usage", "session", "--all", "--breakdown"],
  ["usage", "waste", "--all"],
  ["schema"],
  ["schema", "sessions"],
];

async function linesOf(...argv: string[]): Promise<string[]> {
  const { code, stdout } = await runCli(argv, samples);
  expect(code).toBe(0);
  return stdout.replace(/\n$/, "").split("\n");
}

describe.each(COMMANDS)("%s %s %s", (...words) => {
  const argv = words.filter((word) => word !== undefined);

  test("gives a pipe a line of names, and as many values in each line, none in quotes of its own", async () => {
    const lines = await linesOf(...argv);
    const widths = lines.map((line) => line.split("\t").length);
    expect(new Set(widths).size).toBe(1);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines[0]).toMatch(/^[a-zA-Z\t]+$/);
    expect(await linesOf(...argv, "--tsv")).toEqual(lines);
    expect(await linesOf(...argv, "--no-header")).toEqual(lines.slice(1));
  });

  test("gives the names and the number of its rows to every format alike", async () => {
    const [tsv = "", ...rows] = await linesOf(...argv);
    const [csv = ""] = await linesOf(...argv, "--csv");
    expect(csv).toBe(tsv.replaceAll("\t", ","));
    if (argv.includes("--breakdown")) return;
    const objects = (await linesOf(...argv, "--ndjson")).map((line) => JSON.parse(line) as object);
    expect(objects).toHaveLength(rows.length);
  });

  test("shows people on a terminal neither tabs nor names of fields", async () => {
    const { stdout } = await runCli(argv, { ...samples, columns: 100 });
    expect(stdout).not.toContain("\t");
  });

  test("takes one format at a time", async () => {
    const { code, stderr } = await runCli([...argv, "--csv", "--ndjson"], samples);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--csv and --ndjson cannot be used together"),
    ]);
  });
});

test("a value with tabs, line ends and quotes is one field on one line", async () => {
  const agentDir = emptyAgent(tempDir());
  session().name('a "b"\tc\nd').user("plum\tand\r\npear").writeBelow(`${agentDir}/sessions`);
  const { stdout } = await runCli(["search", "pear", "--no-header"], { agentDir });
  const [, title, , role, , snippet] = stdout.split("\t");
  expect([title, role, snippet]).toEqual(['a "b" c d', "user", "plum and pear"]);
});

test("nothing found is nothing in a pipe, and exit code 0", async () => {
  for (const argv of [
    ["list", "--project", "/nowhere"],
    ["search", "nobody-said-this"],
    ["labels", "--label", "none"],
  ]) {
    const { code, stdout, stderr } = await runCli(argv, samples);
    expect([code, stdout, stderr === ""]).toEqual([0, "", false]);
  }
});

test("what people ask for stays in words in a pipe: the hits one by one, and what was said around them", async () => {
  for (const asked of ["--flat", "-C1"]) {
    expect((await linesOf("search", "harbour", asked)).join("\n")).toMatch(/^\/.*\.jsonl:\d+$/m);
  }
});

test("sql has the same names for its formats", async () => {
  const query = "SELECT 1 AS a, 2 AS b";
  expect(await linesOf("sql", query, "--ndjson")).toEqual(await linesOf("sql", query, "--nl"));
  expect(await linesOf("sql", query, "--tsv", "--no-header")).toEqual(["1\t2"]);
});

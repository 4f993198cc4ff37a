import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { widthOf } from "../../src/text/width.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());

/** What is to be copied stays on one line, however long. */
const COPIED = /^\S+$|^ *\/|\.jsonl?\b|^sessiondb /;

async function linesOf(argv: readonly string[], columns: number, agent = agentDir): Promise<string[]> {
  const { stdout, stderr } = await runCli(argv, { agentDir: agent, columns });
  return stripVTControlCharacters(stdout + stderr)
    .trimEnd()
    .split("\n");
}

/** What is said beside an answer. */
async function notesOf(argv: readonly string[], columns: number): Promise<string[]> {
  const { stderr } = await runCli(argv, { agentDir, columns });
  return stripVTControlCharacters(stderr).trimEnd().split("\n");
}

test.each([30, 40, 46, 60])("the program's sentences break between words on %i columns", async (columns) => {
  const empty = emptyAgent(tempDir());
  const folder = { cwd: "/srv/gone" };
  session(folder).user("hi").modelChange("a", "b").writeBelow(join(empty, "sessions"));
  for (const lines of [
    await linesOf([], columns),
    await linesOf([], columns, emptyAgent(tempDir())),
    await linesOf(["tree", "01a1221b"], columns),
    await linesOf(["show", "01a1221b"], columns),
    await linesOf(["verify"], columns),
    await linesOf(["resume", "latest"], columns, empty),
    await linesOf(["show", "no-session-of-this-name"], columns),
  ]) {
    expect(lines.filter((line) => widthOf(line) > columns && !COPIED.test(line))).toEqual([]);
  }
});

test.each([30, 40, 60])("so do those beside tables and questions on %i columns", async (columns) => {
  const dir = tempDir();
  const agent = sampleAgent(dir);
  const store = join(agent, "sessions", "--home-ada-projects-tide--");
  for (const name of ["notes", "more"]) writeFileSync(join(store, `${name}.jsonl`), '{"type":"note"}\n');
  const asked = { agentDir: agent, columns, typed: true, stdin: "n\n" };
  const { stderr: deletes } = await runCli(["delete", "latest"], asked);
  const said = [
    // Where the answer is typed.
    ...stripVTControlCharacters(deletes).replace("[y/N] ", "[y/N]\n").split("\n"),
    ...(await linesOf(["delete", "latest"], columns, agent)),
    ...(await linesOf(["daemon", "status"], columns, agent)),
    ...(await linesOf(["daemon", "stop"], columns, agent)),
    ...(await linesOf(["daemon", "logs"], columns, agent)),
    ...(await linesOf(["export", "latest", "--reveal", "-o", join(dir, "a.md")], columns, agent)),
    ...(await notesOf(["usage", "model", "--all", "--limit", "2"], columns)),
    ...(await notesOf(["usage", "waste", "--all", "--limit", "1"], columns)),
    ...(await notesOf(["list", "--limit", "2"], columns)),
    ...(await notesOf(["labels", "--limit", "1"], columns)),
    ...(await notesOf(["search", "parse", "--limit", "1"], columns)),
    ...(await notesOf(["files", "config.py", "--limit", "1"], columns)),
    ...(await notesOf(["sql", "--limit", "1", "--cell-limit", "1", "SELECT path FROM files"], columns)),
  ];
  expect(said.filter((line) => widthOf(line) > columns && !COPIED.test(line))).toEqual([]);
});

test("a narrow terminal gets the same words, and others every sentence on one line", async () => {
  const oneLine = (lines: readonly string[]): string => lines.join(" ").replace(/\s+/g, " ");
  const narrow = oneLine(await linesOf(["show", "none"], 30));
  const { stderr } = await runCli(["show", "none"], { agentDir });
  expect(stderr.trimEnd().split("\n")).toEqual([narrow]);
});

test("the next steps stand beside what they do, or where there is no room above it", async () => {
  const steps = async (columns: number): Promise<string[]> => (await linesOf([], columns)).slice(-2);
  expect((await steps(60))[1]).toMatch(/^sessiondb daemon install {2}keep the index always/);
  expect(await steps(40)).toEqual(["sessiondb daemon install", "  keep the index always up to date"]);
});

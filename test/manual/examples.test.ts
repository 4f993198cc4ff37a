import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { commandName } from "../../src/cli/command-line/command.ts";
import { readCommandLine } from "../../src/cli/command-line/parse-args.ts";
import { REGISTRY } from "../../src/cli/registry.ts";
import { runCli, sampleAgent } from "../cli/pretend-world.ts";
import { blocksOf, MANUAL, readPage } from "../helpers/manual.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

const folder = sharedTempDir();
const agentDir = sampleAgent(folder);
const COLUMNS = 100;

interface Block {
  path: string;
  commandLine: string;
  lines: string[];
}

/** What stands in README and docs as typed and answered. */
const blocks = MANUAL.flatMap(({ path, text }): Block[] =>
  [...text.matchAll(/^```\n\$ sessiondb(.*)\n([\s\S]*?)^```$/gm)].map(([, line = "", answer = ""]) => ({
    path,
    commandLine: line.trim(),
    lines: answer.split("\n").slice(0, -1),
  })),
);

/** Words as a shell takes them, as far as the manual needs it. */
function wordsOf(commandLine: string): string[] {
  return (commandLine.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    word.replace(/^(["'])(.*)\1$/, "$2"),
  );
}

/** What the program says on a terminal of 100 columns, at ada's, on the samples. */
async function answerTo(commandLine: string): Promise<string[]> {
  const argv = wordsOf(commandLine).map((word) => word.replace("~/.pi/agent", agentDir));
  const { stdout, stderr, code } = await runCli(argv, { agentDir, columns: COLUMNS, env: { NO_COLOR: "1" } });
  expect([code, stderr.includes("error:")]).toEqual([0, false]);
  const lines = stripVTControlCharacters(stdout + stderr)
    .replaceAll(agentDir, "~/.pi/agent")
    .split("\n");
  return lines.map((line) => line.trimEnd());
}

/** Ids in paths may be cut off in the manual, which has narrower lines. */
function isSame(shown: string, said: string | undefined): boolean {
  const pattern = shown.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…\\.jsonl", "[0-9a-f-]*\\.jsonl");
  return said !== undefined && new RegExp(`^${pattern}$`).test(said);
}

/** Lines of an example as groups that follow each other without a gap; a line that is only `…` leaves lines out. */
function groupsOf(lines: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const line of lines) {
    if (line === "…") groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups.filter((group) => group.length > 0);
}

describe("what the manual shows is what the program says:", () => {
  // A question that brings the full text along.
  beforeAll(() => runCli(["search", "anything"], { agentDir }));

  test("there is something to compare", () => {
    expect(blocks.length).toBeGreaterThan(8);
  });

  test.each(blocks.map((block) => [block.path, block.commandLine, block] as const))(
    "%s: sessiondb %s",
    async (_path, _name, block) => {
      const answer = await answerTo(block.commandLine);
      let at = 0;
      for (const group of groupsOf(block.lines)) {
        const found = answer.findIndex(
          (_, index) => index >= at && group.every((line, i) => isSame(line, answer[index + i])),
        );
        if (found < 0) expect(answer.slice(at)).toEqual(group);
        at = found + group.length;
      }
    },
  );
});

describe("every line of output in the manual is compared with what is printed:", () => {
  /** Diagrams, and the panels, which are compared by their tests. */
  const drawn = ["docs/architecture.md", "docs/browse.md", "docs/pi.md"];

  test.each(MANUAL)("$path has no block that nobody compares", ({ path, text }) => {
    const others = blocksOf(text, "").filter((block) => !block.startsWith("$ sessiondb"));
    const texts = drawn.includes(path) ? [] : blocksOf(text, "text");
    expect([...others, ...texts]).toEqual([]);
  });
});

/** Command lines of sessiondb in what is to be typed, as far as a pipe, a quote or a redirection goes. */
const SESSIONDB = /(?<![-/])\bsessiondb (?<line>(?:'[^'\n]*'|"[^"\n]*"|[^#|>'")\n])+)/g;
const typed = MANUAL.flatMap(({ path, text }) =>
  [...blocksOf(text, "sh").join("\n").matchAll(SESSIONDB)].map(
    ({ groups }) => [path, groups?.line?.trim() ?? ""] as const,
  ),
);

describe("what the manual tells people to type is understood:", () => {
  test("there is something to understand", () => {
    expect(typed.length).toBeGreaterThan(60);
  });

  test.each(typed)("%s: sessiondb %s", async (_path, line) => {
    const { command } = await readCommandLine(wordsOf(line), REGISTRY);
    expect(command.examples.length).toBeGreaterThan(0);
  });
});

const SKILL = readFileSync(new URL("../../src/pi/skills/sessiondb/SKILL.md", import.meta.url), "utf8");
/** What the skill tells a model to run. */
const told = [...SKILL.matchAll(/^sessiondb (.*)$/gm)].map(([, line = ""]) => line.replace(/ +[#|].*$/, ""));

describe("what the skill teaches is understood:", () => {
  test("there is something to run", () => {
    expect(told.length).toBeGreaterThan(10);
  });

  test.each(told)("sessiondb %s", async (line) => {
    await answerTo(line.replace("SESSION:LINE", "01a1221b:9").replace("SESSION", "01a1221b"));
  });
});

const { text: README } = readPage("README.md");

test.each(REGISTRY.commands.map(commandName))("the README's table of commands has %s", (name) => {
  expect(README).toMatch(new RegExp(`^\\| \`sessiondb ${name}[ \`]`, "m"));
});

test.each(REGISTRY.commands.map(commandName))("every option the README names for %s is one", async (name) => {
  const { options } = await (REGISTRY.commands.find((entry) => commandName(entry) === name)?.load() ??
    Promise.reject(name));
  const { GLOBAL_OPTIONS } = await import("../../src/cli/command-line/options.ts");
  const known = new Set([...Object.keys(options), ...Object.keys(GLOBAL_OPTIONS)]);
  const rows = README.split("\n").filter((line) => line.startsWith(`| \`sessiondb ${name}`));
  const named = rows.join(" ").match(/--[a-z][a-z-]*/g) ?? [];
  expect(named.filter((option) => !known.has(option.slice(2)))).toEqual([]);
});

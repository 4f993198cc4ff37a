import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { COMMANDS, nameOf } from "../../src/cli/commands.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { runCli, sampleAgent } from "./pretend-world.ts";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const folder = sharedTempDir();
const agentDir = sampleAgent(folder);
const COLUMNS = 100;
const MAIN = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));

interface Block {
  commandLine: string;
  lines: string[];
}

/** What stands in the README as typed and answered. */
const blocks: Block[] = [...README.matchAll(/^```\n\$ sessiondb(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, line = "", text = ""]) => ({
    commandLine: line.trim(),
    lines: text.split("\n").slice(0, -1),
  }),
);

/** Words as a shell takes them, as far as the README needs it. */
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

/** Ids in paths may be cut off in the README, which has narrower lines. */
function isSame(shown: string, said: string | undefined): boolean {
  const pattern = shown.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…\\.jsonl", "[0-9a-f-]*\\.jsonl");
  return said !== undefined && new RegExp(`^${pattern}$`).test(said);
}

/** The README's lines as groups that follow each other without a gap; a line that is only `…` leaves lines out. */
function groupsOf(lines: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const line of lines) {
    if (line === "…") groups.push([]);
    else groups.at(-1)?.push(line);
  }
  return groups.filter((group) => group.length > 0);
}

describe("what the README shows is what the program says:", () => {
  // A question that brings the full text along.
  beforeAll(() => runCli(["search", "anything"], { agentDir }));

  test("there is something to compare", () => {
    expect(blocks.length).toBeGreaterThan(8);
  });

  test.each(blocks.map((block) => [block.commandLine, block] as const))(
    "sessiondb %s",
    async (_name, block) => {
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

const SKILL = readFileSync(new URL("../../src/pi/skills/sessiondb/SKILL.md", import.meta.url), "utf8");
/** What the skill tells a model to run. */
const told = [...SKILL.matchAll(/^sessiondb (.*)$/gm)].map(([, line = ""]) => line.replace(/ +[#|].*$/, ""));

describe("what the skill teaches is understood:", () => {
  test("there is something to run", () => {
    expect(told.length).toBeGreaterThan(10);
  });

  test.each(told)("sessiondb %s", async (line) => {
    await answerTo(line.replace("PATH:LINE", "01a1221b:9").replace("SESSION", "01a1221b"));
  });
});

test.each(COMMANDS.map(nameOf))("the README's table of commands has %s", (name) => {
  expect(README).toMatch(new RegExp(`^\\| \`sessiondb ${name}[ \`]`, "m"));
});

test.each(COMMANDS.map(nameOf))("every option the README names for %s is one", async (name) => {
  const { options } = await (COMMANDS.find((entry) => nameOf(entry) === name)?.load() ??
    Promise.reject(name));
  const { GLOBAL_OPTIONS } = await import("../../src/cli/options.ts");
  const known = new Set([...Object.keys(options), ...Object.keys(GLOBAL_OPTIONS)]);
  const rows = README.split("\n").filter((line) => line.startsWith(`| \`sessiondb ${name}`));
  const named = rows.join(" ").match(/--[a-z][a-z-]*/g) ?? [];
  expect(named.filter((option) => !known.has(option.slice(2)))).toEqual([]);
});

/** What a cell or a sentence of the README lists in backticks, without what it says stands in one of them. */
function listed(text: string): string[] {
  const flat = text.replace(/\{[^}]*\}|\[[^\]]*\]|\([^)]*\)/g, "");
  return [...flat.matchAll(/`(\w+)`/g)].map(([, key = ""]) => key);
}

const json = README.split("\n## JSON\n")[1]?.split("\n## ")[0] ?? "";
const documents = [...json.matchAll(/^\| `([^`|]+)` \| (`.*) \|$/gm)].map(([, name = "", keys = ""]) => [
  name,
  listed(keys),
  keys,
]) as [name: string, keys: string[], cell: string][];

/** Answers that several documents hold. */
const shapes = new Map(
  [...json.matchAll(/^- (\w+): ([\s\S]*?)\.$/gm)].map(([, name = "", keys = ""]) => [name, listed(keys)]),
);

/** How a command is asked, where its name does not say it. */
const ASKED: Record<string, string[]> = {
  sessiondb: [],
  search: ["search", "tide"],
  show: ["show", "latest"],
  tree: ["tree", "latest"],
  files: ["files", "standup.ts"],
  resume: ["resume", "latest"],
  delete: ["delete", "latest", "--yes"],
};

async function documentOf(name: string): Promise<Record<string, unknown>> {
  const argv = [...(ASKED[name] ?? name.split(" ")), "--json"];
  return JSON.parse(await printed(name, argv)) as Record<string, unknown>;
}

async function printed(name: string, argv: readonly string[]): Promise<string> {
  if (name === "sync") {
    // Its thread is compiled; on an older Node it cannot be loaded in here.
    return execFileSync(process.execPath, [MAIN, ...argv, "--agent-dir", agentDir], { encoding: "utf8" });
  }
  const trash = join(folder, "trash");
  mkdirSync(trash, { recursive: true });
  const asked = name === "delete" ? sampleAgent(join(folder, "for delete")) : agentDir;
  return (await runCli(argv, { agentDir: asked, trash })).stdout;
}

describe("the JSON the README describes is what the program prints:", () => {
  test("it is said of every command that prints a document", () => {
    const others = ["sql", "export", "completion", "daemon"];
    const own = COMMANDS.map(nameOf).filter((name) => name !== "" && !others.includes(name));
    expect(documents.map(([name]) => name)).toEqual(expect.arrayContaining([...own, "daemon status"]));
  });

  test.each(documents)("%s", async (name, keys) => {
    expect(Object.keys(await documentOf(name))).toEqual(["schemaVersion", ...keys]);
  });

  test.each([
    ["Session", "list", "sessions"],
    ["Hit", "search", "hits"],
  ])("what a %s has", async (shape, name, key) => {
    const [first] = (await documentOf(name))[key] as Record<string, unknown>[];
    expect(Object.keys(first ?? {})).toEqual(shapes.get(shape)?.filter((each) => each !== "context"));
  });

  test.each(
    documents.flatMap(([name, , cell]) => {
      const lists = [...cell.matchAll(/`(\w+)` \[\{([^[\]]*)\}\]/g)];
      const sums = shapes.get("Sums")?.map((key) => `\`${key}\``) ?? [];
      return lists.map(
        ([, key = "", keys = ""]) => [name, key, listed(keys.replace("Sums", sums.join()))] as const,
      );
    }),
  )("of %s what each of the %s has", async (name, key, keys) => {
    const [first] = (await documentOf(name))[key] as Record<string, unknown>[];
    if (first !== undefined) expect(Object.keys(first)).toEqual(keys);
  });

  test("what Sums have", async () => {
    expect(Object.keys((await documentOf("usage")).totals as object)).toEqual(shapes.get("Sums"));
  });
});

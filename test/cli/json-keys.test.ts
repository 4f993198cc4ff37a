/** What docs/json.md says, against what the program prints. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { Lease } from "../../daemon/control/lease.ts";
import { writeStatusFile } from "../../daemon/control/status-file.ts";
import { commandName } from "../../src/cli/command-line/command.ts";
import { REGISTRY } from "../../src/cli/registry.ts";
import { packedFilesOf } from "../../src/files/archive-walk.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { someStatus } from "../daemon/some-status.ts";
import { Comparison, type Keys, readKeys, type Shapes } from "../helpers/described-json.ts";
import { installPi } from "../helpers/installed-pi.ts";
import { readPage } from "../helpers/manual.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { NOW, runCli, sampleAgent } from "./pretend-world.ts";

const { text: section } = readPage("docs/json.md");

/** Keys that several documents have. */
const shapes: Shapes = new Map();
const named = [...section.matchAll(/^- ([A-Z]\w+): ([\s\S]*?)\.$/gm)];
// Sums come first: others stand for its keys, too.
for (const [, name = "", keys = ""] of named.sort(
  ([, a], [, b]) => Number(b === "Sums") - Number(a === "Sums"),
)) {
  shapes.set(name, readKeys(keys, shapes));
}
const documents = [...section.matchAll(/^\| `([^`|]+)` \| (.*) \|$/gm)].map(
  ([, name = "", keys = ""]): [string, Keys] => [name, readKeys(keys, shapes)],
);

const folder = sharedTempDir();
const agentDir = sampleAgent(folder);
const trash = join(folder, "trash");

// A daemon that has said how it stands, in the midst of its work, and a file that it leaves alone.
beforeAll(async () => {
  mkdirSync(trash);
  const unpriced = { provider: "ollama", usage: { input: 5, cost: { total: 0 } } };
  session({ id: "local" }).user("x").assistant(unpriced).writeBelow(join(agentDir, "sessions"));
  const path = session({ id: "left alone" }).user("x").writeBelow(join(agentDir, "sessions"));
  await runCli(["search", "anything"], { agentDir });
  const index = join(agentDir, "sessiondb");
  withIndex(index, ({ database }) => new FileIndexer(database).giveUp(path, path, "it was in the way"));
  const lease = Lease.take(indexIn(index));
  const progress = { filesDone: 1, filesTotal: 2, bytesDone: 3, bytesTotal: 4 };
  writeStatusFile(index, { ...someStatus(index, process.pid), progress });
  return () => lease?.release();
});

/** How a command is asked where its name does not say it, or not so that every list has something in it. */
const ASKED: Record<string, string[][]> = {
  top: [["top", "--minutes", "10000000"]],
  sessiondb: [[]],
  search: [["search", "tide"], "search the --context 1 --limit 0".split(" ")],
  show: [["show", "latest"]],
  tree: [["tree", "01a1221b"]],
  files: [["files", "standup.ts"]],
  usage: [["usage"], "usage session --all --breakdown --estimate".split(" ")],
  resume: [["resume", "latest"]],
};

/** A configuration with budgets, for those that are about them. */
const env = { XDG_CONFIG_HOME: folder, PATH: installPi(join(folder, "pi"), {}) };
mkdirSync(join(folder, "sessiondb"));
writeFileSync(
  join(folder, "sessiondb", "config.json"),
  JSON.stringify({
    budgets: [
      { name: "all", month: 100 },
      { name: "gone", project: "/gone", model: "x", provider: "y", total: 1 },
    ],
  }),
);

/** Those that are asked elsewhere, and how. */
const ELSEWHERE: Record<string, () => Promise<string | string[]>> = {
  sync: async () => {
    const own = sampleAgent(join(folder, "with a broken line"));
    const path = session({ id: "broken" }).user("x").writeBelow(join(own, "sessions"));
    appendFileSync(path, "no JSON\n");
    // Its thread is compiled; on an older Node it cannot be loaded in here.
    const argv = [MAIN, "sync", "--json", "--agent-dir", own];
    return execFileSync(process.execPath, argv, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  },
  verify: async () => {
    const own = sampleAgent(join(folder, "with other costs"));
    await runCli(["list"], { agentDir: own });
    withIndex(join(own, "sessiondb"), ({ database }) =>
      database.exec("UPDATE usage_rows SET cost = cost + 1"),
    );
    return (await runCli(["verify", "--json"], { agentDir: own })).stdout;
  },
  archive: async () => {
    const own = { agentDir: sampleAgent(join(folder, "to archive")) };
    // Written to just now, as far as this clock knows: it stays.
    const path = session({ id: "new", timestamp: "2025-01-01T00:00:00Z" })
      .user("x")
      .writeBelow(join(own.agentDir, "sessions"));
    utimesSync(path, NOW / 1000, NOW / 1000);
    const asked = ["archive", "--older", "today", "--yes", "--json"];
    const dry = (await runCli([...asked, "--dry-run"], own)).stdout;
    return [dry, (await runCli(asked, own)).stdout];
  },
  "archive verify": async () => {
    const own = { agentDir: sampleAgent(join(folder, "to be damaged")) };
    await runCli(["archive", "latest", "--yes"], own);
    const [packed = ""] = packedFilesOf(join(own.agentDir, "sessions"));
    appendFileSync(packed, "damage");
    return (await runCli(["archive", "verify", "--json"], own)).stdout;
  },
  restore: async () => {
    const own = { agentDir: sampleAgent(join(folder, "to restore")) };
    await runCli(["archive", "latest", "01a1bfc2", "--yes"], own);
    const [packed = ""] = packedFilesOf(join(own.agentDir, "sessions"));
    appendFileSync(packed, "damage");
    return (await runCli(["restore", "--all", "--json"], own)).stdout;
  },
  delete: async () => {
    const own = sampleAgent(join(folder, "to delete from"));
    return (await runCli(["delete", "latest", "--yes", "--json"], { agentDir: own, trash })).stdout;
  },
};

async function documentsOf(name: string): Promise<object[]> {
  const elsewhere = ELSEWHERE[name];
  if (elsewhere) return [await elsewhere()].flat().map((text) => JSON.parse(text));
  const answers: object[] = [];
  for (const argv of ASKED[name] ?? [name.split(" ")]) {
    answers.push(JSON.parse((await runCli([...argv, "--json"], { agentDir, env })).stdout));
  }
  return answers;
}

describe("the JSON the manual describes is what the program prints:", () => {
  test("it is said of every command that prints a document", () => {
    // A team has to have a server: `test/team` looks at its documents.
    const others = [
      "sql",
      "export",
      "completion",
      "daemon",
      "demo",
      "serve",
      "team",
      "push",
      "mcp",
      "feed",
      "browse",
    ];
    const own = REGISTRY.commands.map(commandName).filter((name) => name !== "" && !others.includes(name));
    expect(documents.map(([name]) => name)).toEqual(expect.arrayContaining([...own, "daemon status"]));
  });

  test.each(documents)(
    "%s, to the keys of its innermost objects, none of which is missing",
    async (name, keys) => {
      const comparison = new Comparison(shapes);
      const all = new Map([["schemaVersion", { optional: false, isList: false }], ...keys]);
      const found = new Set((await documentsOf(name)).flatMap((each) => comparison.differences(each, all)));
      expect([[...found], comparison.unmet]).toEqual([[], []]);
    },
  );
});

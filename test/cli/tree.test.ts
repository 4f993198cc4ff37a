import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { SessionManager } from "../../src/session/session-manager.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };
const BRANCHED = "01a1221b";

describe("tree", () => {
  test("is a document with every entry, its depth and whether it is on the branch", async () => {
    const { session, nodes } = (await runJson(["tree", BRANCHED], samples)) as {
      session: { path: string };
      nodes: { id: string; depth: number; onBranch: boolean; label: string | null }[];
    };
    const branch = SessionManager.open(session.path).getBranch();
    expect(nodes.filter(({ onBranch }) => onBranch).map(({ id }) => id)).toEqual(branch.map(({ id }) => id));
    expect(nodes.find(({ id }) => id === "66d3305d")).toMatchObject({ label: "cause found", onBranch: true });
    expect(nodes.map(({ depth }) => depth).slice(0, 3)).toEqual([0, 1, 2]);
  });

  test("draws branches, labels and the place where it goes on", async () => {
    const { stdout } = await runCli(["tree", BRANCHED], { ...samples, columns: 80 });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.find((line) => line.startsWith("66d3305d"))).toMatch(/\[cause found\]$/);
    expect(lines.filter((line) => line.includes("├─ ") || line.includes("└─ "))).toHaveLength(2);
    expect(lines.at(-2)).toMatch(/^519adfb6 {4}assistant .*◀$/);
  });

  test("shows what was said, summed up or labelled, where it goes on and where branches end", async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session().user("one", { id: "one" });
    built
      .assistant({ text: "", toolCalls: [] })
      .toolResult("plain")
      .toolResult("labelled", {}, { id: "marked" });
    built.compaction("in short").customMessage("note", "by an extension").user("two");
    built.branchFrom("one").toolResult("where a branch ends").branchFrom("one").modelChange("a", "b");
    built.label("marked", "here").branchFrom("marked").modelChange("c", "d", { id: "last" });
    built.writeBelow(join(agentDir, "sessions"));
    const { stdout, stderr } = await runCli(["tree", "latest"], { agentDir });
    const [, tree = ""] = stdout.split("\n\n");
    expect(
      tree
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/^\S+ +[├└│─ ]*/, "")),
    ).toEqual([
      "user  one",
      "result of bash  labelled [here]",
      "compaction  in short",
      "extension  by an extension",
      "user  two",
      "model  c/d ◀",
      "result of bash  where a branch ends",
      "label  here",
    ]);
    expect(stderr).toBe("\n3 entries of tools and settings not shown; --full shows them\n");
    session({ id: "two" }).user("a").modelChange("a", "b").user("b").writeBelow(join(agentDir, "sessions"));
    const one = await runCli(["tree", "two"], { agentDir });
    expect(one.stderr).toBe("\n1 entry of tools and settings not shown; --full shows it\n");
  });

  test.each([30, 40])(
    "leaves room for words on a terminal of %i columns, however deep it branches",
    async (columns) => {
      const agentDir = emptyAgent(tempDir());
      const built = session().user("begin", { id: "0" });
      for (let depth = 1; depth <= 12; depth++) {
        built
          .user("side")
          .branchFrom(`${depth - 1}`)
          .user("again", { id: `${depth}` });
      }
      built.writeBelow(join(agentDir, "sessions"));
      const { stdout } = await runCli(["tree", "latest"], { agentDir, columns });
      const lines = stripVTControlCharacters(stdout).split("\n\n")[1]?.trimEnd().split("\n") ?? [];
      expect(lines).toHaveLength(25);
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      expect(lines.filter((line) => !/user? +(?:b|s|a)/.test(line))).toEqual([]);
    },
  );

  test("shows no label where none of it could be read", async () => {
    const { stdout } = await runCli(["tree", BRANCHED], { ...samples, columns: 20 });
    expect(stripVTControlCharacters(stdout)).not.toMatch(/\[…?\]/);
  });

  test("marks what failed: tools, commands and answers of a provider", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .user("go")
      .assistant({ text: "trying", toolCalls: [{ name: "bash", arguments: {} }] })
      .toolResult("boom", { isError: true })
      .toolResult("fine")
      .bash("false", "", { exitCode: 1 })
      .assistant({ text: "and th", stopReason: "error", errorMessage: "overloaded" })
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["tree", "latest", "--full"], { agentDir });
    const [, tree = ""] = stdout.split("\n\n");
    expect(tree.match(/.* ✗ .*/g)?.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      "result of bash ✗  boom",
      "you ran ✗  false",
      "assistant ✗  and th ◀",
    ]);
    const { nodes } = (await runJson(["tree", "latest"], { agentDir })) as { nodes: { isError: boolean }[] };
    expect(nodes.map(({ isError }) => isError)).toEqual([false, false, true, false, true, true]);
  });

  test("gives a long label half of the room, and more where there is nothing else to show", async () => {
    const agentDir = emptyAgent(tempDir());
    const label = "very important ".repeat(9).trim();
    const built = session().user("said ".repeat(30), { id: "11111111" }).user("hi", { id: "22222222" });
    built.label("11111111", label).label("22222222", label).writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["tree", "latest"], { agentDir, columns: 60 });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.find((line) => line.startsWith("1111"))).toMatch(
      /^\S+ user {2}(?:said ){4}.{0,3}… \[very important v.*…\]$/,
    );
    expect(lines.find((line) => line.startsWith("2222"))).toMatch(/^\S+ user {2}hi \[.{35,}…\]/);
  });
});

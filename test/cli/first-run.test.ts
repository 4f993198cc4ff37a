import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson } from "./pretend-world.ts";

describe("where there is nothing to read", () => {
  test.each([[[]], [["list"]], [["search", "apple"]], [["usage"]], [["sync"]], [["doctor"]]])(
    "%j creates nothing",
    async (argv) => {
      const agentDir = tempDir();
      await runCli(argv, { agentDir });
      expect(readdirSync(agentDir)).toEqual([]);
    },
  );

  test("the overview says where the index will be, and leads to the demo", async () => {
    const agentDir = tempDir();
    const indexPath = join(agentDir, "sessiondb", "index-v1.db");
    expect(await runJson([], { agentDir })).toMatchObject({ sessions: 0, index: { path: indexPath } });
    expect((await runCli([], { agentDir })).stdout).toContain("sessiondb demo");
  });

  test("an index that is there stays the one that is asked", async () => {
    const agentDir = emptyAgent(tempDir());
    const path = session()
      .user("apple")
      .write(join(agentDir, "sessions", "one.jsonl"));
    await runCli(["list"], { agentDir });
    expect((await runCli(["delete", "--yes", path], { agentDir, trash: tempDir() })).code).toBe(0);
    expect(await runJson(["list"], { agentDir })).toMatchObject({ total: 0 });
    expect(existsSync(join(agentDir, "sessiondb", "index-v1.db"))).toBe(true);
  });
});

test("a folder that --db names is made with a word, once", async () => {
  const agentDir = emptyAgent(tempDir());
  session()
    .user("apple")
    .write(join(agentDir, "sessions", "one.jsonl"));
  const folder = join(tempDir(), "new");
  const argv = ["list", "--db", join(folder, "index.db")];
  expect((await runCli(argv, { agentDir })).stderr).toContain(
    `note: there was no folder ${folder}; it is made for the index.`,
  );
  expect((await runCli(argv, { agentDir })).stderr).not.toContain("there was no folder");
});

describe("the first answer", () => {
  const searchable = (agentDir: string): boolean => existsSync(join(agentDir, "sessiondb", "search-v1.db"));

  function agentOf(entries: number): string {
    const agentDir = emptyAgent(tempDir());
    mkdirSync(join(agentDir, "sessions"), { recursive: true });
    const built = session();
    for (let entry = 0; entry < entries; entry++) built.user(`apple ${entry}`);
    built.write(join(agentDir, "sessions", "one.jsonl"));
    return agentDir;
  }

  test("on a terminal is followed by making everything searchable", async () => {
    const agentDir = agentOf(3);
    const { stdout, stderr } = await runCli([], { agentDir, columns: 80 });
    expect([stdout.includes("1 session"), stderr, searchable(agentDir)]).toEqual([true, "", true]);
    const { stdout: found } = await runCli(["search", "--no-sync", "apple", "--json"], { agentDir });
    expect(found).toContain('"total": 3');
  });

  test("says so where that takes a while", async () => {
    const { stderr } = await runCli(["list"], { agentDir: agentOf(5001), columns: 80 });
    expect(stderr.replaceAll("\n", " ")).toContain("now everything is made searchable");
  });

  test.each([[["list"]], [["list", "--json"]]])("is all there is for a program: %j", async (argv) => {
    const agentDir = agentOf(3);
    await runCli(argv, { agentDir });
    expect(searchable(agentDir)).toBe(false);
  });
});

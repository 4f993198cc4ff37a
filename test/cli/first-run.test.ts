import { existsSync, mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { syncByProgram } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson } from "./pretend-world.ts";

describe("where there is nothing to read", () => {
  test.each([[[]], [["list"]], [["search", "apple"]], [["usage"]], [["doctor"]]])(
    "%j creates nothing",
    async (argv) => {
      const agentDir = tempDir();
      await runCli(argv, { agentDir });
      expect(readdirSync(agentDir)).toEqual([]);
    },
  );

  test("but a sync makes an index, which it is there for", () => {
    const agentDir = tempDir();
    syncByProgram(agentDir);
    expect(readdirSync(agentDir)).toEqual(["sessiondb"]);
  });

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

  test("says so where that takes a while, also behind a pager", async () => {
    const pages: string[] = [];
    const paged = { columns: 80, rows: 1, onPage: (text: string) => pages.push(text) };
    const { stderr } = await runCli(["list"], { agentDir: agentOf(5001), ...paged });
    expect(pages).toHaveLength(1);
    expect(stderr.replaceAll("\n", " ")).toContain("now everything is made searchable");
  });

  /** Two sessions, each as much as is read at once. */
  function largeAgent(newest: string, oldest: string): string {
    const agentDir = emptyAgent(tempDir());
    const root = join(agentDir, "sessions");
    const filler = "filler ".repeat(700_000);
    for (const [id, text, year] of [
      ["newest", newest, 2026],
      ["oldest", oldest, 2020],
    ] as const) {
      const path = join(root, `${id}.jsonl`);
      mkdirSync(root, { recursive: true });
      session({ id, timestamp: `${year}-01-01T00:00:00Z` })
        .user(text)
        .toolResult(filler)
        .write(path);
      utimesSync(path, year, Date.UTC(year, 0) / 1000);
    }
    return agentDir;
  }

  /** Somebody at a terminal, to whom each step of the work seems to take seconds. */
  async function searchPatiently(agentDir: string, ...more: string[]) {
    let time = 0;
    const onStep = (): void => {
      time += 2500;
    };
    return runCli(["search", "apple", ...more], { agentDir, columns: 120, steady: () => time, onStep });
  }

  test("of a search is about the newest sessions where reading all takes long; what the others have follows", async () => {
    const { stdout, stderr } = await searchPatiently(largeAgent("a red apple", "a green apple"));
    const [red, green] = [stdout.indexOf("red"), stdout.indexOf("green")];
    expect([red >= 0, green > red]).toEqual([true, true]);
    expect(stderr).toMatch(/1 hit\.[\s\S]*from the newest sessions[\s\S]*2 hits\./);
  });

  test("of a search says that the newest sessions have nothing, and shows the same hits once", async () => {
    const late = await searchPatiently(largeAgent("a pear", "a green apple"));
    expect(late.stderr).toMatch(/there is nothing in the newest sessions[\s\S]*1 hit\./);
    const early = await searchPatiently(largeAgent("a red apple", "a pear"));
    expect(early.stdout.match(/newest:\d/g)).toHaveLength(1);
    expect(early.stderr).toMatch(/1 hit\.[\s\S]*from the newest sessions[\s\S]*1 hit\./);
    const none = await searchPatiently(largeAgent("a pear", "a plum"));
    expect(none.stderr + none.stdout).toMatch(/nothing in the newest sessions[\s\S]*Nothing found\./);
  });

  test("of a search is the only one for a program", async () => {
    const { stdout } = await searchPatiently(largeAgent("a red apple", "a green apple"), "--json");
    expect(JSON.parse(stdout).total).toBe(2);
  });

  test.each([[["list"]], [["list", "--json"]]])("is all there is for a program: %j", async (argv) => {
    const agentDir = agentOf(3);
    await runCli(argv, { agentDir });
    expect(searchable(agentDir)).toBe(false);
  });
});

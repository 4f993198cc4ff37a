import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Hit } from "../../src/search/hits/hit.ts";
import { widthOf } from "../../src/text/width.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";
import { emptyAgent, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

async function hits(...argv: string[]): Promise<Hit[]> {
  return ((await runJson(["search", ...argv], samples)) as { hits: Hit[] }).hits;
}

describe("search", () => {
  test("names the line of the file that holds the words", async () => {
    const found = await hits("harvest", "--limit", "0");
    expect(found.length).toBeGreaterThan(3);
    for (const {
      session: { path },
      line,
    } of found) {
      expect(readFileSync(path, "utf8").split("\n")[line - 1]?.toLowerCase()).toContain("harvest");
    }
  });

  test("takes conditions as options and in the query alike", async () => {
    const byOption = await hits("harvest", "--role", "user", "--since", "2026-11-01");
    const inQuery = await hits("role:user harvest since:2026-11-01");
    expect(byOption.map(({ entryId }) => entryId)).toEqual(inQuery.map(({ entryId }) => entryId));
    expect(new Set(byOption.map(({ role }) => role))).toEqual(new Set(["user"]));
    expect(await hits("harvest since:2011-12-30 until:2011-12-30", "-z", "Pacific/Apia")).toEqual([]);
  });

  test("shows 20 hits unless told, and all with --limit 0", async () => {
    const many = emptyAgent(tempDir());
    const built = session();
    for (let n = 0; n < 23; n++) built.user(`plum ${n}`);
    built.writeBelow(join(many, "sessions"));
    const lengthOf = async (...argv: string[]) =>
      ((await runJson(["search", "plum", ...argv], { agentDir: many })) as { hits: Hit[] }).hits.length;
    expect([await lengthOf(), await lengthOf("--limit", "0"), await lengthOf("--limit", "3")]).toEqual([
      20, 23, 3,
    ]);
    const { stderr } = await runCli(["search", "plum"], { agentDir: many });
    expect(stderr).toBe("\n20 of 23 hits. --limit 0 shows all.\n");
  });

  test("leaves out words that begin with a dash", async () => {
    const all = await hits("harvest", "--limit", "0");
    const without = await hits("harvest", "-tree", "--limit", "0");
    expect(without.length).toBeGreaterThan(0);
    expect(without.length).toBeLessThan(all.length);
  });

  test("masks secrets, unless it is told not to", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    const holding = { agentDir: emptyAgent(tempDir()) };
    session().name("x").user(`the plum is ${secret}`).writeBelow(join(holding.agentDir, "sessions"));
    for (const argv of [["plum"], ["plum", "--json"], ["--substring", "plum"]]) {
      const { stdout } = await runCli(["search", ...argv], holding);
      expect([stdout.includes("[masked GitHub token]"), stdout.includes(secret)]).toEqual([true, false]);
      expect((await runCli(["search", ...argv, "--reveal"], holding)).stdout).toContain(secret);
    }
  });

  test("says which hits are not on the branch the session goes on with", async () => {
    const { stdout } = await runCli(["search", '"as expected the table is missing"'], samples);
    expect(stdout).toMatch(/^Signed out every night · .* · assistant · other branch$/m);
    expect((await runCli(["search", '"OK, that grew too big"'], samples)).stdout).not.toContain(
      "other branch",
    );
  });

  test("names three copies of a hit in forks, and counts them all", async () => {
    const forked = emptyAgent(tempDir());
    const parent = session({ id: "parent" }).user("plum");
    const forks = [1, 2, 3, 4, 5].map((n) => parent.fork({ id: `fork${n}` }).user("cherry"));
    for (const each of [parent, ...forks]) each.writeBelow(join(forked, "sessions"));
    const { stdout, stderr } = await runCli(["search", "plum"], { agentDir: forked });
    expect(stdout.match(/^also \/.*:2$/gm)).toHaveLength(3);
    expect(stdout).toMatch(/^also in 2 other forks$/m);
    expect(stderr).toBe("\n1 hit, 5 copies in forks.\n");
  });

  test.each(["\n", "  ", "\t"])("looks for white space too: %j", async (space) => {
    const agentDir = emptyAgent(tempDir());
    session().user("one two").user(`one${space}two`).writeBelow(join(agentDir, "sessions"));
    const found = await runJson(["search", "--substring", space], { agentDir });
    expect(found).toMatchObject({ total: 1, hits: [{ line: 3 }] });
  });

  test("for a text ends when it has enough, and says so", async () => {
    const { stderr } = await runCli(["search", "--substring", "e", "--limit", "1"], samples);
    expect(stderr).toBe("\nShowing the first 1 hit; there may be more. --limit 0 shows all.\n");
    const none = await runCli(["search", "--substring", "HARVEST-NOBODY"], samples);
    expect(none.stderr).toBe("Nothing found. --substring is case-sensitive; a search without it is not.\n");
  });

  test("leaves out by a condition with a dash, and says so of a name that nothing has", async () => {
    const rolesOf = async (...argv: string[]) => (await hits(...argv)).map(({ role }) => role);
    expect(await rolesOf("harvest", "role:assistant")).not.toEqual([]);
    expect(await rolesOf("harvest", "-role:assistant")).not.toContain("assistant");
    expect(await rolesOf("harvest", "-role:assistant")).toContain("user");
    const { code, stderr } = await runCli(["search", "harvest", "-role:tool"], samples);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^note: There is no role "tool"\./)]);
  });

  test("says how much cannot be searched yet", async () => {
    const store = new Store();
    session().user("plum").user("cherry").write(store.path("one.jsonl"));
    store.sync();
    store.index.search.prepare("SELECT 1").get();
    store.close();
    const place = ["--db", indexIn(store.indexFolder).indexPath, "--sessions-dir", store.root];
    const { code, stderr } = await runCli(["search", "plum", "--no-sync", ...place], samples);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^note: 2 entries cannot be searched yet; run sessiondb sync to bring everything in\.\nNothing found/,
      ),
    ]);
  });

  test("finds Chinese", async () => {
    expect((await hits("中文")).length).toBeGreaterThan(0);
  });

  test("shows path:line, project and words", async () => {
    const { stdout } = await runCli(["search", "中文", "--limit", "1"], samples);
    expect(stdout).toMatch(/^\/.*\.jsonl:\d+$/m);
    expect(stdout).toContain("/home/ada/projects/shijian");
    expect(stdout).toContain("中文");
  });

  test.each([60, 80])("fits a terminal of %i columns, but for the path", async (columns) => {
    const { stdout } = await runCli(["search", "harvest"], { ...samples, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.filter((line) => widthOf(line) > columns && !/\.jsonl:\d+$/.test(line))).toEqual([]);
  });

  test("repeats the query as it was asked", async () => {
    expect(await runJson(["search", "role:user", "harvest"], samples)).toMatchObject({
      query: "role:user harvest",
    });
  });
});

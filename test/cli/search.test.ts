import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
    const { stdout } = await runCli(["search", "--flat", '"as expected the table is missing"'], samples);
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
    const { stdout, stderr } = await runCli(["search", "plum", "--flat"], { agentDir: forked });
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
    const { stdout } = await runCli(["search", "中文", "--limit", "1", "--flat"], samples);
    expect(stdout).toMatch(/^\/.*\.jsonl:\d+$/m);
    expect(stdout).toContain("/home/ada/projects/shijian");
    expect(stdout).toContain("中文");
  });

  test.each([60, 80])("fits a terminal of %i columns, but for the path", async (columns) => {
    const { stdout } = await runCli(["search", "harvest"], { ...samples, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.filter((line) => widthOf(line) > columns && !/\.jsonl:\d+$/.test(line))).toEqual([]);
  });

  test("stands below its session: ten hits of one take half the lines that each by itself takes", async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session({ id: "01a0e225-f3d8-77f5-af20-75336cd59424" }).name("Plums");
    for (let n = 0; n < 10; n++)
      built.user(`${"before it ".repeat(5)} plum ${n} ${"and after it ".repeat(15)}`);
    built.writeBelow(join(agentDir, "sessions"));
    const linesOf = async (...argv: string[]) => {
      const { stdout } = await runCli(["search", "plum", ...argv], {
        agentDir,
        columns: 80,
        env: { NO_COLOR: "1" },
      });
      // As a terminal shows them: what is longer goes on in the next line.
      return stdout
        .trimEnd()
        .split("\n")
        .flatMap((line) => Array(Math.max(1, Math.ceil(widthOf(line) / 80))).fill(line));
    };
    const [grouped, flat] = [await linesOf(), await linesOf("--flat")];
    expect(grouped.filter((line) => line.startsWith("Plums · "))).toHaveLength(1);
    expect(grouped.filter((line) => /^01a0e225:\d+ user {2}.*plum \d/.test(line))).toHaveLength(10);
    expect(grouped.length * 2).toBeLessThanOrEqual(flat.length);
  });

  test("by session has each hit once, sessions in the order of their first", async () => {
    const order = (await hits("harvest", "--limit", "0")).map(({ handle }) => handle);
    const { stdout } = await runCli(["search", "harvest", "--limit", "0"], {
      ...samples,
      columns: 80,
      env: { NO_COLOR: "1" },
    });
    const shown = stdout.split("\n\n").map((group) => group.match(/^[0-9a-f]{8}:\d+/gm) ?? []);
    expect(shown.flat().toSorted()).toEqual(order.toSorted());
    expect(shown.map(([first]) => first)).toEqual(
      shown.map(([first = ""]) => order.find((each) => each.startsWith(first.slice(0, 8)))),
    );
    const places = shown.map(([first = ""]) => order.indexOf(first));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test("shows what matched, however narrow the terminal and however late it comes", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .user(`${"梅の木 ".repeat(20)}plum ${"桃の木 ".repeat(20)}`)
      .writeBelow(join(agentDir, "sessions"));
    for (const columns of [20, 30, 40, 80, 200]) {
      const { stdout } = await runCli(["search", "plum"], { agentDir, columns });
      const lines = stripVTControlCharacters(stdout).split("\n");
      expect([columns, lines.some((line) => line.includes("plum"))]).toEqual([columns, true]);
      expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
    }
  });

  test("is a link to the file where the terminal shows links, and is none where colours are off", async () => {
    const asked = { ...samples, columns: 80, showsLinks: true };
    const [begin, end] = ["\u001b]8;;", "\u001b\\"];
    const linkIn = (text: string) => {
      const [url = "", words = ""] = text.split(begin)[1]?.split(end) ?? [];
      return { url, words: stripVTControlCharacters(words) };
    };
    const { stdout } = await runCli(["search", "harvest"], asked);
    const { url, words } = linkIn(stdout);
    const [hit] = await hits("harvest");
    expect([fileURLToPath(`file://${new URL(url).pathname}`), words]).toEqual([
      hit?.session.path,
      hit?.handle,
    ]);
    const kitty = await runCli(["search", "harvest"], { ...asked, env: { TERM: "xterm-kitty" } });
    expect(linkIn(kitty.stdout).url).toBe(`${url}#${hit?.line}`);
    for (const plain of [{ ...asked, env: { NO_COLOR: "1" } }, samples, { ...samples, columns: 80 }]) {
      expect((await runCli(["search", "harvest"], plain)).stdout).not.toContain("\u001b]8;");
    }
  });

  test("names a place that other commands take", async () => {
    const [hit] = await hits('"as expected the table is missing"');
    const { handle = "", entryId, line, session } = hit ?? {};
    expect(handle).toBe(`01a1221b:${line}`);
    const { stdout: shown } = await runCli(["show", handle, "--context", "0"], samples);
    expect(shown).toContain(`▶ assistant · 2026-10-09T19:22`.slice(0, 24));
    expect(shown).toContain(entryId);
    const { stdout: tree } = await runCli(["tree", handle], samples);
    expect(tree.match(/▶/g)).toHaveLength(1);
    expect(tree).toMatch(new RegExp(`^${entryId} .*▶ assistant`, "m"));
    const [byHandle, byBranch] = await Promise.all(
      [[handle], ["01a1221b", "--branch", entryId ?? ""]].map((words) =>
        runCli(["export", ...words], samples),
      ),
    );
    expect(byHandle?.stdout).toBe(byBranch?.stdout);
    expect(byHandle?.stdout).toContain("As expected the table is missing");
    expect((await runCli(["resume", handle], samples)).stdout).toContain(session?.path);
    const both = await runCli(["export", handle, "--branch", "x"], samples);
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("cannot be used together")]);
  });

  test("of a session whose id another file has, too, is the path", async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session({ id: "01a0e225-f3d8-77f5-af20-75336cd59424" }).user("plum");
    const paths = ["one", "two"].map((name) => join(agentDir, "sessions", "--srv--", `${name}.jsonl`));
    for (const path of paths) built.write(path);
    const found = (await runJson(["search", "plum"], { agentDir })) as { hits: Hit[] };
    const places = found.hits.flatMap((hit) => [hit, ...hit.copies]).map(({ handle }) => handle);
    expect(places.toSorted()).toEqual(paths.map((path) => `${path}:2`));
  });

  test("repeats the query as it was asked", async () => {
    expect(await runJson(["search", "role:user", "harvest"], samples)).toMatchObject({
      query: "role:user harvest",
    });
  });
});

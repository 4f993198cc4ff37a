import { symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Hit } from "../../src/search/hits/hit.ts";
import { writeWithLongLine } from "../helpers/long-line.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent, takeIn } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };
const BRANCHED = "01a1221b";

interface Shown {
  session: { id: string; path: string };
  entries: { id: string; type: string; parentId: string | null }[];
}

const show = async (...argv: string[]) => (await runJson(["show", ...argv], samples)) as Shown;

describe("show", () => {
  test("is a document with the session and the entries of its branch, as they stand in the file", async () => {
    const shown = await show(BRANCHED);
    expect(Object.keys(shown)).toEqual(["schemaVersion", "session", "gap", "hidden", "entries"]);
    expect(shown).toMatchObject({ gap: null, hidden: null });
    expect(shown.session.id).toMatch(/^01a1221b/);
    const [, ...followers] = shown.entries;
    expect(followers.map(({ parentId }) => parentId)).toEqual(shown.entries.slice(0, -1).map(({ id }) => id));
  });

  test("A30: prints as JSON what stands in the file, however deep, and buffers as they were written", async () => {
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const strange = { type: "Buffer", data: [1, 2], "\u009b": "\u202e" };
    const built = session()
      .user("pear")
      .raw(`{"type":"custom","id":"deep0001","parentId":null,"data":${nested}}`);
    built.custom("strange", strange, { id: "odd00001" });
    const folder = tempDir();
    built.writeBelow(join(folder, "sessions"));
    const asked = async (entry: string) =>
      await runCli(["show", "latest", "--around", entry, "--context", "0", "--json"], { agentDir: folder });
    const deep = await asked("deep0001");
    expect([deep.code, deep.stdout.includes(nested)]).toEqual([0, true]);
    const { stdout } = await asked("odd00001");
    expect(stdout).not.toMatch(/[\u009b\u202e]/);
    expect((JSON.parse(stdout) as { entries: unknown[] }).entries).toEqual([built.entries.at(-1)]);
  });

  test("masks secrets as JSON, too, unless they are to be revealed", async () => {
    const token = `ghp_${"Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u"}`;
    const folder = tempDir();
    const built = session().user(`my ${token}`, { id: "a" });
    built.writeBelow(join(folder, "sessions"));
    const asked = async (...words: string[]) =>
      (await runCli(["show", "latest", "--json", ...words], { agentDir: folder })).stdout;
    expect(await asked()).not.toContain(token.slice(4));
    expect(await asked()).toContain("my [masked GitHub token]");
    expect(await asked("--reveal")).toContain(token);
  });

  test("prints entries, those of a tree, and findings one a line", async () => {
    const [shown, nodes] = [
      await runJson(["show", BRANCHED], samples),
      await runJson(["tree", BRANCHED], samples),
    ];
    const linesOf = async (...words: string[]): Promise<unknown[]> =>
      (await runCli([...words, "--ndjson"], samples)).stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    expect(shown).toMatchObject({ entries: await linesOf("show", BRANCHED) });
    expect(nodes).toMatchObject({ nodes: await linesOf("tree", BRANCHED) });
    expect(await runJson(["doctor"], samples)).toMatchObject({ findings: await linesOf("doctor") });
    expect((await runCli(["show", BRANCHED, "--json", "--ndjson"], samples)).code).toBe(2);
  });

  test("shows another branch by any of its entries", async () => {
    const { stdout } = await runCli(["show", BRANCHED, "--branch", "0de3fc84"], samples);
    expect(stdout).toContain("As expected the table is missing");
    expect(stdout).not.toContain("OK, that grew too big");
    expect((await runCli(["show", BRANCHED], samples)).stderr).toContain("1 other branch;");
  });

  test("G9: says where a branch begins in mid-air, and how to see what stands before", async () => {
    const own = { agentDir: emptyAgent(tempDir()) };
    const built = session({ id: "gap" }).user("begin").assistant({ text: "first" });
    const before = built.lastId ?? "";
    built.branchFrom("dead\u0007beef").user("after the gap").assistant({ text: "second" });
    built.writeBelow(join(own.agentDir, "sessions"));
    const { stdout, stderr } = await runCli(["show", "gap"], own);
    expect(stdout).toContain(
      "\n… a gap: what line 4 answers (deadbeef) is not in the file; 2 entries before it not shown\n",
    );
    expect(stdout).not.toContain("first");
    expect(stderr).toBe(`\nWhat stands before the gap: sessiondb show gap --branch ${before}\n`);
    expect((await runCli(["show", "gap", "--branch", before], own)).stdout).toContain("first");
    expect(await runJson(["show", "gap"], own)).toMatchObject({
      gap: { line: 4, parentId: "dead\u0007beef", before: 2, lastBefore: before },
      hidden: null,
    });
    const { stdout: narrow } = await runCli(["show", "gap", "--around", ":5", "--context", "0"], own);
    expect(narrow).not.toContain("a gap");
    expect((await runCli(["tree", "gap"], own)).stdout).toMatch(/… a gap: user +after the gap/);
    expect(await runJson(["tree", "gap"], own)).toMatchObject({
      nodes: [{ afterGap: false }, { afterGap: false }, { afterGap: true }, { afterGap: false }],
    });
    for (const format of ["md", "html"]) {
      const exported = (await runCli(["export", "gap", "--format", format], own)).stdout;
      expect(exported).toContain("… a gap: what line 4 answers (deadbeef) is not in the file");
    }
  });

  test("G9: says what the last line of a process that was killed hides", async () => {
    const own = { agentDir: emptyAgent(tempDir()) };
    const built = session({ id: "killed" })
      .user("begin")
      .assistant({ toolCalls: [{ name: "bash" }] });
    const call = built.lastId;
    built.user("go on").assistant({ text: "newer work" });
    const newest = built.lastId ?? "";
    built.branchFrom(call).toolResult("killed").writeBelow(join(own.agentDir, "sessions"));
    const { stdout, stderr } = await runCli(["show", "killed"], own);
    expect(stdout).not.toContain("newer work");
    expect(stderr).toContain(
      "\n2 newer entries not shown: nobody has said anything on this branch since line 6,",
    );
    expect(stderr).toContain(`sessiondb show killed --branch ${newest}\n`);
    expect((await runCli(["show", "killed", "--branch", newest], own)).stdout).toContain("newer work");
    expect(await runJson(["show", "killed"], own)).toMatchObject({
      gap: null,
      hidden: { line: 6, entries: 2, newest },
    });
    // Whoever says something there means it.
    built.user("never mind").writeBelow(join(own.agentDir, "sessions"));
    expect((await runCli(["show", "killed"], own)).stderr).toBe(
      "\n1 other branch; sessiondb tree killed shows it\n",
    );
    expect(await runJson(["show", "killed"], own)).toMatchObject({ hidden: null });
  });

  test("makes every hit of a search readable, by path and line and by entry", async () => {
    const { hits } = (await runJson(["search", "table", "--limit", "0"], samples)) as { hits: Hit[] };
    expect(hits.length).toBeGreaterThan(3);
    for (const { session, line, entryId } of hits) {
      const byLine = await show(`${session.path}:${line}`, "--context", "0");
      const byId = await show(session.path, "--around", entryId ?? "", "--context", "0");
      expect(byLine.entries.map(({ id }) => id)).toEqual([entryId]);
      expect(byId).toEqual(byLine);
      expect(await show(`${session.id}:${line}`, "--context", "0")).toEqual(byLine);
    }
  });

  test("takes a line of a file whose folder has a line end in its name", async () => {
    const agentDir = emptyAgent(tempDir());
    const path = session()
      .user("pear")
      .user("quince")
      .writeBelow(join(agentDir, "sessions", "a\nb"));
    const { stdout } = await runCli(["show", `${path}:3`, "--context", "0"], { agentDir });
    expect(stdout).toContain("quince");
    expect(stdout).not.toContain("  pear");
  });

  test("A29: says of a line too long to read that it is", async () => {
    const agentDir = emptyAgent(tempDir());
    writeWithLongLine(join(agentDir, "sessions", "a.jsonl"), 600 * 1024 * 1024);
    const { code, stdout } = await runCli(["show", "a:3"], { agentDir });
    expect([code, stdout.includes("(a line of 629 MB, too long to read)")]).toEqual([0, true]);
    expect((await runJson(["show", "a:3"], { agentDir })) as Shown).toMatchObject({ entries: [] });
  });

  test("finds a session by a link to its file, and by its path from the current directory", async () => {
    const folder = tempDir();
    const agentDir = emptyAgent(folder);
    const path = session({ id: "linked" })
      .user("hi")
      .write(join(agentDir, "sessions", "a", "one.jsonl"));
    symlinkSync(path, join(folder, "link.jsonl"));
    for (const [cwd, name] of [
      [folder, "link.jsonl"],
      [dirname(path), "one.jsonl"],
      [dirname(path), "./one.jsonl:2"],
    ] as const) {
      const found = await runJson(["show", name], { agentDir, cwd });
      expect(found).toMatchObject({ session: { id: "linked" } });
    }
  });

  test("shows neighbours on the same branch and says how much it leaves out", async () => {
    const { stdout } = await runCli(["show", "01a1b", "--around", "bdcf1916", "--context", "1"], samples);
    expect(stdout).toContain("… 6 entries before");
    expect(stdout).toContain("▶ assistant · ");
    expect(stdout).toContain("… 15 entries after");
    expect((await show("01a1b", "--around", "bdcf1916", "--context", "1")).entries).toHaveLength(3);
    const { stdout: usual, stderr } = await runCli(["show", "01a1b", "--around", "bdcf1916"], samples);
    expect(usual).toMatch(/… 4 entries before[\s\S]*… 13 entries after/);
    expect(stderr).toBe("");
  });

  test("begins where the branch does, however many neighbours there could be", async () => {
    expect((await show(`${BRANCHED}:2`)).entries).toHaveLength(4);
    const { stdout, stderr } = await runCli(["show", `${BRANCHED}:2`], samples);
    expect([stdout.includes("entries before"), stderr]).toEqual([false, ""]);
  });

  test("says of which days it is, and how many branches there are besides", async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session({ timestamp: "2026-10-09T10:00:00Z" }).user("one", { id: "first" }).user("two");
    built.branchFrom("first").user("three").branchFrom("first").at("2026-10-11T10:00:00Z").user("four");
    built.modelChange("a", "b").modelChange("c", "d").writeBelow(join(agentDir, "sessions"));
    const { stdout, stderr } = await runCli(["show", "latest"], { agentDir });
    expect(stdout).toContain("\n2026-10-09 to 2026-10-11 · 4 messages\n");
    expect(stderr).toMatch(/^\n2 other branches; sessiondb tree \S+ shows them\n$/);
    // What is no message has a line of its own, and no space between.
    expect(stdout).toMatch(/four\n\n· [^\n]+\n· [^\n]+\n$/);
  });

  test("folds long tool output, unless it is told not to", async () => {
    const agentDir = emptyAgent(tempDir());
    const output = Array.from({ length: 50 }, (_, i) => `line ${i}`).join("\n");
    session()
      .user("go")
      .assistant({ toolCalls: [{ name: "bash" }] })
      .toolResult(output)
      .writeBelow(join(agentDir, "sessions"));
    expect((await runCli(["show", "latest"], { agentDir })).stdout).toContain("… 40 more lines");
    expect((await runCli(["show", "latest", "--full"], { agentDir })).stdout).toContain("line 49");
  });

  test("folds thinking and calls too, but no single line, and nothing of the entry that was asked for", async () => {
    const agentDir = emptyAgent(tempDir());
    const lines = (what: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${what} ${n}`).join("\n");
    session()
      .assistant({
        thinking: lines("thought", 7),
        toolCalls: [{ name: "bash", arguments: { command: "x" } }],
      })
      .toolResult(lines("short", 11))
      .assistant({
        thinking: lines("long", 9),
        toolCalls: [{ name: "write", arguments: { path: "p", content: lines("call", 20) } }],
      })
      .toolResult(lines("output", 50), {}, { id: "asked" })
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["show", "latest"], { agentDir });
    for (const whole of ["thought 6", "short 10"]) expect(stdout).toContain(whole);
    expect(stdout.match(/… \d+ more lines?/g)).toEqual([
      "… 3 more lines",
      "… 14 more lines",
      "… 40 more lines",
    ]);
    const asked = await runCli(["show", "latest", "--around", "asked", "--context", "1"], { agentDir });
    expect([asked.stdout.includes("output 49"), asked.stdout.includes("call 19")]).toEqual([true, false]);
  });

  test("shows bookkeeping with --full, and where it was asked for", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .user("hi")
      .bash("ls -l", "total 0")
      .custom("mark")
      .modelChange("a", "b", { id: "changed" })
      .writeBelow(join(agentDir, "sessions"));
    const lines = async (...argv: string[]) =>
      (await runCli(["show", "latest", ...argv], { agentDir })).stdout.split("\n");
    const custom = (line: string) => /^(?:▶ )?custom · /.test(line);
    expect((await lines()).some(custom)).toBe(false);
    expect((await lines("--full")).some(custom)).toBe(true);
    expect((await lines("--around", ":4")).find(custom)).toMatch(/^▶ custom · /);
    expect((await lines()).some((line) => line.startsWith("· "))).toBe(true);
    const asked = await lines("--around", "changed");
    expect(asked.find((line) => line.startsWith("▶"))).toMatch(/^▶ model · .* · changed · :5$/);
    expect(asked).toContain("  $ ls -l");
  });

  test("tells times to the second to programs, and as people do on a terminal in their zone", async () => {
    const agentDir = emptyAgent(tempDir());
    const timestamp = "2026-11-20T10:00:01.234Z";
    session({ timestamp }).user("hi", { timestamp }).writeBelow(join(agentDir, "sessions"));
    expect((await runCli(["show", "latest"], { agentDir })).stdout).toContain(`user · ${timestamp} · `);
    const shown = await runCli(["show", "latest", "-z", "Asia/Tokyo"], { agentDir, columns: 80 });
    expect(stripVTControlCharacters(shown.stdout)).toContain("user · 2026-11-20 19:00 · ");
  });

  test("masks secrets wherever they stand, unless it is told not to", async () => {
    const agentDir = emptyAgent(tempDir());
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    session()
      .user(`the token is ${secret}`)
      .assistant({
        thinking: secret,
        toolCalls: [{ name: "bash", arguments: { command: `curl ${secret}` } }],
      })
      .toolResult(`${secret} is valid`)
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["show", "latest"], { agentDir });
    expect(stdout.match(/\[masked GitHub token\]/g)).toHaveLength(5);
    expect(stdout).not.toContain(secret);
    const revealed = await runCli(["show", "latest", "--reveal"], { agentDir });
    expect(revealed.stdout.split(secret)).toHaveLength(6);
  });

  test.each([
    ["list"],
    [""],
    ["tree", "latest"],
    ["labels"],
    ["files", "/srv/x.ts"],
    ["usage", "session", "--all"],
  ])("a secret that was typed first is not in the titles of: %s %s", async (...words) => {
    const agentDir = emptyAgent(tempDir());
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    const built = session({ cwd: "/srv" }).user(`use ${secret}`);
    built
      .label(built.lastId ?? "", "key")
      .assistant({ toolCalls: [{ name: "read", arguments: { path: "/srv/x.ts" } }] });
    built.writeBelow(join(agentDir, "sessions"));
    for (const place of [{ agentDir }, { agentDir, columns: 200 }]) {
      const { stdout } = await runCli(words.filter(Boolean), place);
      expect(stdout).toContain("use [masked GitHub token]");
      expect(stdout).not.toContain(secret);
    }
  });

  test.each([
    ["show", "one1"],
    ["tree", "one1"],
    ["labels"],
    ["usage", "label", "--all"],
    ["completion", "sessions"],
    ["delete", "one1"],
    ["show", "one"],
    ["show", "one1", "--around", "e"],
    ["show", "one", "--json"],
  ])("a secret in labels and among what one may choose from is masked: %s %s", async (...words) => {
    const agentDir = emptyAgent(tempDir());
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    for (const id of ["one1", "one2"]) {
      const built = session({ id })
        .user(`use ${secret}`, { id: "e1" })
        .assistant({ text: secret }, { id: "e2" });
      built.label("e2", `the ${secret}`).writeBelow(join(agentDir, "sessions"));
    }
    await takeIn({ agentDir });
    for (const place of [{ agentDir }, { agentDir, columns: 200, typed: true, stdin: "n\n" }]) {
      const { stdout, stderr } = await runCli(words, place);
      expect(stdout + stderr).not.toContain(secret);
      if (stdout + stderr !== "")
        expect(stdout + stderr).toMatch(/masked GitHub token|cannot ask: standard input is not a terminal/);
    }
  });

  test("tells a reader when the file has changed since it was indexed", async () => {
    const agentDir = emptyAgent(tempDir());
    const path = session().user("before").writeBelow(join(agentDir, "sessions"));
    await takeIn({ agentDir });
    writeFileSync(path, "");
    const { stdout, code } = await runCli(["show", "latest", "--no-sync"], { agentDir });
    expect([code, stdout.includes("the session file has changed")]).toEqual([0, true]);
  });

  test("of many calls that a script has made the first are shown, with --full all", async () => {
    const agentDir = emptyAgent(tempDir());
    const calls = Array.from({ length: 9 }, (_, at) => ({
      id: `a/${at}`,
      name: "read",
      arguments: { path: `file-${at}.ts` },
      status: at === 7 ? "error" : "ok",
      ...(at === 7 && { error: "it is gone" }),
    }));
    session()
      .assistant({ toolCalls: [{ name: "codemode", arguments: {} }] })
      .toolResult("the end", { toolName: "codemode", nestedCalls: { calls, complete: true } })
      .writeBelow(join(agentDir, "sessions"));
    const folded = (await runCli(["show", "latest"], { agentDir })).stdout;
    expect(folded).toMatch(/→ read file-4\.ts\n +… 4 more calls\n +the end\n/);
    expect(folded).not.toContain("it is gone");
    const full = (await runCli(["show", "latest", "--full"], { agentDir })).stdout;
    expect(full).toMatch(/→ read file-7\.ts\n +it is gone\n +→ read file-8\.ts\n +the end\n/);
  });

  test("shows an edit as a diff, and breaks its lines behind their signs", async () => {
    const agentDir = emptyAgent(tempDir());
    const edits = [{ oldText: "const pear = 1;", newText: `const pear = ${"2".repeat(30)};` }];
    session()
      .assistant({ toolCalls: [{ name: "edit", arguments: { path: "src/a.ts", edits } }] })
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["show", "latest"], { agentDir, columns: 40, env: { NO_COLOR: "1" } });
    expect(stdout).toContain(
      `  → edit src/a.ts\n  - const pear = 1;\n  + const pear = ${"2".repeat(23)}\n  + ${"2".repeat(7)};\n`,
    );
  });

  test.each([undefined, 20, 40, 80])("says of a tool that it failed, on %s columns", async (columns) => {
    const agentDir = emptyAgent(tempDir());
    session()
      .assistant({ toolCalls: [{ name: "bash" }] })
      .toolResult("boom", { isError: true }, { id: "11111111" })
      .toolResult("fine")
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["show", "latest"], { agentDir, ...(columns && { columns }) });
    const results = stripVTControlCharacters(stdout).match(/^resu.*$/gm) ?? [];
    expect(results.map((line) => line.includes(" · failed"))).toEqual([true, false]);
    expect(results.filter((line) => line.length > (columns ?? 200))).toEqual([]);
  });

  test("tells what was thought from what was said also without colour", async () => {
    const agentDir = emptyAgent(tempDir());
    const thinking = `one\n\n${"two ".repeat(30)}\n${"more\n".repeat(9)}`;
    session().assistant({ thinking, text: "It is 3." }).writeBelow(join(agentDir, "sessions"));
    for (const columns of [undefined, 40]) {
      const world = { agentDir, ...(columns !== undefined && { columns, env: { NO_COLOR: "1" } }) };
      const lines = (await runCli(["show", "latest"], world)).stdout.trimEnd().split("\n");
      const from = lines.indexOf("  (thinking)");
      expect(lines.slice(from + 1, from + 4)).toEqual([
        "  ┆ one",
        "  ┆",
        expect.stringMatching(/^ {2}┆ two two/),
      ]);
      expect(lines.slice(from + 4, -1).filter((line) => !line.startsWith("  ┆ "))).toEqual([]);
      expect(lines.slice(-2)).toEqual([expect.stringMatching(/^ {2}┆ … \d+ more lines$/), "  It is 3."]);
      expect(lines.slice(from).filter((line) => line.length > (columns ?? 200))).toEqual([]);
    }
  });

  test("colours lines alike, however many there are", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .bash("go", "line\n".repeat(11))
      .bash("go", "line\n".repeat(12))
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["show", "latest"], { agentDir, columns: 80 });
    expect(stdout.split("line\u001b[22m")).toHaveLength(22);
    expect(stdout).not.toMatch(/^ *line$/m);
  });

  test.each([40, 80])("cuts labels and notes rather than the place, on %i columns", async (columns) => {
    const agentDir = emptyAgent(tempDir());
    const built = session().user("hi", { id: "11111111" }).label("11111111", "very important ".repeat(9));
    built.modelChange("a provider", "with a model ".repeat(9), { id: "22222222" });
    built.writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["show", "latest"], { agentDir, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.find((line) => line.startsWith("user"))).toMatch(/ · 11111111 · :2 \[very imp.*…\]$/);
    expect(lines.find((line) => line.startsWith("· model"))).toMatch(/… · 22222222 · :4$/);
  });
});

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { widthOf } from "../../src/cli/output/width.ts";
import type { Hit } from "../../src/query/results.ts";
import { SessionManager } from "../../src/session-manager.ts";
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
    expect(Object.keys(shown)).toEqual(["schemaVersion", "session", "entries"]);
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

  test("shows another branch by any of its entries", async () => {
    const { stdout } = await runCli(["show", BRANCHED, "--branch", "0de3fc84"], samples);
    expect(stdout).toContain("As expected the table is missing");
    expect(stdout).not.toContain("OK, that grew too big");
    expect((await runCli(["show", BRANCHED], samples)).stderr).toContain("1 other branch;");
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

  test("A29: says of a line too long to be read that it is", async () => {
    const agentDir = emptyAgent(tempDir());
    writeWithLongLine(join(agentDir, "sessions", "a.jsonl"), 600 * 1024 * 1024);
    const { code, stdout } = await runCli(["show", "a:3"], { agentDir });
    expect([code, stdout.includes("(a line of 629 MB, too long to be read)")]).toEqual([0, true]);
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
    expect(asked.find((line) => line.startsWith("▶"))).toMatch(/^▶ model_change · .* · changed · :5$/);
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
        expect(stdout + stderr).toMatch(/masked GitHub token|there is nobody to ask/);
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
});

describe("tree", () => {
  test("is a document with every entry, its depth and whether it is on the branch", async () => {
    const { nodes } = (await runJson(["tree", BRANCHED], samples)) as {
      nodes: { id: string; depth: number; onBranch: boolean; label: string | null }[];
    };
    const { session } = await show(BRANCHED);
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
      "toolResult bash  labelled [here]",
      "compaction  in short",
      "custom_message  by an extension",
      "user  two",
      "model_change  c/d ◀",
      "toolResult bash  where a branch ends",
      "label  here",
    ]);
    expect(stderr).toBe("\n3 entries of tools and settings not shown; --full shows them\n");
    session({ id: "two" }).user("a").modelChange("a", "b").user("b").writeBelow(join(agentDir, "sessions"));
    const one = await runCli(["tree", "two"], { agentDir });
    expect(one.stderr).toBe("\n1 entry of tools and settings not shown; --full shows it\n");
  });

  test("shows no label where none of it could be read", async () => {
    const { stdout } = await runCli(["tree", BRANCHED], { ...samples, columns: 20 });
    expect(stripVTControlCharacters(stdout)).not.toMatch(/\[…?\]/);
  });
});

describe.each(["show", "tree"])("%s", (command) => {
  test.each([60, 80, 200])(
    "fits a terminal of %i columns, with Chinese and a long list of rails",
    async (columns) => {
      const agentDir = emptyAgent(tempDir());
      const built = session({ cwd: "/home/ada/天气" }).name("名".repeat(90)).user("长".repeat(300));
      for (let i = 0; i < 30; i++) {
        const { lastId } = built;
        built
          .assistant({ text: `${i} ${"word ".repeat(60)}` })
          .branchFrom(lastId)
          .user("天气 ".repeat(50));
      }
      built.label(built.lastId ?? "", "标签".repeat(60)).writeBelow(join(agentDir, "sessions"));
      const { stdout } = await runCli([command, "latest"], { agentDir, columns });
      const path = /^\S.*\.jsonl$/;
      const wide = stripVTControlCharacters(stdout)
        .split("\n")
        .filter((line) => widthOf(line) > columns && !path.test(line));
      expect(wide).toEqual([]);
    },
  );

  test.each([40, 80])("fits a terminal of %i columns, with a long name of a tool", async (columns) => {
    const agentDir = emptyAgent(tempDir());
    const name = "mcp__a_server__".repeat(8);
    const built = session()
      .assistant({ toolCalls: [{ name, arguments: {} }] })
      .toolResult("said", {}, { id: "plain" })
      .toolResult("marked", {}, { id: "marked" });
    built.label("marked", "标签".repeat(60)).writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli([command, "latest", "--full"], { agentDir, columns });
    const lines = stripVTControlCharacters(stdout).split("\n");
    expect(lines.filter((line) => widthOf(line) > columns && !line.endsWith(".jsonl"))).toEqual([]);
    expect(lines.find((line) => line.includes("toolResult mcp"))).toContain("plain");
    expect(stdout).not.toMatch(/\[…?\]/);
  });

  test("F8: gives a terminal nothing to obey", async () => {
    const agentDir = emptyAgent(tempDir());
    const evil = "\x1b]52;c;eA==\x07\x1b[2J\u009b31m\u202e\rfine";
    session({ cwd: `/tmp/${evil}` })
      .name(evil)
      .user(evil)
      .assistant({ text: evil, thinking: evil, toolCalls: [{ name: evil, arguments: { path: evil } }] })
      .toolResult(evil, { toolName: evil })
      .bash(evil, evil)
      .custom(evil)
      .label("x", evil)
      .compaction(evil)
      .writeBelow(join(agentDir, "sessions"));
    for (const columns of [undefined, 80]) {
      const world = { agentDir, ...(columns !== undefined && { columns, env: { NO_COLOR: "1" } }) };
      const { stdout, stderr } = await runCli([command, "latest", "--full"], world);
      expect(stdout).toContain("fine");
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    }
  });

  test("needs to know which session", async () => {
    expect((await runCli([command], samples)).code).toBe(2);
    const { code, stderr } = await runCli([command, "01a1"], samples);
    expect(code).toBe(1);
    expect(stderr.split("\n").filter((line) => line.startsWith("  01a1"))).toHaveLength(10);
  });
});

test("an ambiguous name is told in JSON with its candidates", async () => {
  const { stderr } = await runCli(["show", "01a1", "--json"], samples);
  const { error } = JSON.parse(stderr.slice(stderr.indexOf("{"))) as {
    error: { code: string; choices: string[] };
  };
  expect(error.code).toBe("ambiguous");
  expect(error.choices).toHaveLength(11);
});

test("on a terminal the candidates of an ambiguous name have a line each that fits", async () => {
  const { stderr } = await runCli(["show", "01a1"], { ...samples, columns: 60 });
  const candidates = stripVTControlCharacters(stderr).split("\n").slice(1, -1);
  expect(candidates).toHaveLength(11);
  expect(candidates.filter((line) => widthOf(line) > 60 || !line.startsWith("  "))).toEqual([]);
  expect(candidates.some((line) => widthOf(line) === 60)).toBe(true);
});

describe("labels", () => {
  test("are told with their session, entry and place, newest first", async () => {
    const { labels } = (await runJson(["labels"], samples)) as {
      labels: { label: string; timestamp: string; session: { path: string }; entryId: string }[];
    };
    expect(labels.length).toBe(16);
    expect(labels[0]).toMatchObject({ label: "0.4.0 changelog", entryId: "88c57dac" });
    const times = labels.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test("are cut off where they are asked to be, which is said", async () => {
    const first = await runCli(["labels", "--limit", "2"], samples);
    expect(first.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(first.stderr).toBe("The first 2 labels; --limit 0 shows all.\n");
    expect((await runCli(["labels", "--limit", "16"], samples)).stderr).toBe("");
    expect((await runCli(["labels", "--limit", "2", "--json"], samples)).stderr).toBe("");
  });

  test("can be asked for by their text, case ignored", async () => {
    const { labels } = (await runJson(["labels", "--label", "CAUSE found"], samples)) as { labels: object[] };
    expect(labels).toHaveLength(2);
  });

  test("can be asked for where what they were given to is not in the file", async () => {
    const agentDir = emptyAgent(tempDir());
    session().user("x").label("gone", "todo").writeBelow(join(agentDir, "sessions"));
    const document = await runJson(["labels", "--label", "TODO"], { agentDir });
    expect(document).toMatchObject({ labels: [{ label: "todo", entryId: "gone", line: null }] });
    expect((await runCli(["labels"], { agentDir })).stdout).toMatch(/\.jsonl +-\n$/);
  });

  test("are none where none was given, and none that match where some were", async () => {
    const agentDir = emptyAgent(tempDir());
    expect((await runCli(["labels"], { agentDir })).stderr).toBe("No entry is labelled.\n");
    const { stderr } = await runCli(["labels", "--until", "2020"], samples);
    expect(stderr).toBe("No labelled entry matches.\n");
  });
});

describe("files", () => {
  test("takes a path from the current directory on", async () => {
    const world = { ...samples, cwd: "/home/ada/projects/pi-standup/src" };
    expect(await runJson(["files", "standup.ts"], world)).toMatchObject({
      match: "path",
      touches: [{ tool: "edit" }, { tool: "edit" }, { tool: "read", file: "src/standup.ts" }],
    });
  });

  test("tells of the last sessions only, where it is asked to", async () => {
    const whole = (await runJson(["files", "/home/ada"], samples)) as { touches: Hit[] };
    const one = (await runJson(["files", "/home/ada", "--limit", "1"], samples)) as { touches: Hit[] };
    const first = whole.touches[0]?.session.path;
    expect(one.touches).toEqual(whole.touches.filter(({ session }) => session.path === first));
    const { stderr } = await runCli(["files", "/home/ada", "--limit", "1"], samples);
    expect(stderr).toContain("; of which 1 shown, --limit 0 shows all");
  });

  test("looks at no index for a limit that is none", async () => {
    const agentDir = emptyAgent(tempDir());
    const { code, stderr } = await runCli(["files", "x", "--limit", "many"], { agentDir });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--limit takes a whole number")]);
    expect(existsSync(join(agentDir, "sessiondb"))).toBe(false);
  });

  test("shows the last 20 sessions on a terminal, and all of them to programs", async () => {
    const agentDir = emptyAgent(tempDir());
    for (let n = 0; n < 22; n++)
      session({ id: `s${n}` })
        .assistant({ toolCalls: [{ name: "read", arguments: { path: "/srv/x.ts" } }] })
        .writeBelow(join(agentDir, "sessions"));
    const blocks = (text: string) => text.split("\n\n").length;
    const shown = await runCli(["files", "/srv/x.ts"], { agentDir, columns: 80 });
    expect(blocks(shown.stdout)).toBe(20);
    expect(shown.stderr).toContain("22 calls in 22 sessions; of which 20 shown, --limit 0 shows all");
    expect(blocks((await runCli(["files", "/srv/x.ts"], { agentDir })).stdout)).toBe(22);
    const { stdout } = await runCli(["files", "/srv/x.ts", "--json"], { agentDir, columns: 80 });
    expect((JSON.parse(stdout) as { touches: object[] }).touches).toHaveLength(22);
  });

  test("says how many calls have failed, and elsewhere than on a terminal when to the second", async () => {
    const agentDir = emptyAgent(tempDir());
    const call = { toolCalls: [{ name: "edit", arguments: { path: "/srv/x.ts" } }] };
    session({ timestamp: "2026-11-20T10:00:00Z" })
      .assistant(call)
      .toolResult("no", { isError: true })
      .assistant(call)
      .toolResult("yes")
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["files", "/srv/x.ts"], { agentDir });
    expect(stdout).toMatch(/ · 2026-11-20T10:00:\d\d\.\d{3}Z\n {2}edit \/srv\/x\.ts ×2 \(1 failed\)\n/);
    const none = await runCli(["files", "/srv/y"], { agentDir });
    expect(none).toEqual({
      code: 0,
      stdout: "",
      stderr: "No session read or changed /srv/y with a tool.\n",
    });
  });

  test("fits a terminal, with Chinese in title and project", async () => {
    const agentDir = emptyAgent(tempDir());
    session({ cwd: `/home/ada/${"天气".repeat(20)}` })
      .name("名".repeat(90))
      .assistant({ toolCalls: [{ name: "read", arguments: { path: "/srv/天气.ts" } }] })
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["files", "/srv"], { agentDir, columns: 60 });
    const [title = ""] = stripVTControlCharacters(stdout).split("\n");
    expect(title).toContain("名…");
    expect(widthOf(title)).toBeLessThanOrEqual(60);
  });

  test.each([40, 80])("shows the file beside the long name of a tool, in %i columns", async (columns) => {
    const agentDir = emptyAgent(tempDir());
    const name = "mcp__a_server__".repeat(8);
    const call = { toolCalls: [{ name, arguments: { path: `/srv/${"deep/".repeat(40)}x.ts` } }] };
    const built = session();
    for (let i = 0; i < 12; i++) built.assistant(call).toolResult("no", { isError: true });
    built.writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["files", "/srv"], { agentDir, columns });
    const calls = stripVTControlCharacters(stdout).split("\n")[1] ?? "";
    expect(calls).toMatch(/^ {2}mcp__a\S*… …\S*\/x\.ts ×12 \(12 failed\)$/);
    expect(widthOf(calls)).toBeLessThanOrEqual(columns);
  });

  test("says when it answers by the end of paths", async () => {
    const { stdout, stderr } = await runCli(["files", "standup.ts"], { ...samples, cwd: "/nowhere" });
    expect(stderr).toContain("Nothing at /nowhere/standup.ts; these files end alike:");
    expect(stdout).toContain("edit src/standup.ts ×2");
  });
});

describe("resume", () => {
  test("prints a command that changes to the session's directory", async () => {
    const dir = tempDir();
    const agentDir = emptyAgent(dir);
    const cwd = join(dir, "it's here");
    mkdirSync(cwd);
    const path = session({ cwd }).user("hi").writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["resume", "latest"], { agentDir });
    expect(stdout).toMatch(/^cd '.*it'\\''s here' && pi --session /);
    expect(await runJson(["resume", "latest"], { agentDir })).toMatchObject({
      cwd,
      argv: ["pi", "--session", path],
    });
  });

  test("does not lead pi to a file that it would empty, or not open: a session that is one JSON array", async () => {
    const agentDir = emptyAgent(tempDir());
    const path = join(agentDir, "sessions", "it's one.json");
    session({ id: "array" }).user("hi").write(path);
    const { code, stdout, stderr } = await runCli(["resume", "array"], { agentDir });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("pi cannot open a session that is one JSON array");
    // What is advised works.
    const words = /sessiondb (export '.*one\.json') (--format jsonl --reveal) -o FILE\.jsonl/.exec(stderr);
    expect(words?.[1]).toBe(`export '${path.replace("'", "'\\''")}'`);
    const exported = await runCli(["export", path, ...(words?.[2] ?? "").split(" ")], { agentDir });
    expect(exported.stdout.trimEnd().split("\n")).toHaveLength(2);
  });

  test.each([
    ["", "the session names no directory; pi will ask."],
    ["test", "there is no directory test any more; pi will ask."],
    [import.meta.filename, `there is no directory ${import.meta.filename} any more; pi will ask.`],
  ])("changes to no directory where the session's is %j", async (cwd, note) => {
    const agentDir = emptyAgent(tempDir());
    session({ cwd })
      .user("hi")
      .write(join(agentDir, "sessions", "one.jsonl"));
    const { stdout, stderr } = await runCli(["resume", "latest"], { agentDir });
    expect([stdout.slice(0, 13), stderr]).toEqual(["pi --session ", `note: ${note}\n`]);
    const asked = await runCli(["resume", "latest", "--json"], { agentDir });
    expect([JSON.parse(asked.stdout), asked.stderr]).toEqual([expect.objectContaining({ cwd }), ""]);
  });

  test("says when the directory is gone", async () => {
    const { stdout, stderr } = await runCli(["resume", "latest"], samples);
    expect(stdout).toMatch(/^pi --session .+\n$/);
    expect(stderr).toContain("there is no directory /home/ada/projects/orchard any more");
  });
});

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { emptyAgent, runCli, sampleAgent, takeIn } from "../pretend-world.ts";

const samples = { agentDir: sampleAgent(sharedTempDir()) };

describe("an empty answer says which name nobody knows, and what was probably meant", () => {
  test.each([
    [["list", "--role", "User"], 'There is no role "User". Did you mean user?'],
    [["list", "--role", "foo"], "There are: assistant, bashExecution, toolResult, user."],
    [["list", "--tool=--here"], 'There is no tool "--here".'],
    [["list", "--tool", "Bash"], "Did you mean bash?"],
    [["search", "cookie", "provider:Anthropic"], "Did you mean anthropic?"],
    [["search", "cookie", "--model", "gpt9"], 'There is no model "gpt9". There are: claude-haiku-4-5'],
    [["labels", "--label", "cause fund"], "Did you mean cause found?"],
    [["usage", "--project", "/elsewhere/tide", "--all"], "Did you mean /home/ada/projects/tide?"],
    [["files", "x.ts", "--project", "/elsewhere/tide"], "Did you mean /home/ada/projects/tide?"],
    [["list", "--project", "/nowhere"], "There is no session in /nowhere or below it.\n"],
  ])("%j", async (argv, expected) => {
    const { code, stdout, stderr } = await runCli(argv, samples);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain(expected);
  });

  test("and nothing of the kind where every name is known", async () => {
    const known = await runCli(["search", "nobody-said-this", "role:user", "model:opus"], samples);
    expect(known.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test.each([
    ["list", "--json"],
    ["search", "x", "--json"],
    ["labels", "--json"],
    ["usage", "--json"],
    ["usage", "--csv"],
    ["usage", "--compat", "ccusage"],
  ])("in a note, where a program reads: %s %s %s", async (...words) => {
    const asked = words.filter((word) => word !== undefined);
    const known = await runCli([...asked, "--role", "user", "--until", "2020-01-01"], samples);
    const unknown = await runCli([...asked, "--role", "User"], samples);
    expect([known.stderr, unknown.stderr]).toEqual([
      "",
      'note: There is no role "User". Did you mean user?\n',
    ]);
    expect(unknown.stdout).not.toContain("note");
  });

  test("names ten at most, and none where there are none", async () => {
    const agentDir = emptyAgent(tempDir());
    const none = await runCli(["list", "--label", "x"], { agentDir });
    expect(none.stderr).toBe('No session matches.\nThere is no label "x".\n');
    const labelled = session().user("hello", { id: "a" });
    for (let n = 10; n < 22; n++) labelled.user("x", { id: `e${n}` }).label(`e${n}`, `number ${n}`);
    labelled.writeBelow(join(agentDir, "sessions"));
    const { stderr } = await runCli(["list", "--label", "x"], { agentDir });
    expect(stderr).toMatch(/There are: number 10, (number \d\d, ){8}number 19, and 2 more\.\n$/);
  });

  test("also where only capitals are otherwise, however many", async () => {
    const agentDir = emptyAgent(tempDir());
    session().assistant({ provider: "OpenAI" }).writeBelow(join(agentDir, "sessions"));
    const { stderr } = await runCli(["list", "--provider", "openai"], { agentDir });
    expect(stderr).toContain('There is no provider "openai". Did you mean OpenAI?');
  });

  test("of folders that were asked about, as completion does", async () => {
    const agentDir = emptyAgent(tempDir());
    const [here, elsewhere] = [join(agentDir, "sessions"), tempDir()];
    session({ cwd: "/work/w" }).user("x", { id: "x" }).label("x", "todo").writeBelow(here);
    session({ cwd: "/secret/w" }).user("x", { id: "x" }).label("x", "private").writeBelow(elsewhere);
    await takeIn({ agentDir }, "--sessions-dir", here, "--sessions-dir", elsewhere);
    const said = async (...argv: string[]) => {
      const { stdout, stderr } = await runCli(argv, { agentDir });
      return stdout + stderr;
    };
    expect(await said("list", "--project", "/else/w")).toMatch(/Did you mean \/work\/w\?\n$/);
    expect(await said("labels", "--label", "nope")).toMatch(/There are: todo\.\n$/);
    expect(await said("search", "x", "label:private")).toMatch(
      /There is no label "private"\. There are: todo\.\n$/,
    );
    expect(await said("completion", "labels")).toBe("todo\n");
  });

  test("on a terminal with the home folder as ~", async () => {
    const argv = ["list", "--project", "/elsewhere/tide"];
    const { stderr } = await runCli(argv, { ...samples, columns: 100 });
    expect(stderr).toContain("Did you mean ~/projects/tide?");
  });

  test("on a terminal in lines that fit, broken at words", async () => {
    const { stderr } = await runCli(["search", "nobody-said-this"], { ...samples, columns: 80 });
    expect(stderr).toBe(
      "Nothing found. All words must occur in one entry: use fewer words, or begin* to\nmatch how words begin.\n",
    );
  });

  test("a secret that somebody has made a label stays masked", async () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const agentDir = emptyAgent(tempDir());
    const labelled = session().user("hello").assistant();
    labelled.label(labelled.lastId ?? "", secret).writeBelow(join(agentDir, "sessions"));
    const { stderr } = await runCli(["labels", "--label", "x"], { agentDir });
    expect(stderr).toContain("[masked GitHub token]");
    expect(stderr).not.toContain(secret);
  });
});

test("conditions alone ask for nothing, and one that nobody meets is named all the same", async () => {
  const { code, stderr } = await runCli(["search", "role:usr", "tool:bash"], samples);
  expect([code, stderr]).toEqual([
    2,
    'error: nothing to search for. There is no role "usr". Did you mean user? To filter without searching, use sessiondb list.\n',
  ]);
  const wrong = await runCli(["search", "has:nothing"], samples);
  expect(wrong.stderr).toMatch(/^error: has: cannot be "nothing"/);
});

test("a value may begin with a dash where words may, too", async () => {
  const agentDir = emptyAgent(tempDir());
  const labelled = session().user("hello").assistant({ text: "graft" });
  labelled.label(labelled.lastId ?? "", "-x").writeBelow(join(agentDir, "sessions"));
  expect((await runCli(["search", "graft", "--label", "-x"], { agentDir })).stdout).toContain("graft");
});

test("a query with NOT that finds nothing is told what NOT means", async () => {
  const { stderr } = await runCli(["search", "nobody-said-this NOT cookie"], samples);
  expect(stderr).toContain('NOT leaves out entries with the word after it; in quotes ("NOT") it is a word');
});

test("a folder of sessions that is a file, or of nobody, is named as such", async () => {
  const folder = tempDir();
  const file = session().user("hello").assistant().writeBelow(folder);
  const { code, stderr } = await runCli(["--sessions-dir", file, "list"], {
    agentDir: emptyAgent(tempDir()),
  });
  expect(code).toBe(0);
  expect(stderr).toBe(
    `note: this is a file; name the folder that it is in: ${file}\nThere are no sessions.\n`,
  );
});

test("a project and its files are found by the name of a link that leads to them", async () => {
  const folder = tempDir();
  const project = join(folder, "real", "orchard");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src", "main.ts"), "");
  symlinkSync(join(folder, "real"), join(folder, "link"));
  const agentDir = emptyAgent(tempDir());
  session({ id: "held", cwd: project })
    .user("graft")
    .assistant({
      toolCalls: [
        { name: "read", arguments: { path: "src/main.ts" } },
        { name: "edit", arguments: { path: "src/gone.ts" } },
      ],
    })
    .writeBelow(join(agentDir, "sessions"));
  const linked = join(folder, "link", "orchard");
  for (const argv of [
    ["list", "--project", linked],
    ["search", "graft", `project:${linked}`],
    ["files", join(linked, "src", "main.ts")],
    ["files", join(linked, "src", "gone.ts")],
  ]) {
    const { stdout, stderr } = await runCli(argv, { agentDir });
    expect(stdout).toContain("held");
    expect(stderr).not.toContain("end the same way");
  }
});

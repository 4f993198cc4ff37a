import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksOf, readPage } from "../helpers/manual.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { hasNoTmux, Terminal, type TerminalOptions } from "../helpers/tmux.ts";

/** An agent folder with a few sessions, one of them long, and a directory to be in. */
function store() {
  const dir = tempDir();
  const [agentDir, cwd, bin] = [join(dir, "agent"), join(dir, "work"), join(dir, "bin")];
  for (const folder of [cwd, bin, join(agentDir, "sessions")]) mkdirSync(folder, { recursive: true });
  return { dir, agentDir, cwd, bin, sessions: join(agentDir, "sessions") };
}

function filled() {
  const world = store();
  const long = session({ id: "aaaaaaaa-0000-7000-8000-000000000001", cwd: world.cwd }).user(
    "the harbour bell",
  );
  for (let turn = 0; turn < 40; turn++) long.assistant({ text: `answer ${turn}` }).user(`question ${turn}`);
  const path = long.user("the bell rings at noon").writeBelow(world.sessions);
  for (const [at, word] of ["zanzibar", "quixotic", "浅草寺の鐘"].entries()) {
    session({ id: `bbbbbbbb-0000-7000-8000-00000000000${at}`, cwd: "/srv/elsewhere" })
      .user(`a bell in ${word}`)
      .assistant({ text: "ok" })
      .writeBelow(world.sessions);
  }
  return { ...world, path };
}

type World = ReturnType<typeof store>;

function browse(
  { agentDir, cwd, bin, dir }: World,
  { words = [], env = {}, columns = 120, rows = 30 }: Partial<TerminalOptions> & { words?: string[] } = {},
): Terminal {
  return new Terminal([process.execPath, MAIN, "--agent-dir", agentDir, "browse", ...words], {
    ...{ columns, rows, cwd },
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: dir, XDG_DATA_HOME: join(dir, "data"), ...env },
  });
}

/** A program on the path that says how it was called. */
function program({ bin }: World, name: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} in $(pwd): $*"\n`);
  chmodSync(join(bin, name), 0o755);
}

const chosen = (lines: readonly string[]) => lines.find((line) => line.startsWith("› ")) ?? "";

describe.skipIf(hasNoTmux())("sessiondb browse in a terminal", () => {
  test("shows the last sessions, then hits by session while one types, and gives the screen back", async () => {
    const terminal = browse(filled());
    await terminal.sees("4 sessions · enter resume · tab scope");
    terminal.type("bell");
    const lines = await terminal.sees(/5 hits · enter/);
    expect(lines.filter((line) => line.includes("bell")).length).toBeGreaterThanOrEqual(5);
    terminal.keys("Escape");
    expect(await terminal.ended()).toBe(0);
    const left = terminal.seen().filter(Boolean);
    expect(left).toEqual(["was here before", "ended with 0"]);
  });

  test("is what the manual shows", async () => {
    const [drawn = ""] = blocksOf(readPage("docs/browse.md").text, "text");
    const { dir, cwd } = store();
    const terminal = new Terminal([process.execPath, MAIN, "demo", "browse", "tide har"], {
      ...{ columns: 112, rows: 20, cwd },
      env: { HOME: dir },
    });
    await terminal.sees("5 hits · enter");
    await terminal.sees(" │ ▶ assistant");
    const lines = terminal.seen().map((line) => line.trimEnd());
    expect(drawn.split("\n").filter((line) => line !== "" && !lines.includes(line))).toEqual([]);
  });

  test("a preview begins at the hit, scrolls, and leaves the keys to the list again", async () => {
    const terminal = browse(filled(), { words: ["noon"] });
    await terminal.sees(/│ ▶ user .*:83/);
    terminal.keys("Right");
    await terminal.sees("1 hit · ↑ ↓ scroll · enter resume");
    terminal.keys("PageUp");
    await terminal.sees(/│ .*question 3\d/);
    terminal.keys("Left", "C-u");
    await terminal.sees("4 sessions");
  });

  test("takes every key that it names: scope, order, names, all keys", async () => {
    const terminal = browse(filled());
    await terminal.sees("4 sessions · enter");
    terminal.keys("Tab");
    await terminal.sees("1 session · enter");
    terminal.keys("Tab", "C-n");
    await terminal.sees("Words, ");
    terminal.keys("C-n", "C-s");
    await terminal.sees("newest  ◉ everywhere");
    terminal.type("bell");
    await terminal.sees("5 hits · ");
    terminal.keys("C-t", "C-t");
    await terminal.sees("assistant  newest");
    await terminal.sees("nothing found");
    terminal.keys("C-t", "C-t", "C-u");
    await terminal.sees("4 sessions");
    terminal.type("?");
    await terminal.sees("move the session to the trash, after a question");
    terminal.keys("F1");
    await terminal.sees("› ");
    terminal.keys("Down");
    await pollUntil(() => !terminal.seen()[2]?.startsWith("› "), { what: "the second row" });
  });

  test("is drawn anew in any size", async () => {
    const terminal = browse(filled(), { words: ["bell"] });
    await terminal.sees("5 hits · ");
    expect(terminal.seen().some((line) => line.includes(" │ "))).toBe(true);
    terminal.resize(60, 24);
    await terminal.sees(/^─{60}$/m);
    terminal.resize(40, 10);
    const low = await terminal.sees(/^Search every session {8}◉ everywhere$/m);
    expect(low.join("")).not.toMatch(/[─│]/);
    expect(low[9]).toBe("5 hits · enter resume · esc close");
    terminal.resize(130, 30);
    await terminal.sees(" │ ");
  });

  test("Enter resumes in pi at once, in the place of the panel", async () => {
    const world = filled();
    program(world, "pi");
    const terminal = browse(world, { words: ["noon"] });
    await terminal.sees("1 hit · ");
    terminal.keys("Enter");
    expect(await terminal.ended()).toBe(0);
    const said = terminal.seen().join("");
    expect(said).toContain(`pi in ${world.cwd}: --session ${world.path}`);
    expect(said).not.toContain("Search every session");
  });

  test("Ctrl-O opens the editor at the line and comes back; Ctrl-X writes the session and says where", async () => {
    const world = filled();
    writeFileSync(join(world.bin, "ed1t"), `#!/bin/sh\necho "$*" > "${world.dir}/opened"\n`);
    chmodSync(join(world.bin, "ed1t"), 0o755);
    const terminal = browse(world, { words: ["noon"], env: { VISUAL: "ed1t -x" } });
    await terminal.sees("1 hit · ");
    terminal.keys("C-o");
    await pollUntil(() => existsSync(join(world.dir, "opened")), { what: "the editor" });
    expect(readFileSync(join(world.dir, "opened"), "utf8")).toBe(`-x +83 ${world.path}\n`);
    await terminal.sees("1 hit · ");
    terminal.keys("C-x");
    await terminal.sees("> aaaaaaaa.html");
    terminal.keys("Enter");
    await terminal.sees("written to aaaaaaaa.html");
    expect(readFileSync(join(world.cwd, "aaaaaaaa.html"), "utf8")).toContain("the bell rings at noon");
  });

  test("nothing is written where an archived session was; Enter brings it back first", async () => {
    const world = filled();
    program(world, "pi");
    utimesSync(world.path, 1e9, 1e9);
    const archived = spawnSync(process.execPath, [
      MAIN,
      "--agent-dir",
      world.agentDir,
      "archive",
      "--yes",
      world.path,
    ]);
    expect([archived.status, existsSync(world.path)]).toEqual([0, false]);
    const terminal = browse(world);
    await terminal.sees("4 sessions · ");
    terminal.type("bell rings at noon");
    await terminal.sees("1 hit · ");
    for (const key of ["C-r", "C-l", "C-o"]) {
      terminal.keys(key);
      await terminal.sees("its file is archived, or gone: sessiondb restore");
      // The next key takes the word away.
      terminal.keys("Down");
      await terminal.sees("1 hit · ");
    }
    expect(existsSync(world.path)).toBe(false);
    terminal.keys("Enter");
    await terminal.sees("Restored from the archive");
    expect(existsSync(world.path)).toBe(true);
  });

  test("a name and a label are written as pi writes them; what goes to the trash is asked for", async () => {
    const world = filled();
    const terminal = browse(world, { words: ["noon"] });
    await terminal.sees("1 hit · ");
    terminal.keys("C-r");
    await terminal.sees("The name of the session:");
    terminal.keys("C-u");
    terminal.type("bells");
    terminal.keys("Enter");
    await terminal.sees('it is called "bells"');
    terminal.keys("C-l");
    await terminal.sees("A label for aaaaaaaa:83");
    terminal.type("todo");
    terminal.keys("Enter");
    await terminal.sees("labelled todo");
    expect(readFileSync(world.path, "utf8")).toMatch(
      /"type":"session_info".*"name":"bells"[\s\S]*"label":"todo"/,
    );
    terminal.keys("C-d");
    await terminal.sees('To the trash? "bells"');
    terminal.type("n");
    await terminal.sees("nothing was done");
    terminal.keys("C-d");
    await terminal.sees("To the trash?");
    terminal.type("y");
    await terminal.sees("is in the trash");
    expect(existsSync(world.path)).toBe(false);
    expect(readdirSync(join(world.dir, "data", "Trash", "files")).length).toBe(1);
    terminal.keys("C-u");
    await terminal.sees("3 sessions");
  });

  test("says in the place of rows what is wrong with a query, and goes on", async () => {
    const terminal = browse(filled(), { words: ["bell"] });
    await terminal.sees("5 hits");
    terminal.type(" since:never");
    await terminal.sees("since:never");
    await terminal.sees(/is not a|no such|cannot/i);
    terminal.keys("C-u");
    terminal.type("zanzi");
    await terminal.sees("1 hit");
  });

  test("an index that is deleted under it is made again by the next question", async () => {
    const world = filled();
    const terminal = browse(world);
    await terminal.sees("4 sessions · enter");
    rmSync(join(world.agentDir, "sessiondb"), { recursive: true });
    terminal.type("zanzi");
    await terminal.sees("1 hit");
  });

  test("where there is no session it says so", async () => {
    const terminal = browse(store());
    await terminal.sees("Words, ");
    terminal.type("bell");
    await terminal.sees("nothing found");
    terminal.keys("C-c");
    expect(await terminal.ended()).toBe(0);
  });

  test("a terminal without colour gets none, and all characters keep to their columns", async () => {
    const terminal = browse(filled(), { words: ["鐘"], env: { NO_COLOR: "1" }, columns: 40, rows: 20 });
    await terminal.sees("浅草寺の鐘");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
    expect(terminal.seen({ inColour: true }).join("")).not.toMatch(/\u001b\[(?:\d+;)*[34][0-7]/);
  });

  test("whoever ends it from outside gets the screen back", async () => {
    const terminal = browse(filled());
    await terminal.sees("4 sessions");
    const pid = execFileSync("pgrep", ["-P", String(terminal.shell)], { encoding: "utf8" }).trim();
    process.kill(Number(pid), "SIGTERM");
    expect(await terminal.ended()).toBe(143);
    expect(terminal.seen()[0]).toBe("was here before");
  });

  test("3,000 sessions: all can be reached, and each key has its hits", async () => {
    const world = store();
    for (let at = 0; at < 3000; at++) {
      session({ id: `cccccccc-0000-7000-8000-${String(at).padStart(12, "0")}`, cwd: `/srv/p${at % 50}` })
        .user(`number ${at} of the ${at % 2 ? "odd" : "even"} ones`)
        .writeBelow(world.sessions);
    }
    spawnSync(process.execPath, [MAIN, "--agent-dir", world.agentDir, "sync"]);
    const terminal = browse(world);
    await terminal.sees("3000 sessions");
    terminal.type("odd");
    await terminal.sees(/^20 of .*hits/m);
    // One goes on past those that were asked for at first.
    const first = chosen(terminal.seen());
    terminal.keys(...Array(24).fill("Down"));
    await terminal.sees(/^40 of .*hits/m);
    expect(chosen(terminal.seen())).not.toBe(first);
    terminal.type(" 2999");
    await terminal.sees("1 hit ");
  });
});

test("where there is no terminal it says so in one sentence", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "browse"], { encoding: "utf8" });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    "error: browse needs a terminal to draw on. Elsewhere, use sessiondb search or sessiondb list.\n",
  );
});

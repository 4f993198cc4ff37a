import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { isMissing, peersDir } from "../helpers/peers.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { piWorld, printWithPi, project, RpcPi } from "./run-pi.ts";

const COMMANDS = ["search", "sessions", "usage", "page"];
const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

/** The entries that a text cites: by their handles, below their file. */
function placesIn(text: string): { path: string; line: number }[] {
  let path = "";
  return text.split("\n").flatMap((said) => {
    path = /^\/[^:]*\.jsonl$/.exec(said)?.[0] ?? path;
    const [, line] = /^[^\s:]+:(\d+) \S.*?: /.exec(said) ?? [];
    return line === undefined ? [] : [{ path, line: Number(line) }];
  });
}

/** The extension without the program it comes with. */
function withoutProgram(dir: string): string {
  const folder = join(dir, "pi-sessiondb");
  for (const room of ["panels", "pi"])
    cpSync(join(project, "src", room), join(folder, "src", room), { recursive: true });
  cpSync(join(project, "package.json"), join(folder, "package.json"));
  return folder;
}

describe.skipIf(isMissing("piAgentModule", "piAiModule"))("in pi", () => {
  const world = piWorld(sharedTempDir());

  test("the model finds what was said in other sessions, and where it stands", async () => {
    const { stdout } = await printWithPi(world, "search for harbour");
    const places = placesIn(stdout);
    expect(places.length).toBeGreaterThan(2);
    for (const { path, line } of places) {
      expect(readFileSync(path, "utf8").split("\n")[line - 1]).toMatch(/harbour/i);
    }
  });

  test("what the model is told is little, has no secrets in it and nothing a terminal obeys", async () => {
    const folder = join(world.agentDir, "sessions", "--hostile--");
    mkdirSync(folder, { recursive: true });
    const hostile = session({ cwd: "/tmp/\u001b]0;owned\u0007" });
    for (let i = 0; i < 40; i++) {
      hostile.user(`wharfinger ${i} \u001b[2J\u202e token ${SECRET} ${"and more of it ".repeat(40)}`);
    }
    hostile.write(join(folder, "2026-11-01T00-00-00-000Z_hostile.jsonl"));
    const { stdout } = await printWithPi(world, "search for wharfinger");
    expect(stdout).toContain("8 of up to 40 matching entries");
    expect(stdout).not.toContain(SECRET);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout.length).toBeLessThan(8500);
  });

  test("without anybody to ask, commands answer on standard error", async () => {
    const { stdout, stderr } = await printWithPi(world, "/usage");
    expect(stderr).toMatch(/^ +Cost +Tokens +Requests$/m);
    // The model of these tests, whether it has been asked by now or not, has no price.
    expect(stderr).toMatch(/^Today +(?:\$0|not priced) /m);
    expect(stderr).toMatch(/^This project +(?:\$0|not priced) /m);
    expect(stdout).toBe("");
  });

  test("over RPC, /search and /sessions let a session be chosen and resume it", async () => {
    const dir = tempDir();
    const own = piWorld(dir);
    // pi resumes only where the session's directory is still there.
    const path = (name: string, text: string) =>
      session({ cwd: dir })
        .user(text)
        .assistant()
        .write(join(own.agentDir, "sessions", "--own--", name));
    const paths = [path("a.jsonl", "where is the lighthouse"), path("b.jsonl", "feed the pelicans")];
    await using pi = new RpcPi(own);
    const chooseWith = async (message: string) => {
      pi.send({ type: "prompt", message });
      const { id, options } = await pi.next({ type: "extension_ui_request", method: "select" });
      const [first = ""] = options as string[];
      pi.send({ type: "extension_ui_response", id, value: first });
      return first;
    };
    const resumes = (file: string | undefined) =>
      pollUntil(async () => (await pi.ask("get_state")).sessionFile === file, { what: String(file) });
    expect(await chooseWith("/search lighthouse")).toBe(
      "1. where is the lighthouse: where is the lighthouse",
    );
    await resumes(paths[0]);
    expect(await chooseWith("/sessions pelican")).toMatch(/^1\. feed the pelicans · /);
    await resumes(paths[1]);
  });

  test("a session that is one JSON array, which pi would empty, is not resumed", async () => {
    const dir = tempDir();
    const own = piWorld(dir);
    const built = session({ cwd: dir }).user("count the puffins").assistant();
    const path = built.write(join(own.agentDir, "sessions", "--own--", "array.json"));
    const before = readFileSync(path);
    await using pi = new RpcPi(own);
    pi.send({ type: "prompt", message: "/sessions puffins" });
    const { id, options } = await pi.next({ type: "extension_ui_request", method: "select" });
    pi.send({ type: "extension_ui_response", id, value: (options as string[])[0] });
    const { message } = await pi.next({ type: "extension_ui_request", method: "notify" });
    expect(message).toContain("pi cannot open a session that is one JSON array");
    expect((await pi.ask("get_state")).sessionFile).not.toBe(path);
    expect(readFileSync(path)).toEqual(before);
  });

  test("its skill is known, and its commands have names that no pi has taken", async () => {
    await using pi = new RpcPi(world);
    const { commands } = await pi.ask("get_commands");
    const names = (commands as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...COMMANDS, "skill:sessiondb"]));
    for (const scope of ["@mariozechner", "@earendil-works"]) {
      const file = join(peersDir, "node_modules", scope, "pi-coding-agent/dist/core/slash-commands.js");
      const { BUILTIN_SLASH_COMMANDS } = (await import(pathToFileURL(file).href)) as {
        BUILTIN_SLASH_COMMANDS: { name: string }[];
      };
      const taken = BUILTIN_SLASH_COMMANDS.map(({ name }) => name);
      expect(taken).toContain("resume");
      expect(COMMANDS.filter((name) => taken.includes(name))).toEqual([]);
    }
  });

  test("without the command line one line says how to build it", async () => {
    const dir = tempDir();
    const extension = withoutProgram(dir);
    const bare = { ...piWorld(dir, { extension }), path: dir };
    const { stderr } = await printWithPi(bare, "/usage");
    const remedy = `cd "${join(extension, "/")}" && npm install --include=dev && npm run build`;
    expect(stderr.trim()).toBe(`sessiondb is not built; fix it with: ${remedy}`);
    const { stdout } = await printWithPi(bare, "search for harbour");
    expect(stdout).toContain(remedy);
  });

  test.skipIf(process.platform === "win32")(
    "nothing is started in a pi without a screen until it is asked for",
    async () => {
      const dir = tempDir();
      const log = join(dir, "started");
      const program = join(dir, "sessiondb");
      const real = join(project, "dist", "src", "cli", "main.js");
      writeFileSync(program, `#!/bin/sh\necho "$@" >> "${log}"\nexec "${process.execPath}" "${real}" "$@"\n`);
      chmodSync(program, 0o755);
      const path = [dir, dirname(process.execPath), process.env.PATH].join(delimiter);
      const quiet = piWorld(dir, { extension: withoutProgram(dir), path });
      await printWithPi(quiet, "hello");
      expect(existsSync(log)).toBe(false);
      await printWithPi(quiet, "search for harbour");
      expect(readFileSync(log, "utf8")).toMatch(/^--json search .* -- harbour\n$/);
    },
  );
});

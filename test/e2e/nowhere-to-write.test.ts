import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

const project = join(import.meta.dirname, "..", "..");
const PROGRAM = join(project, "dist", "src", "cli", "main.js");
const SAMPLES = join(project, "test", "samples", "agent", "sessions");
/** A user nobody has ever heard of: no name, no home. Only root can become it. */
const STRANGER = 54_242;

function run(argv: string[], env: NodeJS.ProcessEnv) {
  const { PATH } = process.env;
  const user = { uid: STRANGER, gid: STRANGER };
  return spawnSync(process.execPath, [PROGRAM, ...argv], {
    ...user,
    cwd: "/",
    env: { PATH, ...env },
    encoding: "utf8",
  });
}

function readableAgent(): string {
  const agentDir = tempDir();
  cpSync(SAMPLES, join(agentDir, "sessions"), { recursive: true });
  chmodSync(agentDir, 0o777);
  return agentDir;
}

const isPossible = process.geteuid?.() === 0 && run(["--version"], { HOME: "/" }).status === 0;

describe.skipIf(!isPossible)("a user without a home", () => {
  test("is answered from pi's directory, where it is named", () => {
    const { status, stdout } = run(["list", "--limit", "1"], { PI_CODING_AGENT_DIR: readableAgent() });
    expect([status, stdout]).toEqual([0, expect.stringContaining("In SQLite, how do I get")]);
  });

  test("is told in one line where an index can be kept, and keeps it there", () => {
    const agentDir = readableAgent();
    chmodSync(agentDir, 0o555);
    const { status, stderr } = run(["list"], { PI_CODING_AGENT_DIR: agentDir });
    expect([status, stderr.trim().split("\n")]).toEqual([
      1,
      [expect.stringMatching(/cannot be opened.*--db FILE/)],
    ]);
    const place = tempDir();
    chmodSync(place, 0o777);
    const found = run(["list", "--db", join(place, "i.db")], { PI_CODING_AGENT_DIR: agentDir });
    expect(found.status).toBe(0);
  });

  test("hears from doctor that no index can be made", () => {
    const agentDir = readableAgent();
    chmodSync(agentDir, 0o555);
    const folder = join(agentDir, "sessiondb");
    expect(errorsOf({ PI_CODING_AGENT_DIR: agentDir })).toEqual([
      { what: expect.stringContaining("it cannot be created"), where: folder },
    ]);
    expect(errorsOf({ PI_CODING_AGENT_DIR: agentDir }, "--db", join(folder, "deeper", "i.db"))).toEqual([
      { what: expect.stringContaining("it cannot be created"), where: join(folder, "deeper") },
    ]);
    expect(errorsOf({ PI_CODING_AGENT_DIR: readableAgent() })).toEqual([]);
  });

  test("is shown what would start the daemon at login", () => {
    const agentDir = readableAgent();
    const env = { PI_CODING_AGENT_DIR: agentDir, HOME: agentDir };
    const { status, stdout, stderr } = run(["daemon", "install", "--print"], env);
    expect([status, stdout], stderr).toEqual([0, expect.stringContaining("daemon")]);
  });

  test("hears that there are no sessions where there is nothing at all", () => {
    const { status, stdout, stderr } = run([], {});
    expect([status, stdout]).toEqual([0, expect.stringContaining("No pi sessions yet")]);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test("gets one line and no stack where there are sessions, and no place for the index", () => {
    const { status, stderr } = run(["list", "--sessions-dir", join(readableAgent(), "sessions")], {});
    expect([status, stderr]).toEqual([1, expect.stringContaining("error: the index cannot be opened")]);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

interface Finding {
  level: string;
  what: string;
  where: string;
}

/** What doctor calls an error. Nothing else decides its exit code. */
function errorsOf(env: NodeJS.ProcessEnv, ...argv: string[]) {
  const { status, stdout } = run(["doctor", "--json", ...argv], env);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const errors = findings.filter(({ level }) => level === "error");
  expect(status).toBe(errors.length > 0 ? 1 : 0);
  return errors.map(({ what, where }) => ({ what, where }));
}

describe.skipIf(!isPossible)("a user whose index", () => {
  /** Their agent directory with an index in it, and where that lies. */
  function indexed() {
    const agentDir = readableAgent();
    expect(run(["sync"], { PI_CODING_AGENT_DIR: agentDir }).status).toBe(0);
    const folder = join(agentDir, "sessiondb");
    return { env: { PI_CODING_AGENT_DIR: agentDir }, folder, file: join(folder, "index-v1.db") };
  }

  test("lies in a folder that root has made is told so by every command", () => {
    const { env, folder } = indexed();
    chownSync(folder, 0, 0);
    expect(errorsOf(env)[0]).toEqual({ what: "the index belongs to another user", where: folder });
    const said = [
      ["sync", "--rebuild"],
      ["daemon", "stop"],
      ["daemon", "logs"],
    ].map((argv) => run(argv, env).stderr);
    const sentence = expect.stringMatching(
      /^error: the (index|log) cannot be (opened|read) \(EACCES\): .*\. \w.*\.\n$/,
    );
    expect(said).toEqual([sentence, sentence, sentence]);
  });

  test.each(["start", "restart", "run"])(
    "lies in a folder that may not be written to any more hears it from daemon %s",
    (action) => {
      const { env, folder } = indexed();
      // What a daemon leaves: where it is there, nothing has to be made to become one.
      writeFileSync(join(folder, "daemon-lock.db"), "");
      chownSync(join(folder, "daemon-lock.db"), STRANGER, STRANGER);
      chmodSync(folder, 0o500);
      const { status, stderr } = run(["daemon", action], env);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^error: the index cannot be opened \(EACCES\): .*--db FILE/),
      ]);
    },
  );

  test("was written by root hears it from doctor", () => {
    const { env, file } = indexed();
    chownSync(file, 0, 0);
    expect(errorsOf(env)[0]).toEqual({ what: "the index belongs to another user", where: file });
  });

  test.each(["index-v1.db", "search-v1.db", "index-v1.db-shm"])(
    "may not be written to, because of %s, hears it from doctor",
    (name) => {
      const { env, folder } = indexed();
      const path = join(folder, name);
      writeFileSync(path, "", { flag: "a" });
      chownSync(path, STRANGER, STRANGER);
      chmodSync(path, 0o400);
      expect(errorsOf(env)).toEqual([
        { what: "you have no permission to read and write the index (EACCES)", where: path },
      ]);
    },
  );

  test.each(["index-v1.db", "search-v1.db"])(
    "may not be written to, because of %s, keeps the session file that is to be deleted",
    (name) => {
      const { env, folder } = indexed();
      chmodSync(join(folder, name), 0o400);
      const { stdout } = run(["list", "--limit", "1", "--json"], env);
      const [{ path }] = JSON.parse(stdout).sessions;
      const { status, stderr } = run(["delete", path, "--yes"], { ...env, HOME: env.PI_CODING_AGENT_DIR });
      expect([status, existsSync(path)]).toEqual([1, true]);
      expect(stderr).toMatch(/^error: the index cannot be opened \(SQLITE_READONLY\): /);
    },
  );

  test("lies in a folder that may not be written to hears it from doctor", () => {
    const { env, folder } = indexed();
    chmodSync(folder, 0o500);
    expect(errorsOf(env)[0]).toEqual({
      what: "you have no permission to read and write the index (EACCES)",
      where: folder,
    });
  });

  test("lacks a folder of sessions that may not be read hears it from doctor, and with each answer", () => {
    const { env } = indexed();
    const root = join(env.PI_CODING_AGENT_DIR, "sessions");
    const [first = ""] = readdirSync(root);
    chmodSync(join(root, first), 0);
    expect(errorsOf(env)).toEqual([{ what: "the folder cannot be read (EACCES)", where: join(root, first) }]);
    const { status, stderr } = run(["list", "--json"], env);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^note: 1 path cannot be read, .*\n$/)]);
    chmodSync(join(root, first), 0o755);
    chmodSync(root, 0);
    expect(errorsOf(env)).toEqual([{ what: "the sessions folder cannot be reached (EACCES)", where: root }]);
    expect(run(["list", "--json"], env).stderr).toBe(`note: the folder cannot be read (EACCES): ${root}\n`);
  });

  test("lacks a session file that may not be read hears it with each answer, and why it cannot be shown", () => {
    const env = { PI_CODING_AGENT_DIR: readableAgent() };
    const root = join(env.PI_CODING_AGENT_DIR, "sessions");
    const [path = ""] = readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(root, name));
    const note =
      "note: 1 path cannot be read, and the answer lacks what is new there; sessiondb sync shows more.\n";
    chmodSync(path, 0);
    expect(run(["list", "--json"], env).stderr).toBe(note);
    chmodSync(path, 0o644);
    expect(run(["list", "--json"], env).stderr).toBe("");
    chmodSync(path, 0);
    const error = `error: the session file cannot be read (EACCES): ${path}. Give yourself read permission for it and the folders it is in`;
    for (const command of ["show", "export"]) {
      const { status, stdout, stderr } = run([command, path], env);
      expect([status, stdout, stderr]).toEqual([1, "", expect.stringContaining(note + error)]);
    }
  });
});

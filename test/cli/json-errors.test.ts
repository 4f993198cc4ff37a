/** The errors of `--json` that docs/json.md lists, each as somebody may come to see it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ErrorCode } from "../../src/errors.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { readPage } from "../helpers/manual.ts";
import { MAIN, syncByProgram } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, type Outcome, type PretendOptions, runCli, sampleAgent } from "./pretend-world.ts";

const { text: page } = readPage("docs/json.md");
const [, sentence = ""] = /^- An error: ([\s\S]*?)\n- /m.exec(page) ?? [];

/** Codes with their exit codes: `a` (2), `b` (3; after a signal 4), or, with 1, `c`, `d` or `e`. */
function listedCodes(): Record<string, number> {
  const [own = "", failed = ""] = sentence.split("`code` is ")[1]?.split(/or, with 1,\s/) ?? [];
  const others = [...own.matchAll(/`(\w+)` \((?:exit code )?(\d+)/g)].map(([, code, exit]) => [
    code,
    Number(exit),
  ]);
  const [names = ""] = failed.split("(");
  return Object.fromEntries([...others, ...[...names.matchAll(/`(\w+)`/g)].map(([, code]) => [code, 1])]);
}

const samples = { agentDir: sampleAgent(sharedTempDir()) };
const jsonOf = (argv: string[], options: Partial<PretendOptions> = {}): Promise<Outcome> =>
  runCli([...argv, "--json"], { ...samples, ...options });

/** A list of an index that was no index of ours before, or not any more. */
function listOf(prepare: (indexPath: string) => void): Promise<Outcome> {
  const indexPath = join(tempDir(), "index.db");
  prepare(indexPath);
  return jsonOf(["list", "--db", indexPath]);
}

function alter(indexPath: string, sql: string): void {
  const database = new (loadSqlite())(indexPath);
  database.exec(sql);
  database.close();
}

/** The installed program, after some code has run in its process. */
function program(before: string): Outcome {
  const preload = `data:text/javascript,${encodeURIComponent(before)}`;
  const argv = ["--import", preload, MAIN, "list", "--json", "--agent-dir", samples.agentDir];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  return { code: status ?? Number.NaN, stdout, stderr };
}

/** An agent with a session that is in its index. */
async function agentWithIndex(): Promise<string> {
  const agentDir = emptyAgent(tempDir());
  session({ id: "old" }).user("x").writeBelow(join(agentDir, "sessions"));
  await runCli(["list"], { agentDir });
  return agentDir;
}

/** An agent with a new session, whose index another process does not let anybody write to. */
async function heldAgent(): Promise<string> {
  const agentDir = await agentWithIndex();
  // Of an index that has nothing yet there is no answer.
  rmSync(join(agentDir, "sessions"), { recursive: true });
  mkdirSync(join(agentDir, "sessions"));
  syncByProgram(agentDir, "--rebuild");
  const holder = new (loadSqlite())(join(agentDir, "sessiondb", "index-v1.db"));
  holder.exec("BEGIN IMMEDIATE");
  onTestFinished(() => void holder.close());
  session({ id: "new" }).user("x").writeBelow(join(agentDir, "sessions"));
  return agentDir;
}

/** Every code there is, and how somebody comes to see it. */
const PROVOKED: Record<ErrorCode | "interrupted" | "bug", () => Promise<Outcome> | Outcome> = {
  usage: () => jsonOf(["list", "--sinse", "7d"]),
  not_found: () => jsonOf(["show", "nobody"]),
  ambiguous: () => jsonOf(["show", "01a"]),
  busy: async () => {
    let now = 0;
    return jsonOf(["list"], { agentDir: await heldAgent(), steady: () => (now += 1000) });
  },
  interrupted: () => {
    const agentDir = sampleAgent(tempDir());
    return jsonOf(["list"], { agentDir, interrupted: true });
  },
  index_newer: async () => {
    const agentDir = await agentWithIndex();
    alter(join(agentDir, "sessiondb", "index-v1.db"), "PRAGMA user_version = 99");
    return jsonOf(["list"], { agentDir });
  },
  index_foreign: () => listOf((path) => alter(path, "PRAGMA application_id = 7; CREATE TABLE t (x)")),
  index_corrupt: async () => {
    const agentDir = await agentWithIndex();
    const path = join(agentDir, "sessiondb", "index-v1.db");
    // Twice within an hour.
    writeFileSync(path, "This is no database at all.\n".repeat(400));
    await runCli(["list"], { agentDir });
    writeFileSync(path, "This is no database at all.\n".repeat(400));
    return jsonOf(["verify"], { agentDir });
  },
  native_missing: () =>
    program(`import Module from "node:module";
      const load = Module._load;
      Module._load = (name, ...others) => {
        if (name.startsWith("better-sqlite3")) throw Object.assign(new Error(name), { code: "MODULE_NOT_FOUND" });
        return load(name, ...others);
      };`),
  node_too_old: () => program('Object.defineProperty(process.versions, "node", { value: "18.20.4" });'),
  not_a_session: () => {
    const agentDir = emptyAgent(tempDir());
    session({ id: "array" })
      .user("hi")
      .write(join(agentDir, "sessions", "array.json"));
    return jsonOf(["resume", "array"], { agentDir });
  },
  refused: () => jsonOf(["sql", "DELETE FROM sessions"]),
  sql: () => jsonOf(["sql", "SELECT nonsense"]),
  timeout: () => {
    const endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    return jsonOf(["sql", "--timeout", "0.2", endless]);
  },
  io: () => jsonOf(["list", "--db", join(MAIN, "index.db")]),
  bug: () =>
    jsonOf(["list"], {
      meetsBug: true,
      now: () => {
        throw new TypeError("no clock");
      },
    }),
};

describe("an error as a document", () => {
  test("has one of the codes that the manual lists, and it lists no other", () => {
    expect(Object.keys(listedCodes()).sort()).toEqual(Object.keys(PROVOKED).sort());
  });

  test.each(Object.entries(PROVOKED))(
    "%s is the last line of stderr, and the exit code is as listed",
    async (name, provoke) => {
      const { code, stdout, stderr } = await provoke();
      const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
      const choices = name === "ambiguous" ? ["choices"] : [];
      expect(Object.keys(error)).toEqual(["code", "message", "hint", ...choices]);
      expect([error.code, code, stdout]).toEqual([name, listedCodes()[name], ""]);
      expect(error.message).toEqual(expect.stringMatching(/./));
      if (error.hint !== null) expect(error.hint).toEqual(expect.stringMatching(/./));
    },
  );
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { endOf } from "../../../src/cli/terminal/signals.ts";
import { loadSqlite } from "../../../src/store/native.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { endWithTest } from "../../helpers/processes.ts";
import { MAIN } from "../../helpers/program.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { sampleAgent } from "../pretend-world.ts";

const SIGNALS_MODULE = new URL("../../../build/src/cli/terminal/signals.js", import.meta.url).href;

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

function start(agentDir: string, argv: string[], env: NodeJS.ProcessEnv = {}) {
  const world = { ...process.env, PI_CODING_AGENT_DIR: agentDir, FORCE_COLOR: "", ...env };
  const child = spawn(process.execPath, [MAIN, ...argv], { env: world, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += chunk;
  });
  const ended = once(endWithTest(child), "close").then(([code]) => ({ code, stderr: said.stderr }));
  return { child, said, ended };
}

describe.skipIf(process.platform === "win32")("while a file is exported", () => {
  const agentDir = sharedTempDir();

  beforeAll(async () => {
    const builder = session({ id: "long" });
    const words = "as many words as make an answer long ".repeat(300);
    for (let turn = 0; turn < 2000; turn++) builder.user(`question ${turn}`).assistant({ text: words });
    builder.writeBelow(join(agentDir, "sessions"));
    const sync = spawn(process.execPath, [MAIN, "sync"], {
      env: { ...process.env, PI_CODING_AGENT_DIR: agentDir },
      stdio: "ignore",
    });
    await once(sync, "close");
  });

  test.each(SIGNALS)("%s leaves nothing of it, and what stood there before", async (signal, expected) => {
    const folder = tempDir();
    const path = join(folder, "copy.jsonl");
    const interrupt = async () => {
      writeFileSync(path, "before");
      const { child, ended } = start(agentDir, ["export", "long", "--no-sync", "-o", path]);
      await pollUntil(() => readdirSync(folder).length > 1 || child.exitCode !== null, { every: 1 });
      child.kill(signal);
      return ended;
    };
    // One that was done before this process had its turn has not been interrupted.
    const outcome = await pollUntil(
      async () => {
        const ended = await interrupt();
        return ended.code !== 0 && ended;
      },
      { what: "an interrupted export" },
    );
    expect(outcome).toEqual({ code: expected, stderr: "error: interrupted; nothing was written.\n" });
    expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["copy.jsonl"], "before"]);
  });
});

describe.skipIf(process.platform === "win32")("while sync takes out the words of sessions that went", () => {
  test.each(SIGNALS)("%s ends it, and it says that words may be left", async (signal, expected) => {
    const agentDir = tempDir();
    const [path = ""] = ["zanzibar", "quixotic"].map((id) =>
      session({ id }).user(`about ${id}`).writeBelow(join(agentDir, "sessions")),
    );
    await start(agentDir, ["sync"]).ended;
    const Sqlite = loadSqlite();
    const at = (name: string) => join(agentDir, "sessiondb", name);
    const [search, reader] = [at("search-v1.db"), at("index-v1.db")].map((file) => new Sqlite(file));
    const removed = search?.prepare("SELECT value FROM meta WHERE name = 'removed_seq'").pluck();
    const before = removed?.get();
    // The log of what is being read cannot be emptied, so this is tried for long.
    reader?.exec("BEGIN; SELECT count(*) FROM sessions");
    rmSync(path);
    const { child, ended } = start(agentDir, ["sync"]);
    const isLogEmptied = () => statSync(at("search-v1.db-wal")).size === 0;
    await pollUntil(() => removed?.get() !== before && isLogEmptied(), { what: "the log of the full text" });
    child.kill(signal);
    expect(await ended).toEqual({
      code: expected,
      stderr: expect.stringMatching(
        /^error: interrupted; everything is indexed; words of removed sessions may stay/,
      ),
    });
    for (const database of [search, reader]) database?.close();
  });
});

describe.skipIf(process.platform === "win32")("work that does not hear that it should end", () => {
  function deaf() {
    const work = `const { Interrupts } = await import(${JSON.stringify(SIGNALS_MODULE)});
      setInterval(() => {}, 1000);
      await new Interrupts().around((signal) => {
        console.log("begun");
        signal.addEventListener("abort", () => console.log("told"));
        return new Promise(() => {});
      });`;
    const argv = ["--input-type=module", "-e", work];
    const child = endWithTest(spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] }));
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    const hears = (word: string) => pollUntil(() => said.includes(word), { what: word });
    return { child, hears, ended: once(child, "exit") };
  }

  test("is ended at once by a second Ctrl-C, not by another signal that comes twice", async () => {
    const { child, hears, ended } = deaf();
    await hears("begun");
    child.kill("SIGTERM");
    await hears("told");
    child.kill("SIGTERM");
    child.kill("SIGHUP");
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
  });
});

describe.skipIf(process.platform === "win32")("SIGINT", () => {
  test("is heard before a program begins, which may be quicker than what follows", async () => {
    const before = process.listenerCount("SIGINT");
    const begin = () => {
      expect(process.listenerCount("SIGINT")).toBe(before + 1);
      return spawn(process.execPath, ["--eval", "process.exit(5)"]);
    };
    expect(await endOf(begin)).toEqual({ code: 5, told: undefined });
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  test("is left to pi, which hears it too from the terminal", async () => {
    const agentDir = sampleAgent(tempDir());
    const [ready, go] = [join(agentDir, "ready"), join(agentDir, "go")];
    const pi = join(agentDir, "bin", "pi");
    mkdirSync(dirname(pi));
    const lines = `trap 'exit 9' INT\ntouch ${ready}\nuntil [ -e ${go} ]; do sleep 0.05; done\nexit 5\n`;
    writeFileSync(pi, `#!/bin/bash\n${lines}`);
    chmodSync(pi, 0o755);
    const { child, ended } = start(agentDir, ["resume", "latest", "--exec"], {
      PATH: `${dirname(pi)}:${process.env.PATH}`,
    });
    await pollUntil(() => existsSync(ready), { what: "pi" });
    child.kill("SIGINT");
    writeFileSync(go, "");
    expect((await ended).code).toBe(5);
  });
});

describe.skipIf(process.platform === "win32")("SIGTERM", () => {
  test("reaches pi, which may end in its own way, and its exit code is ours", async () => {
    const agentDir = sampleAgent(tempDir());
    const ready = join(agentDir, "ready");
    const pi = join(agentDir, "bin", "pi");
    mkdirSync(dirname(pi));
    writeFileSync(pi, `#!/bin/bash\ntrap 'exit 7' TERM\ntouch ${ready}\nwhile :; do sleep 0.05; done\n`);
    chmodSync(pi, 0o755);
    const { child, ended } = start(agentDir, ["resume", "latest", "--exec"], {
      PATH: `${dirname(pi)}:${process.env.PATH}`,
    });
    await pollUntil(() => existsSync(ready), { what: "pi" });
    child.kill("SIGTERM");
    expect((await ended).code).toBe(7);
  });

  test("ends one that follows a log as a shell expects", async () => {
    const agentDir = sampleAgent(tempDir());
    const log = join(agentDir, "sessiondb", "daemon.log");
    mkdirSync(dirname(log), { recursive: true });
    writeFileSync(log, "first\n");
    const { child, said, ended } = start(agentDir, ["daemon", "logs", "--follow"]);
    await pollUntil(() => said.stdout.includes("first"), { what: "the log" });
    appendFileSync(log, "second\n");
    await pollUntil(() => said.stdout.includes("second"), { what: "what was added to it" });
    // Begun anew in its place.
    writeFileSync(log, "third\n");
    await pollUntil(() => said.stdout.includes("third"), { what: "what it begins with" });
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
  });
});

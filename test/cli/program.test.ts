import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { QUESTION_PATIENCE_MS } from "../../src/api/steps.ts";
import { shellWord } from "../../src/cli/output/shell.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { makeCorpus } from "../bench/corpus.mjs";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest, finished, type Outcome } from "../helpers/processes.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { sampleAgent } from "./pretend-world.ts";

async function sessiondb(agentDir: string, ...argv: string[]): Promise<Outcome> {
  return finished(start(agentDir, ...argv));
}

function start(agentDir: string, ...argv: string[]) {
  // Whoever runs the tests may have asked for colour; these outcomes are compared without.
  const env = { ...process.env, PI_CODING_AGENT_DIR: agentDir, FORCE_COLOR: "" };
  return endWithTest(spawn(process.execPath, [MAIN, ...argv], { env, stdio: ["ignore", "pipe", "pipe"] }));
}

async function shell(agentDir: string, script: string): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, PI_CODING_AGENT_DIR: agentDir, NODE: process.execPath, MAIN };
  return promisify(execFile)("bash", ["-c", `sessiondb() { "$NODE" "$MAIN" "$@"; }\n${script}`], { env });
}

/** The bundles that come with some, which are named from `dist/src`. */
function loadedWith(...names: string[]): Set<string> {
  const found = new Set(names.map((name) => join(MAIN, "../..", name)));
  for (const file of found) {
    const imports = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?:.*? from )?"(\.[^"]+)";$/gm);
    for (const [, name = ""] of imports) found.add(join(dirname(file), name));
  }
  return found;
}

/** Tells of every bundle that is loaded, also late. */
const TELL_OF_BUNDLES = `import { register } from "node:module";
  const load = \`import { writeSync } from "node:fs"; export function load(url, context, next) {
    if (url.includes("/dist/")) writeSync(2, "loads " + url + "\\\\n"); return next(url, context); }\`;
  register("data:text/javascript," + encodeURIComponent(load));`;

test("what a question loads stands together in few files, and each thing once", async () => {
  const agentDir = sampleAgent(tempDir());
  await sessiondb(agentDir, "sync");
  const telling = `data:text/javascript,${encodeURIComponent(TELL_OF_BUNDLES)}`;
  const env = { ...process.env, PI_CODING_AGENT_DIR: agentDir };
  const words = ["--import", telling, MAIN, "usage", "--no-sync"];
  const { stderr } = await promisify(execFile)(process.execPath, words, { env });
  const question = [...stderr.matchAll(/^loads (.+)$/gm)].map(([, url = ""]) => fileURLToPath(url));
  expect(question.length).toBeGreaterThan(2);
  expect(question.length).toBeLessThanOrEqual(MOST_BUNDLES);
  const library = [...loadedWith("index.js")].map((file) => readFileSync(file, "utf8"));
  expect(library.filter((text) => text.includes("#region src/cli/"))).toEqual([]);
  const program = [...new Set(question)].map((file) => readFileSync(file, "utf8"));
  const defining = [...library, ...program].filter((text) =>
    /SessionDbError(?: = class)? extends Error/.test(text),
  );
  expect(new Set(defining).size).toBe(1);
});

/** As many as there are, those that come late included; one is the parser of yargs, which an old Node must not load. */
const MOST_BUNDLES = 23;

describe("B12: a FIFO where a file of settings should be is not waited for", () => {
  function withFifo(name: string): { agentDir: string; fifo: string } {
    const agentDir = sampleAgent(tempDir());
    const fifo = join(agentDir, name);
    execFileSync("mkfifo", [fifo]);
    return { agentDir, fifo };
  }

  test("ours is an error: what it excludes must not be indexed", async () => {
    const { agentDir, fifo } = withFifo("mine.json");
    const { code, stderr } = await sessiondb(agentDir, "list", "--config", fifo);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${fifo} is not a file but a FIFO`)]);
  });

  test("what a shell puts in the place of a file is read", async () => {
    const usage = `sessiondb usage --json --config <(sleep 0.2; echo '{"timezone":"Asia/Tokyo"}')`;
    const { stdout } = await shell(sampleAgent(tempDir()), usage);
    expect(JSON.parse(stdout)).toMatchObject({ timezone: "Asia/Tokyo" });
  });

  test("pi's is a note", async () => {
    const { agentDir, fifo } = withFifo("settings.json");
    const { code, stderr } = await sessiondb(agentDir, "list");
    expect([code, stderr]).toEqual([0, expect.stringContaining(`note: ${fifo} is not a file but a FIFO`)]);
  });
});

describe("sync", () => {
  test("reads everything once, and makes it searchable", async () => {
    const agentDir = sampleAgent(tempDir());
    const first = await sessiondb(agentDir, "sync", "--json");
    expect(JSON.parse(first.stdout)).toMatchObject({
      schemaVersion: 1,
      files: { seen: 13, unchanged: 0, indexed: 13, removed: 0, notSessions: 0, failed: 0 },
      entries: { added: 314, malformed: 0 },
    });
    expect(first.stderr).toMatch(/^13 files read \(\d+ KB, 314 new entries\)/);
    const status = await sessiondb(agentDir, "--no-sync", "--json");
    expect(JSON.parse(status.stdout)).toMatchObject({ sessions: 13, index: { behind: 0 } });
    const again = await sessiondb(agentDir, "sync");
    expect([again.code, again.stdout, again.stderr]).toEqual([
      0,
      "",
      expect.stringMatching(/^Up to date: 13 files/),
    ]);
  });

  test("D18: waits for a step of another process that takes longer than a question would wait", async () => {
    const agentDir = sampleAgent(tempDir());
    const location = indexIn(join(agentDir, "sessiondb"));
    withIndex(dirname(location.indexPath), ({ search }) => search.prepare("SELECT 1").get());
    const other = new (loadSqlite())(location.indexPath);
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    const child = start(agentDir, "sync", "--json");
    const outcome = finished(child);
    await pause(2 * QUESTION_PATIENCE_MS + 1000);
    other.exec("ROLLBACK");
    const { code, stdout } = await outcome;
    expect([code, JSON.parse(stdout).files]).toEqual([0, expect.objectContaining({ seen: 13, indexed: 13 })]);
  });

  test("comes to the same when it begins anew", async () => {
    const agentDir = sampleAgent(tempDir());
    const usage = async () => JSON.parse((await sessiondb(agentDir, "usage", "--all", "--json")).stdout);
    const before = await usage();
    expect((await sessiondb(agentDir, "sync", "--rebuild")).stderr).toMatch(/^13 files read/);
    expect(await usage()).toEqual(before);
  });

  test("names the files it could not take in whole", async () => {
    const agentDir = sampleAgent(tempDir());
    const path = join(agentDir, "sessions", "torn.jsonl");
    session().user("whole").raw("{ not json").user("after").write(path);
    const { code, stderr } = await sessiondb(agentDir, "sync");
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${path} (1 line)`)]);
  });

  test("names ten files of a kind, and says how many more there are", async () => {
    const agentDir = join(tempDir(), "agent");
    const root = join(agentDir, "sessions");
    for (let n = 10; n < 22; n++)
      session()
        .raw("no")
        .raw("no")
        .user("after")
        .write(join(root, `${n}.jsonl`));
    writeFileSync(join(root, "empty.jsonl"), "");
    const { stderr } = await sessiondb(agentDir, "sync");
    const lines = stderr.split("\n").slice(1);
    // Which ten is for the order in which the files are read to say.
    expect(lines.filter((line) => /^ {2}\/.*\/\d\d\.jsonl \(2 lines\)$/.test(line))).toHaveLength(10);
    expect(lines.filter((line) => !line.endsWith("(2 lines)"))).toEqual([
      "12 files have lines that are not JSON objects; the rest of them is indexed:",
      "  and 2 more",
      "1 file without a session header; nothing to index:",
      `  ${root}/empty.jsonl`,
      "",
    ]);
  });
});

describe("a reader that goes away", () => {
  const agentDir = sampleAgent(sharedTempDir());

  test.each([
    "sessiondb list",
    "sessiondb search harvest --json",
    "sessiondb sql --csv 'SELECT * FROM entries'",
    // More than a pipe holds.
    "sessiondb sql --csv 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n LIMIT 300000'",
  ])("%s | head ends quietly with 0", async (command) => {
    const { stdout, stderr } = await shell(
      agentDir,
      `${command} 2>err | head -n 1; echo "\${PIPESTATUS[0]}"; cat err`.replaceAll(
        "err",
        shellWord(join(agentDir, "err")),
      ),
    );
    expect(stdout.split("\n")[1]).toBe("0");
    expect(stdout + stderr).not.toMatch(/EPIPE|at .*\.js/);
  });
});

test.skipIf(!existsSync("/dev/full"))("output that cannot be written is an error", async () => {
  const { stdout } = await shell(sampleAgent(tempDir()), 'sessiondb list 2>&1 >/dev/full; echo "code $?"');
  expect(stdout).toMatch(/^error: the output cannot be written: ENOSPC.*\.\ncode 1\n$/);
});

test.skipIf(!existsSync("/dev/full")).each([
  ["bogus", 2],
  ["show nobody", 1],
  ["sync", 0],
])("what cannot be said on stderr changes no exit code: %s, %i", async (words, code) => {
  const agentDir = sampleAgent(tempDir());
  const full = await shell(agentDir, `sessiondb ${words} 2>/dev/full; echo "code $?"`);
  expect(full.stdout).toBe(`code ${code}\n`);
  const closed = await shell(agentDir, `({ sessiondb ${words} 2>&1 >&3; echo "code $?" >&3; } | true) 3>&1`);
  expect(closed.stdout).toBe(`code ${code}\n`);
});

/** Where the program has been loaded, and has too few for its work: from Node 22 on Node itself holds fewer. */
const TOO_FEW =
  Number(process.versions.node.split(".")[0]) < 22 ? [23, 26, 32, 38, 44] : [23, 24, 25, 26, 28];

test.each(["list", "search harbour", "search --substring harbour", "doctor"])(
  "B22: too few descriptors for %s are an error with its remedy, wherever they run out",
  async (command) => {
    const agentDir = sampleAgent(tempDir());
    const failures: string[] = [];
    for (const most of TOO_FEW) {
      const { stdout } = await shell(
        agentDir,
        `ulimit -n ${most}; said=$(sessiondb ${command} 2>&1 >/dev/null) || echo "$? $said"`,
      );
      if (stdout !== "") failures.push(stdout);
    }
    const remedy = expect.stringMatching(
      /^1 (?:note: [^\n]+\n)?error: .*(?:EMFILE|too many open files).* Raise the limit \(ulimit -n\).*\n$/,
    );
    expect(failures).toEqual(failures.map(() => remedy));
    // It makes no index, and a newer Node leaves it enough.
    if (command !== "doctor") expect(failures).not.toEqual([]);
  },
);

test("E11: a directory that is gone harms nothing that does not need it", async () => {
  const dir = tempDir();
  const agentDir = sampleAgent(dir);
  mkdirSync(join(dir, "gone"));
  const { stdout } = await shell(
    agentDir,
    `cd "${dir}/gone" && rmdir "${dir}/gone" && sessiondb list --json | grep -c '"id"'; sessiondb list --here 2>&1; echo "$?"`,
  );
  expect(stdout).toMatch(/^13\nerror: --here .* gone\. .*\n2\n$/);
});

describe("Ctrl-C, and signals like it:", () => {
  const root = sharedTempDir();
  const { sessions } = makeCorpus("M", join(root, "sessions"), { scale: 0.04 });

  test.each([
    ["SIGINT", "sync", 130],
    ["SIGTERM", "list", 143],
    ["SIGHUP", "search the", 129],
  ] as const)(
    "%s ends %s between two steps with %i, and the next run goes on",
    async (signal, command, code) => {
      const agentDir = join(tempDir(), "agent");
      const where = ["--sessions-dir", join(root, "sessions")];
      const wal = join(agentDir, "sessiondb", "index-v1.db-wal");
      const hasRows = () => (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000;
      const interrupt = async () => {
        rmSync(join(agentDir, "sessiondb"), { recursive: true, force: true });
        const child = start(agentDir, ...command.split(" "), ...where);
        const outcome = finished(child);
        await pollUntil(() => hasRows() || child.exitCode !== null, { what: "rows" });
        child.kill(signal);
        return outcome;
      };
      // One that was done before this process had its turn has not been interrupted.
      const outcome = await pollUntil(
        async () => {
          const ended = await interrupt();
          return ended.code !== 0 && ended;
        },
        { what: "an interrupted program" },
      );
      expect(outcome).toEqual({
        code,
        stdout: "",
        stderr: expect.stringMatching(/^error: interrupted/),
      });
      // A question has two seconds to catch up, and the machine may have other things to do.
      await sessiondb(agentDir, "sync", ...where);
      const { stdout } = await sessiondb(agentDir, "list", "--limit", "1", "--json", ...where);
      expect(JSON.parse(stdout).total).toBe(sessions);
    },
  );
});

test("starting is quick: nothing heavy is loaded for the version", async () => {
  const { stdout } = await shell(
    sampleAgent(tempDir()),
    `NODE_DEBUG=esm "$NODE" "$MAIN" --version 2>&1 | grep -cE 'better-sqlite3|yargs|temporal|drizzle|cli-progress' || true`,
  );
  expect(stdout.trim()).toBe("0");
});

describe("resume", () => {
  test("runs pi with the session in its directory, and ends with pi's exit code", async () => {
    const dir = tempDir();
    const agentDir = join(dir, "agent");
    const cwd = join(dir, "a project");
    mkdirSync(cwd);
    mkdirSync(join(dir, "bin"));
    writeFileSync(join(dir, "bin", "pi"), '#!/bin/sh\npwd\necho "$#" "$1" "$2"\nexit 7\n', { mode: 0o755 });
    const path = session({ cwd }).user("hi").writeBelow(join(agentDir, "sessions"));
    const script = `PATH=${shellWord(join(dir, "bin"))}:$PATH sessiondb resume latest --exec; echo "code $?"`;
    const { stdout } = await shell(agentDir, script);
    expect(stdout).toBe(`${cwd}\n2 --session ${path}\ncode 7\n`);
  });

  test("prints a line that a shell runs as it stands", async () => {
    const dir = tempDir();
    const agentDir = join(dir, "agent");
    const cwd = join(dir, "it's $HOME; `here`");
    mkdirSync(cwd);
    const path = session({ cwd }).user("hi").writeBelow(join(agentDir, "sessions"));
    const script = 'pi() { pwd; echo "$2"; }; eval "$(sessiondb resume latest)"';
    expect((await shell(agentDir, script)).stdout).toBe(`${cwd}\n${path}\n`);
  });

  test("says how to install pi where there is none", async () => {
    const agentDir = sampleAgent(tempDir());
    const script = 'PATH=/nonexistent sessiondb resume latest --exec 2>&1 >/dev/null; echo "code $?"';
    const { stdout } = await shell(agentDir, script);
    expect(stdout).toContain(
      "error: cannot find the program pi on the PATH. Install pi with: npm install -g",
    );
    expect(stdout).toContain("code 1");
  });
});

test.skipIf(process.platform !== "linux")(
  "delete leaves a file in the trash from which it can be taken back",
  async () => {
    const home = tempDir();
    const agentDir = join(home, ".pi", "agent");
    const path = session().user("hi").writeBelow(join(agentDir, "sessions"));
    const script = `HOME=${shellWord(home)} XDG_DATA_HOME= sessiondb delete latest --yes`;
    await shell(agentDir, script);
    const trash = join(home, ".local", "share", "Trash");
    const [info = ""] = readdirSync(join(trash, "info"));
    expect(readFileSync(join(trash, "info", info), "utf8")).toContain(`Path=${encodeURI(path)}`);
    expect(readdirSync(join(trash, "files"))).toHaveLength(1);
  },
);

test("sync leaves no word of a file that somebody has deleted", async () => {
  const agentDir = join(tempDir(), "agent");
  const gone = session({ id: "gone" }).user("zanzibar").writeBelow(join(agentDir, "sessions"));
  session({ id: "kept" }).user("quixotic").writeBelow(join(agentDir, "sessions"));
  const folder = join(agentDir, "sessiondb");
  const holders = (word: string) =>
    readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(word));
  await sessiondb(agentDir, "sync");
  expect(holders("zanzibar")).toContain("search-v1.db");
  rmSync(gone);
  const { stderr } = await sessiondb(agentDir, "sync");
  expect(stderr).toMatch(
    /^0 files read \(0 bytes, 0 new entries\), 1 file removed, 1 unchanged, in .*s\.\n$/,
  );
  expect(holders("zanzibar")).toEqual([]);
  expect(holders("quixotic")).toContain("search-v1.db");
});

test("sync leaves no word of a file that a question has noticed to be gone", async () => {
  const agentDir = join(tempDir(), "agent");
  const gone = session({ id: "gone" }).user("zanzibar").writeBelow(join(agentDir, "sessions"));
  session({ id: "kept" }).user("quixotic").writeBelow(join(agentDir, "sessions"));
  const holdsWord = () => readFileSync(join(agentDir, "sessiondb", "search-v1.db")).includes("zanzibar");
  await sessiondb(agentDir, "sync");
  rmSync(gone);
  await sessiondb(agentDir, "list");
  expect(holdsWord()).toBe(true);
  await sessiondb(agentDir, "sync");
  expect(holdsWord()).toBe(false);
});

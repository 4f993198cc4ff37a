import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { startDaemon, stopDaemon } from "../../../daemon/control/control.ts";
import { askDaemon, isDaemonRunning, Lease } from "../../../daemon/control/lease.ts";
import { isAlive } from "../../../daemon/control/process.ts";
import { ASK, type DaemonStatus, writeStatusFile } from "../../../daemon/control/status-file.ts";
import { runDaemon } from "../../../daemon/main.ts";
import { hearDaemonStatus } from "../../../src/cli/daemon/daemon-status.ts";
import { listsLocks, lockHolder } from "../../../src/store/lock-holder.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { endDaemonWithTest, endWithTest, finished } from "../../helpers/processes.ts";
import { MAIN } from "../../helpers/program.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { someStatus } from "../some-status.ts";

const FOLDER_GONE = join(import.meta.dirname, "folder-gone.mjs");
const LEASE_CHILD = join(import.meta.dirname, "lease-child.mjs");
const OTHER_CONTAINER = join(import.meta.dirname, "other-container.mjs");
const mayEnterContainer = spawnSync("unshare", ["-Urpf", "--mount-proc", "true"]).status === 0;
if (!mayEnterContainer)
  console.info("No process namespaces here: a daemon in another container is not tested.");
const GIVES_WAY = join(import.meta.dirname, "gives-way.mjs");
const SLOW_TO_START = join(import.meta.dirname, "slow-to-start.mjs");

/** What a process says that is the daemon of a folder. */
function say(folder: string, pid = 0): void {
  writeStatusFile(folder, someStatus(folder, pid));
}

/** Takes the lease of a folder in this process, for the length of the test. */
function hold(folder: string): void {
  const lease = Lease.take(indexIn(folder));
  onTestFinished(() => lease?.release());
}

/** A process that does something when it is told to end. */
async function processThat(atSigterm: string): Promise<ChildProcess> {
  const code = `process.on("SIGTERM", () => { ${atSigterm} }); setInterval(() => {}, 1000); console.log("ready")`;
  const child = endWithTest(spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] }));
  await said(child, "ready");
  return child;
}

function said(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.stdout?.on("data", (chunk) => String(chunk).includes(word) && resolve());
  });
}

/** A process that holds the lease of a folder and says nothing. */
async function silent(folder: string): Promise<ChildProcess> {
  const child = endWithTest(
    spawn(process.execPath, [LEASE_CHILD, folder], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const taken = said(child, "taken");
  child.stdin?.end();
  await taken;
  return child;
}

describe.skipIf(listsLocks())("where only the daemon itself says which process it is", () => {
  test("stop waits for the end of the one that it has told, though another one holds the lease by then", async () => {
    const folder = tempDir();
    hold(folder);
    const { pid } = await processThat("process.exit()");
    say(folder, pid);
    expect(await stopDaemon(indexIn(folder))).toMatchObject({ killed: false, pid });
    expect(isDaemonRunning(indexIn(folder))).toBe(true);
  });

  test("stop kills nobody once another daemon says that it runs", async () => {
    const folder = tempDir();
    hold(folder);
    const child = await processThat('console.log("told")');
    say(folder, child.pid);
    const stopped = stopDaemon(indexIn(folder));
    await said(child, "told");
    say(folder, process.pid);
    expect(await stopped).toMatchObject({ killed: false, pid: child.pid });
    expect(child.exitCode ?? child.signalCode).toBeNull();
  });
});

describe.runIf(listsLocks())("where the system lists who holds the lease", () => {
  test("stop ends that process, whatever number the status file has", async () => {
    const folder = tempDir();
    const { pid } = await silent(folder);
    const other = await processThat("process.exit()");
    say(folder, other.pid);
    expect(await stopDaemon(indexIn(folder))).toEqual({ pid, killed: false });
    expect([isDaemonRunning(indexIn(folder)), other.exitCode ?? other.signalCode]).toEqual([false, null]);
  });

  test.skipIf(!mayEnterContainer).each([
    ["its own list of processes", "--mount-proc"],
    ["that of the system", "--kill-child"],
  ])(
    "in a container with %s, a daemon outside of it is told to run elsewhere, and nobody is ended",
    async (_which, option) => {
      const folder = tempDir();
      const { pid } = await silent(folder);
      const status = JSON.stringify(someStatus(folder, 0));
      const args = ["-Urpf", option, process.execPath, OTHER_CONTAINER, folder, status];
      const { stdout } = spawnSync("unshare", args, {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      });
      const seen = JSON.parse(stdout);
      expect(seen).toEqual({
        facts: expect.objectContaining({ running: true, pid: null, state: "watching", degraded: null }),
        started: false,
        stopped: "the daemon is running in another container or on another machine",
        isAlive: true,
      });
      expect(lockHolder(join(folder, "daemon-lock.db"))).toBe(pid);
    },
  );
});

describe.skipIf(process.platform !== "linux")(
  "D4: a daemon that cannot say who it is, as on a full disk",
  () => {
    test("is said to run", async () => {
      const folder = tempDir();
      const { pid } = await silent(folder);
      const facts = {
        running: true,
        pid,
        state: "degraded",
        degraded: expect.stringMatching(/its state is unknown/),
      };
      expect(await hearDaemonStatus({ location: indexIn(folder), roots: [folder] })).toMatchObject(facts);
    });

    test("can be stopped", async () => {
      const folder = tempDir();
      const { pid } = await silent(folder);
      expect(await stopDaemon(indexIn(folder))).toEqual({ pid, killed: false });
      expect(isDaemonRunning(indexIn(folder))).toBe(false);
    });

    test("is not mistaken for the holder of another lock", async () => {
      const folder = tempDir();
      await silent(folder);
      const other = join(tempDir(), "daemon-lock.db");
      expect(lockHolder(other)).toBeNull();
      writeFileSync(other, "");
      expect(lockHolder(other)).toBeNull();
    });
  },
);

test("a daemon whose folder is deleted while it takes office takes office again", async () => {
  const [root, folder] = [tempDir(), tempDir()];
  const child = endWithTest(
    spawn(process.execPath, [FOLDER_GONE, root, folder], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await said(child, "gone");
  await pollUntil(() => child.exitCode !== null || askDaemon(indexIn(folder))?.state === "watching");
  expect(child.exitCode).toBeNull();
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});

test("a daemon that fails as it begins leaves nothing behind", async () => {
  const folder = tempDir();
  // It makes itself at home in its folder.
  const [cwd, umask] = [process.cwd(), process.umask()];
  onTestFinished(() => {
    process.chdir(cwd);
    process.umask(umask);
  });
  const listeners = process.listenerCount(ASK);
  const onStart = (): never => {
    throw new Error("no terminal to say so");
  };
  const place = { roots: [], location: indexIn(folder), version: "1.2.3", runtimeDir: undefined };
  const { signal } = new AbortController();
  const exclusions = { isExcluded: () => false, exclude: () => [] };
  await expect(runDaemon({ ...place, ...exclusions, now: Date.now, onStart, signal })).rejects.toThrow(
    "terminal",
  );
  expect([process.listenerCount(ASK), readdirSync(folder).sort()]).toEqual([
    listeners,
    ["daemon-lock.db", "daemon.log"],
  ]);
});

test("start does not wait until an index of an earlier version is emptied", async () => {
  const folder = tempDir();
  withIndex(folder, ({ database }) => {
    database.exec(`CREATE TABLE many AS SELECT value FROM json_each('[${"0,".repeat(9999)}0]');
      CREATE TRIGGER slow AFTER DELETE ON files BEGIN SELECT count(*) FROM many a, many b, many c; END;
      INSERT INTO files (path, real_path, status, device, inode, size, mtime_ms, ctime_ms, indexed_at)
        VALUES ('/s.jsonl', '/s.jsonl', 'empty', 0, 0, 0, 0, 0, 0)`);
    database.pragma("user_version = 1");
  });
  const place = ["--db", indexIn(folder).indexPath, "--sessions-dir", tempDir()];
  const launch = [process.execPath, MAIN, "daemon", "run", ...place] as const;
  endDaemonWithTest(indexIn(folder));
  const { started } = await startDaemon(launch, indexIn(folder), join(folder, "daemon.log"));
  expect(started).toBe(true);
});

describe.skipIf(process.platform === "win32")("a start that is ended while it waits", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("by %s leaves no daemon behind, and says so", async (signal, expected) => {
    const folder = tempDir();
    const pidPath = join(folder, "pid");
    const place = ["--db", indexIn(folder).indexPath, "--sessions-dir", tempDir()];
    // Unlike an option, the variable reaches what is started, too.
    const NODE_OPTIONS = `--import ${pathToFileURL(SLOW_TO_START).href}`;
    const env = { ...process.env, FORCE_COLOR: "", SLOW_PID: pidPath, NODE_OPTIONS };
    endDaemonWithTest(indexIn(folder));
    const starting = endWithTest(spawn(process.execPath, [MAIN, "daemon", "start", ...place], { env }));
    const ended = finished(starting);
    await pollUntil(() => existsSync(pidPath), { what: "what is to become the daemon" });
    const pid = Number(readFileSync(pidPath, "utf8"));
    starting.kill(signal);
    expect(await ended).toMatchObject({
      code: expected,
      stderr: "error: interrupted; no daemon was started.\n",
    });
    expect(isAlive(pid)).toBe(false);
  });
});

test("start tries again when the daemon that was in the way has ended", async () => {
  const folder = tempDir();
  const launch = [process.execPath, GIVES_WAY, folder] as const;
  endDaemonWithTest(indexIn(folder));
  const { started } = await startDaemon(launch, indexIn(folder), join(folder, "daemon.log"));
  expect(started).toBe(true);
});

/** Starts a program in the place of a daemon, which another daemon precedes that says this of itself. */
async function startTooLate(atSigterm: string, saying: Partial<DaemonStatus>) {
  const folder = tempDir();
  const pidPath = join(folder, "pid");
  // Written elsewhere first, so that it is there as a whole.
  const code = `process.on("SIGTERM", () => { ${atSigterm} }); setInterval(() => {}, 1000);
    const [, path] = process.argv, fs = require("node:fs");
    fs.writeFileSync(path + "-new", String(process.pid)); fs.renameSync(path + "-new", path)`;
  const launch = [process.execPath, "-e", code, pidPath] as const;
  const starting = startDaemon(launch, indexIn(folder), join(folder, "daemon.log")).catch((error) => error);
  await pollUntil(() => existsSync(pidPath), { what: "the program" });
  const pid = Number(readFileSync(pidPath, "utf8"));
  hold(folder);
  writeStatusFile(folder, { ...someStatus(folder, process.pid), ...saying });
  const outcome = await starting;
  const isLeft = isAlive(pid);
  if (isLeft) process.kill(pid, "SIGKILL");
  return { outcome, isLeft };
}

describe("a start that another one precedes leaves no process that would become the daemon later", () => {
  test.each([
    ["that ends when it is told to", "process.exit()"],
    ["that has to be killed", ""],
  ])("%s", async (_which, atSigterm) => {
    const { outcome, isLeft } = await startTooLate(atSigterm, {});
    expect([outcome, isLeft]).toEqual([
      { started: false, status: expect.objectContaining({ pid: process.pid }) },
      false,
    ]);
  });

  test("where the other daemon keeps another index", async () => {
    const { outcome, isLeft } = await startTooLate("process.exit()", { indexPath: "/other.db" });
    expect([outcome, isLeft]).toEqual([expect.objectContaining({ code: "usage" }), false]);
  });
});

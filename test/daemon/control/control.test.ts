import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { DAEMON_BUSY_TIMEOUT_MS } from "../../../daemon/components/index-handle.ts";
import { INTERVALS } from "../../../daemon/components/scheduler.ts";
import { startDaemon } from "../../../daemon/control/control.ts";
import { askDaemon, isDaemonRunning } from "../../../daemon/control/lease.ts";
import { isAlive } from "../../../daemon/control/process.ts";
import { writeStatusFile } from "../../../daemon/control/status-file.ts";
import { loadSqlite } from "../../../src/store/native.ts";
import { makeCorpus } from "../../bench/corpus.mjs";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { endDaemonWithTest, endWithTest, finished, type Outcome } from "../../helpers/processes.ts";
import { MAIN } from "../../helpers/program.ts";
import { removeFolder } from "../../helpers/remove-folder.ts";
import { session } from "../../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { someStatus } from "../some-status.ts";

const LEASE_CHILD = join(import.meta.dirname, "lease-child.mjs");

/** An agent directory with one session, and whatever daemon it has ended with the test. */
class Agent {
  readonly dir = join(tempDir(), "agent's dir é");
  readonly location = indexIn(join(this.dir, "sessiondb"));
  readonly env: NodeJS.ProcessEnv = { ...process.env, PI_CODING_AGENT_DIR: this.dir, FORCE_COLOR: "" };

  constructor() {
    mkdirSync(join(this.dir, "sessions"), { recursive: true });
    this.write("one.jsonl", "apple");
    endDaemonWithTest(this.location);
  }

  path(name: string): string {
    return join(this.dir, "sessions", name);
  }

  write(name: string, word: string): void {
    session({ id: name }).user(word).write(this.path(name));
  }

  spawn(...argv: string[]): ChildProcess {
    const { env } = this;
    return endWithTest(spawn(process.execPath, [MAIN, ...argv], { env, stdio: ["ignore", "pipe", "pipe"] }));
  }

  async run(...argv: string[]): Promise<Outcome> {
    return finished(this.spawn(...argv));
  }

  async json(...argv: string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await this.run(...argv, "--json")).stdout);
  }

  sessions(): number {
    return this.#count("SELECT count(*) FROM sessions");
  }

  /** Of session files, as far as they are in the index. */
  bytes(): number {
    return this.#count("SELECT total(offset + provisional_length) FROM files");
  }

  #count(sql: string): number {
    if (!existsSync(this.location.indexPath)) return 0;
    return withIndex(dirname(this.location.indexPath), ({ database }) =>
      Number(database.prepare(sql).pluck().get()),
    );
  }

  /** Of the daemon, which may still be writing into it. */
  removeIndex(): void {
    removeFolder(dirname(this.location.indexPath));
  }

  /** Two seconds, in ms, where the program starts in a tenth of one; more where the machine is slower, or busy. */
  async twoSeconds(): Promise<number> {
    const began = performance.now();
    await this.run("--version");
    return 2000 * Math.max(1, (performance.now() - began) / 100);
  }
}

test("start returns when the daemon answers; it indexes what comes; stop waits for its end", async () => {
  const agent = new Agent();
  const started = await agent.run("daemon", "start");
  expect(started).toEqual({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(/^The daemon is running \(process \d+\)\.\n$/),
  });
  await pollUntil(() => agent.sessions() === 1, { what: "what was there" });
  agent.write("two.jsonl", "banana");
  await pollUntil(() => agent.sessions() === 2, { what: "what came" });
  await pollUntil(async () => (await agent.json("search", "banana", "--no-sync")).total === 1, {
    what: "its text",
  });
  expect(await agent.run("daemon", "stop")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/has ended/),
  });
  expect(isDaemonRunning(agent.location)).toBe(false);
  expect(await agent.run("daemon", "stop")).toMatchObject({ code: 0, stderr: "No daemon was running.\n" });
});

test("the status says what runs and what the index holds, also when nothing runs", async () => {
  const agent = new Agent();
  const index = { path: agent.location.indexPath, bytes: 0, sessions: 0, entries: 0, trouble: null };
  const nothing = {
    pid: null,
    version: null,
    startedAt: null,
    state: null,
    degraded: null,
    progress: null,
    lastSyncAt: null,
  };
  expect(await agent.json("daemon", "status")).toEqual({
    schemaVersion: 1,
    running: false,
    ...nothing,
    memoryBytes: null,
    atLogin: null,
    log: join(agent.dir, "sessiondb", "daemon.log"),
    roots: [join(agent.dir, "sessions")],
    watches: 0,
    queue: 0,
    searchQueue: 0,
    skipped: [],
    index,
  });
  expect(existsSync(dirname(agent.location.indexPath))).toBe(false);
  const { daemon } = await agent.json();
  expect(daemon).toMatchObject({ running: false, roots: [join(agent.dir, "sessions")] });
  await agent.run("daemon", "start");
  const status = await pollUntil(async () => {
    const found = await agent.json("daemon", "status");
    return found.state === "watching" && found;
  });
  expect(status).toMatchObject({
    running: true,
    degraded: null,
    roots: [join(agent.dir, "sessions")],
    watches: 1,
    queue: 0,
    index: { sessions: 1, entries: 1 },
  });
  expect(Object.keys(status).sort()).toEqual(
    Object.keys({
      schemaVersion: 1,
      running: true,
      ...nothing,
      memoryBytes: 0,
      atLogin: null,
      log: "",
      roots: [],
      watches: 0,
      queue: 0,
      searchQueue: 0,
      skipped: [],
      index,
    }).sort(),
  );
  expect((await agent.json("--no-sync")).daemon).toMatchObject({ running: true, pid: status.pid });
});

test("E1: a second start says who runs and ends with 0, in the background and in the foreground", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  const { pid } = await agent.json("daemon", "status");
  const again = expect.stringContaining(`already running (process ${pid}, version `);
  expect(await agent.run("daemon", "start")).toEqual({ code: 0, stdout: "", stderr: again });
  expect(await agent.run("daemon", "run")).toEqual({ code: 0, stdout: "", stderr: again });
  const more = await Promise.all(Array.from({ length: 5 }, () => agent.run("daemon", "start")));
  expect(more.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  expect(await agent.json("daemon", "status")).toMatchObject({ pid });
});

test("one that cannot be installed leaves a daemon running that ran before", async () => {
  const agent = new Agent();
  // A file in the place of each folder that a system's starting at login is told of in.
  for (const folder of [".config", "Library", "AppData"]) writeFileSync(join(agent.dir, folder), "");
  const appData = join(agent.dir, "AppData");
  Object.assign(agent.env, {
    HOME: agent.dir,
    USERPROFILE: agent.dir,
    APPDATA: appData,
    XDG_CONFIG_HOME: "",
  });
  await agent.run("daemon", "start");
  expect(await agent.run("daemon", "install")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Start it yourself"),
  });
  expect(await agent.json("daemon", "status")).toMatchObject({ running: true });
});

test("a daemon that keeps another index of the folder is neither taken for this one's nor ended", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  const { pid } = await agent.json("daemon", "status");
  const other = ["--db", join(dirname(agent.location.indexPath), "other.db")];
  for (const action of ["start", "stop", "restart", "run"])
    expect(await agent.run("daemon", action, ...other)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`works on another index: ${agent.location.indexPath}`),
    });
  expect(await agent.json("daemon", "status")).toMatchObject({ running: true, pid });
});

test("a second start names the folders that the daemon does not watch", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  const folder = tempDir();
  const both = ["--sessions-dir", join(agent.dir, "sessions"), "--sessions-dir", folder];
  expect(await agent.run("daemon", "start", ...both)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      `It does not watch ${folder}; to change that, run sessiondb daemon restart`,
    ),
  });
});

test("restart gives another process", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  const before = await agent.json("daemon", "status");
  expect((await agent.run("daemon", "restart")).code).toBe(0);
  const after = await agent.json("daemon", "status");
  expect([after.running, after.pid === before.pid]).toEqual([true, false]);
});

test("E2: a killed daemon leaves nothing in the way, and the status says that none runs", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  const { pid } = await agent.json("daemon", "status");
  process.kill(Number(pid), "SIGKILL");
  await pollUntil(() => !isDaemonRunning(agent.location), { what: "its end" });
  expect(await agent.json("daemon", "status")).toMatchObject({ running: false, pid: null });
  expect((await agent.run("daemon", "start")).stderr).toMatch(/^The daemon is running/);
});

test("the folder of the index may be deleted while it runs: it takes the lease again and goes on", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  await pollUntil(() => agent.sessions() === 1, { what: "what was there" });
  const before = askDaemon(agent.location)?.pid;
  agent.removeIndex();
  await pollUntil(() => askDaemon(agent.location)?.pid === before && agent.sessions() === 1, {
    what: "the same daemon with another index",
  });
  agent.write("two.jsonl", "banana");
  await pollUntil(() => agent.sessions() === 2, { what: "what came" });
  expect((await agent.run("daemon", "start")).stderr).toContain(String(before));
  await agent.run("daemon", "stop");
  await pollUntil(() => before !== undefined && !isAlive(before), { what: "the end of its process" });
});

test.skipIf(process.platform === "win32")(
  "where all of pi's folder is moved away it makes none, and goes on when a link leads to it",
  async () => {
    const agent = new Agent();
    await agent.run("daemon", "start");
    await pollUntil(() => agent.sessions() === 1, { what: "what was there" });
    const before = askDaemon(agent.location)?.pid;
    const away = `${agent.dir}.away`;
    renameSync(agent.dir, away);
    const moved = indexIn(join(away, "sessiondb"));
    await pollUntil(() => !isDaemonRunning(moved), { what: "the end of its lease" });
    await pause(await agent.twoSeconds());
    expect(existsSync(agent.dir)).toBe(false);
    symlinkSync(away, agent.dir);
    await pollUntil(() => askDaemon(agent.location)?.pid === before, { what: "the same daemon" });
    agent.write("two.jsonl", "banana");
    await pollUntil(() => agent.sessions() === 2, { what: "what came" });
    await agent.run("daemon", "stop");
    rmSync(agent.dir);
    renameSync(away, agent.dir);
  },
);

test.skipIf(process.platform === "win32").each<[string, (folder: string) => void]>([
  ["a file", (folder) => writeFileSync(folder, "")],
  ["a link to itself", (folder) => symlinkSync(folder, folder)],
])(
  "where %s takes the place of the folder of the index it ends, and says why in one line",
  async (_what, take) => {
    const agent = new Agent();
    const child = agent.spawn("daemon", "run");
    const ended = finished(child);
    await pollUntil(() => agent.sessions() === 1, { what: "what was there" });
    const folder = dirname(agent.location.indexPath);
    renameSync(folder, `${folder}.away`);
    take(folder);
    expect(await ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: the index cannot be opened \(E\w+\): .*--db FILE.*\n$/),
    });
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    expect((await agent.run("daemon", "start")).stderr).toMatch(/^The daemon is running/);
  },
);

test("of two whose lease was deleted one ends", async () => {
  const agent = new Agent();
  const first = agent.spawn("daemon", "run");
  const ended = finished(first);
  await pollUntil(() => agent.sessions() === 1, { what: "what was there" });
  // Stopped, so that another one is first.
  first.kill("SIGSTOP");
  agent.removeIndex();
  await agent.run("daemon", "start");
  const second = askDaemon(agent.location)?.pid;
  first.kill("SIGCONT");
  expect((await ended).code).toBe(0);
  expect([askDaemon(agent.location)?.pid, second]).toEqual([second, expect.any(Number)]);
  expect(second).not.toBe(first.pid);
});

test("a daemon that cannot be started says why", async () => {
  const agent = new Agent();
  mkdirSync(dirname(agent.location.indexPath));
  const foreign = new (loadSqlite())(agent.location.indexPath);
  foreign.exec("CREATE TABLE somebody_elses (x)");
  foreign.close();
  for (const action of ["start", "restart", "run"])
    expect(await agent.run("daemon", action)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: not a session index: .* --db/),
    });
  const launch = [process.execPath, "-e", "process.exit(3)"] as const;
  await expect(startDaemon(launch, indexIn(tempDir()), "/the/log")).rejects.toThrow(
    "the daemon could not be started: it ended with exit code 3",
  );
});

test("a program that is not there cannot be started, and that is said; a log is named where there is one", async () => {
  const location = indexIn(tempDir());
  const log = join(tempDir(), "daemon.log");
  const starting = () => startDaemon(["/no/such/program"], location, log);
  await expect(starting()).rejects.toMatchObject({
    code: "io",
    message: expect.stringMatching(/^the daemon could not be started: .*ENOENT/),
    hint: "Try sessiondb daemon run.",
  });
  writeFileSync(log, "");
  await expect(starting()).rejects.toMatchObject({ hint: `See ${log}, or try sessiondb daemon run.` });
});

test.skipIf(process.platform === "win32")(
  "a daemon that was started outlives a Ctrl-C in the terminal where it was",
  async () => {
    const agent = new Agent();
    // A shell that leads a group of processes, as one in a terminal does.
    const script = `"${process.execPath}" "${MAIN}" daemon start; echo started; read line`;
    const env = { ...process.env, PI_CODING_AGENT_DIR: agent.dir };
    const shell = endWithTest(
      spawn("sh", ["-c", script], { env, detached: true, stdio: ["pipe", "pipe", "ignore"] }),
    );
    await once(shell.stdout, "data");
    const ended = once(shell, "exit");
    process.kill(-(shell.pid ?? 0), "SIGINT");
    await ended;
    agent.write("two.jsonl", "banana");
    await pollUntil(() => agent.sessions() === 2, { what: "what came after" });
  },
);

test.each(["SIGHUP", "SIGINT", "SIGTERM"] as const)("%s ends it as it should", async (signal) => {
  const agent = new Agent();
  const child = agent.spawn("daemon", "run");
  const ended = finished(child);
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  child.kill(signal);
  expect((await ended).code).toBe(0);
  const folder = dirname(agent.location.indexPath);
  expect(
    readdirSync(folder)
      .filter((name) => name.startsWith("daemon"))
      .sort(),
  ).toEqual(["daemon-lock.db", "daemon.log"]);
  expect(readFileSync(join(folder, "daemon.log"), "utf8").trim().split("\n").at(-1)).toContain('"stopped"');
});

test.skipIf(process.platform !== "linux")(
  "L4: installed where there is no systemd it runs, now and at login; uninstalled it has ended and left nothing",
  async () => {
    const agent = new Agent();
    const [home, config] = [tempDir(), tempDir()];
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: config, PATH: "/no/such/folder" };
    const run = (...args: string[]) =>
      finished(
        spawn(process.execPath, [MAIN, "daemon", ...args], {
          env: { ...env, PI_CODING_AGENT_DIR: agent.dir },
          stdio: ["ignore", "pipe", "pipe"],
        }),
      );
    const entry = join(config, "autostart", "pi-sessiondb.desktop");
    const record = join(dirname(agent.location.indexPath), "daemon-service.json");
    expect(await run("install")).toMatchObject({ code: 0, stderr: expect.stringContaining(entry) });
    expect(isDaemonRunning(agent.location)).toBe(true);
    expect(JSON.parse(readFileSync(record, "utf8"))).toMatchObject({ mechanism: "xdg", path: entry });
    expect((await run("install")).stderr).toContain("Already there: ");
    expect(await run("uninstall")).toMatchObject({ code: 0, stderr: expect.stringContaining(entry) });
    expect([entry, record].map((path) => existsSync(path))).toEqual([false, false]);
    expect(isDaemonRunning(agent.location)).toBe(false);
    expect((await run("uninstall")).stderr).toContain("Nothing was installed.");
  },
);

test.skipIf(process.platform !== "linux")(
  "of two indexes only the daemon installed last starts at login, which is said",
  async () => {
    const [config, one, other] = [tempDir(), new Agent(), new Agent()];
    for (const { env, dir } of [one, other])
      Object.assign(env, { HOME: dir, XDG_CONFIG_HOME: config, PATH: "/no/such/folder" });
    expect((await one.run("daemon", "install")).stderr).not.toContain("another index");
    expect((await one.run("daemon", "install")).stderr).not.toContain("another index");
    expect((await other.run("daemon", "install")).stderr).toContain("replaces what started another");
    expect((await one.run("doctor")).stdout).toContain("not what was installed for this index");
    expect((await other.run("doctor")).stdout).not.toContain("not what was installed");
    expect((await one.run("daemon", "uninstall")).stderr).toContain(
      "another index's daemon, which may still be running",
    );
    expect(isDaemonRunning(other.location)).toBe(true);
    expect((await other.run("daemon", "uninstall")).stderr).not.toContain("another index");
  },
);

test("a daemon of a later version is not ended for one that could not take its place", async () => {
  const agent = new Agent();
  await agent.run("sync");
  const folder = dirname(agent.location.indexPath);
  withIndex(folder, ({ database }) => database.pragma("user_version = 99"));
  const later = endWithTest(
    spawn(process.execPath, [LEASE_CHILD, folder], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  let said = "";
  later.stdout?.on("data", (text: Buffer) => {
    said += text.toString();
  });
  later.stdin?.end();
  // With the lock it takes away what one before it has said.
  await pollUntil(() => said.includes("taken"), { what: "a lease" });
  writeStatusFile(folder, { ...someStatus(folder, later.pid ?? 0), indexPath: agent.location.indexPath });
  expect(await agent.run("daemon", "restart")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: written by a newer version/),
  });
  expect(isDaemonRunning(agent.location)).toBe(true);
  expect((await agent.run("daemon", "start")).stderr).toMatch(/already running .* version 1\.2\.3/);
});

test("F6, E11: its files are its owner's only, whatever the umask, and the folder it was started in may go, the home folder too", async () => {
  const agent = new Agent();
  const cwd = join(tempDir(), "gone");
  mkdirSync(cwd);
  const env = { ...process.env, PI_CODING_AGENT_DIR: agent.dir, HOME: join(tempDir(), "none") };
  const script = `umask 000; cd "${cwd}"; "${process.execPath}" "${MAIN}" daemon start`;
  await finished(spawn("bash", ["-c", script], { env, stdio: ["ignore", "pipe", "pipe"] }));
  rmdirSync(cwd);
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  const folder = dirname(agent.location.indexPath);
  const names = ["daemon.log", "daemon-status.json", "daemon-lock.db", "index-v1.db", "search-v1.db"];
  const modes = names.map((name) => statSync(join(folder, name)).mode & 0o777);
  expect([statSync(folder).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600, 0o600, 0o600, 0o600]);
});

test("logs shows what it noted, and follows", async () => {
  const agent = new Agent();
  expect((await agent.run("daemon", "logs")).stderr).toMatch(/^There is no log yet/);
  await agent.run("daemon", "start");
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  const events = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).event);
  await pollUntil(async () => events((await agent.run("daemon", "logs")).stdout).includes("swept"));
  const child = agent.spawn("daemon", "logs", "--follow");
  let seen = "";
  child.stdout?.on("data", (chunk) => {
    seen += chunk;
  });
  await pollUntil(() => seen.includes('"started"'), { what: "the first lines" });
  await agent.run("daemon", "stop");
  await pollUntil(() => seen.includes('"stopped"'), { what: "the last line" });
  child.kill("SIGINT");
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  expect(readFileSync(join(agent.dir, "sessiondb", "daemon.log"), "utf8")).not.toContain("apple");
});

describe("D2: SIGTERM in the first index", () => {
  const root = sharedTempDir();
  makeCorpus("M", join(root, "sessions"), { scale: 0.07 });
  /** A step ends with the line in which it comes to 4 MB, and one may be about to end. */
  const TWO_STEPS = 2 * 6 * 1024 * 1024;

  test.each([0, 150, 600, 2000])(
    "D2: ends it at its next step (%i ms after the first rows)",
    async (delay) => {
      const agent = new Agent();
      const child = agent.spawn("daemon", "run", "--sessions-dir", join(root, "sessions"));
      const ended = finished(child);
      await pollUntil(() => agent.bytes() > 0, { what: "the first rows" });
      await pause(delay);
      // While it stands still what it has can be counted.
      child.kill("SIGSTOP");
      const before = agent.bytes();
      child.kill("SIGTERM");
      child.kill("SIGCONT");
      expect((await ended).code).toBe(0);
      expect(agent.bytes() - before).toBeLessThan(TWO_STEPS);
      withIndex(dirname(agent.location.indexPath), ({ database }) => {
        expect(database.pragma("quick_check", { simple: true })).toBe("ok");
      });
    },
  );
});

test("D2: SIGTERM in the first index ends sync --watch, also one with a channel to whoever has begun it", async () => {
  const root = join(tempDir(), "sessions");
  makeCorpus("M", root, { scale: 0.02 });
  const agent = new Agent();
  const argv = [MAIN, "sync", "--watch", "--sessions-dir", root];
  const child = endWithTest(
    spawn(process.execPath, argv, { env: agent.env, stdio: ["ignore", "ignore", "pipe", "ipc"] }),
  );
  const ended = finished(child);
  await pollUntil(() => agent.bytes() > 0, { what: "the first rows" });
  child.kill("SIGTERM");
  // Interrupted, or where this process was slow to look, done and watching.
  expect([143, 0]).toContain((await ended).code);
});

test("D2, D18: SIGTERM ends it while another process holds both databases", async () => {
  const agent = new Agent();
  const child = agent.spawn("daemon", "run");
  const ended = finished(child);
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  await pollUntil(async () => (await agent.json("search", "apple", "--no-sync")).total === 1);
  const writers = Object.values(agent.location).map((path) => new (loadSqlite())(path));
  for (const writer of writers) writer.exec("BEGIN IMMEDIATE");
  agent.write("two.jsonl", "banana");
  await pollUntil(() => askDaemon(agent.location)?.queue === 1, { what: "a file that cannot be taken in" });
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
  for (const writer of writers) writer.close();
});

test("an append is seen while the process that appends goes on", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  const built = session({ id: "one.jsonl" }).user("apple");
  for (let line = 0; line < 20; line++) {
    appendFileSync(agent.path("one.jsonl"), `${built.user(`word${line}`).lines().at(-1)}\n`);
  }
  await pollUntil(async () => (await agent.json("search", "word19", "--no-sync")).total === 1, {
    what: "the last",
  });
});

test("the log of the rows is written back while lines come, long before it is full", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  const built = session({ id: "one.jsonl" }).user("apple");
  const written = () => statSync(agent.location.indexPath).mtimeMs;
  const before = written();
  for (let line = 2; line <= 400; line++) {
    appendFileSync(agent.path("one.jsonl"), `${built.user(`word${line}`).lines().at(-1)}\n`);
    await pause(2);
  }
  await pollUntil(() => written() > before, { what: "the database to be written" });
  // 16,384 pages of 4 KiB, and what is told of them, are a full one.
  expect(statSync(`${agent.location.indexPath}-wal`).size).toBeLessThan(16_384 * 4096);
});

test("sync --watch does the same in the foreground, until Ctrl-C", async () => {
  const agent = new Agent();
  const child = agent.spawn("sync", "--watch");
  const ended = finished(child);
  let said = "";
  child.stderr?.on("data", (text) => {
    said += String(text);
  });
  await pollUntil(() => isDaemonRunning(agent.location), { what: "the lease" });
  agent.write("two.jsonl", "banana");
  await pollUntil(() => agent.sessions() === 2, { what: "what came" });
  // By now the first look at everything is over, which would have found it without being told.
  agent.write("three.jsonl", "cherry");
  await pollUntil(() => agent.sessions() === 3, { what: "what came after" });
  await pollUntil(() => /^\d\d:\d\d {2}.*three\.jsonl$/m.test(said), { what: "the line that tells of it" });
  expect((await agent.run("sync", "--watch")).stderr).toMatch(/already running/);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/1 file read.*Watching/s) });
});

test("C8: after it was stopped for a while it looks at everything at once", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  const status = () => agent.json("daemon", "status");
  await pollUntil(async () => (await status()).searchQueue === 0, { what: "the words" });
  const { pid } = await status();
  const log = () => readFileSync(join(agent.dir, "sessiondb", "daemon.log"), "utf8");
  // It has answered, and waits again: a stop in the midst of its work is not a wait that took too long.
  await pause(500);
  process.kill(Number(pid), "SIGSTOP");
  agent.write("two.jsonl", "banana");
  // It waits for one tick, and a clock may be two of them from where it should be.
  await pause(3 * INTERVALS.tickMs + 1000);
  expect((await agent.json("daemon", "status")).running).toBe(true);
  process.kill(Number(pid), "SIGCONT");
  await pollUntil(() => agent.sessions() === 2, { what: "what came meanwhile" });
  await pollUntil(() => log().includes("clockJumped"), { what: "the jump in the log" });
});

describe("a daemon that hangs, as in a call to a file system that does not answer", () => {
  /** A stopped process hears as little as one whose only thread waits in the kernel. */
  async function hanging(): Promise<{ agent: Agent; pid: number }> {
    const agent = new Agent();
    await agent.run("daemon", "start");
    await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
    const { pid } = await agent.json("daemon", "status");
    process.kill(Number(pid), "SIGSTOP");
    return { agent, pid: Number(pid) };
  }

  test("B18: the status says that it does not answer, and doctor how to end it", async () => {
    const { agent, pid } = await hanging();
    expect(await agent.json("daemon", "status")).toMatchObject({
      running: true,
      pid,
      state: "degraded",
      degraded: expect.stringMatching(/^it does not respond/),
    });
    expect((await agent.run("doctor")).stdout).toMatch(/it does not respond.*sessiondb daemon stop/s);
    process.kill(pid, "SIGCONT");
    const status = () => agent.json("daemon", "status");
    await pollUntil(async () => (await status()).state === "watching", { what: "its answer" });
  });

  test("B18, D2: stop ends it all the same, and what it was reading is not to blame", async () => {
    const { agent, pid } = await hanging();
    const reading = join(dirname(agent.location.indexPath), "daemon-reading");
    writeFileSync(reading, `0\n${agent.path("one.jsonl")}\0`);
    const { code, stderr } = await agent.run("daemon", "stop");
    expect([code, stderr]).toEqual([
      0,
      `The daemon (process ${pid}) did not respond and was killed; nothing is lost.\n`,
    ]);
    expect([isDaemonRunning(agent.location), existsSync(reading)]).toEqual([false, false]);
    await agent.run("daemon", "start");
    expect(readFileSync(join(agent.dir, "sessiondb", "daemon.log"), "utf8")).not.toContain("diedReading");
  });

  test("B18: told to end, a process ends though a call into a file system never comes back", async () => {
    const fifo = join(tempDir(), "fifo");
    spawnSync("mkfifo", [fifo]);
    const child = endWithTest(spawn(process.execPath, [join(import.meta.dirname, "hanging-end.mjs"), fifo]));
    const ended = new Promise((resolve) => child.on("close", (_code, signal) => resolve(signal)));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe("SIGKILL");
  });
});

test("D18: while another process writes for long it neither hangs nor gives up", async () => {
  const agent = new Agent();
  await agent.run("daemon", "start");
  await pollUntil(() => agent.sessions() === 1, { what: "the rows" });
  const writer = new (loadSqlite())(agent.location.indexPath);
  writer.exec("BEGIN IMMEDIATE");
  agent.write("two.jsonl", "banana");
  await pause(2 * DAEMON_BUSY_TIMEOUT_MS + 500);
  expect((await agent.json("daemon", "status")).running).toBe(true);
  writer.exec("ROLLBACK");
  await pollUntil(() => agent.sessions() === 2, { what: "what came meanwhile" });
  writer.exec("BEGIN IMMEDIATE");
  agent.write("three.jsonl", "cherry");
  // By itself: one that hangs is killed after a while.
  expect(await agent.run("daemon", "stop")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/has ended/),
  });
  writer.close();
});

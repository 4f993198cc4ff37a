import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askDaemon, isDaemonRunning, Lease, WAIT_MS } from "../../../daemon/control/lease.ts";
import { writeStatusFile } from "../../../daemon/control/status-file.ts";
import { loadSqlite } from "../../../src/store/native.ts";
import { asNobody, NOBODY } from "../../files/as-nobody.ts";
import { indexIn } from "../../helpers/open-index.ts";
import { PATIENCE_MS, pollUntil } from "../../helpers/poll-until.ts";
import { endWithTest } from "../../helpers/processes.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { someStatus } from "../some-status.ts";

const STARTERS = 10;
const program = join(import.meta.dirname, "lease-child.mjs");

interface Starter {
  child: ChildProcess;
  /** Lets it try, and gives "taken" or "refused". */
  go(): Promise<string>;
  /** Comes when it begins to try. */
  tries: Promise<string>;
}

async function starter(folder: string): Promise<Starter> {
  const child = endWithTest(
    spawn(process.execPath, [program, folder], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  const line = (number: number) =>
    new Promise<string>((resolve) => {
      const look = () => {
        const [said, ...rest] = output.split("\n").slice(number);
        if (said !== undefined && rest.length > 0) resolve(said);
      };
      child.stdout.on("data", look);
      look();
    });
  await line(0);
  return {
    child,
    go: () => {
      child.stdin.end();
      return line(2);
    },
    tries: line(1),
  };
}

test("only one may hold it, and the next one when that has let go", () => {
  const location = indexIn(tempDir());
  const first = Lease.take(location);
  expect(Lease.take(location)).toBeNull();
  first?.release();
  first?.release();
  const second = Lease.take(location);
  expect(second).not.toBeNull();
  second?.release();
});

test(`E1: of ${STARTERS} that start at once exactly one wins`, async () => {
  const folder = tempDir();
  const starters = await Promise.all(Array.from({ length: STARTERS }, () => starter(folder)));
  const outcomes = await Promise.all(starters.map(({ go }) => go()));
  expect(outcomes.filter((outcome) => outcome === "taken")).toHaveLength(1);
});

test("E2: a killed holder leaves nothing in the way, whatever its status file says", async () => {
  const folder = tempDir();
  const location = indexIn(folder);
  const holder = await starter(folder);
  expect(await holder.go()).toBe("taken");
  writeStatusFile(folder, someStatus(folder, process.pid));
  expect(askDaemon(location)).toMatchObject({ version: "1.2.3" });
  const ended = new Promise((resolve) => holder.child.on("exit", resolve));
  holder.child.kill("SIGKILL");
  await ended;
  expect([isDaemonRunning(location), askDaemon(location)]).toEqual([false, null]);
  const next = Lease.take(location);
  expect(next).not.toBeNull();
  // It has not said anything yet, and what the other one said is over.
  expect(askDaemon(location)).toBeNull();
  next?.release();
});

test("asking does not disturb the holder, and leaves no file where no daemon ever was", () => {
  const folder = tempDir();
  const location = indexIn(folder);
  expect(isDaemonRunning(location)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
  const lease = Lease.take(location);
  for (let look = 0; look < 100; look++) expect(isDaemonRunning(location)).toBe(true);
  expect(Lease.take(location)).toBeNull();
  lease?.release();
});

test.runIf(process.platform === "linux")("neither asking nor being refused leaves a file open", async () => {
  const folder = tempDir();
  const holder = await starter(folder);
  await holder.go();
  const before = readdirSync("/proc/self/fd").length;
  const location = indexIn(folder);
  for (let look = 0; look < 5; look++) expect(isDaemonRunning(location)).toBe(true);
  expect(Lease.take(location)).toBeNull();
  expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
});

test("E1: those who ask whether there is a daemon keep none from starting, however slow they are", async () => {
  const folder = tempDir();
  const late = await starter(folder);
  const asking = new (loadSqlite())(join(folder, "daemon-lock.db"));
  asking.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
  const outcome = late.go();
  await late.tries;
  const waitsSince = performance.now();
  await pollUntil(() => performance.now() - waitsSince > 2 * WAIT_MS, { what: "it to wait for longer" });
  asking.close();
  expect(await outcome).toBe("taken");
});

test("F6: lock and status are their owner's only, and the status goes with the lease", () => {
  const folder = join(tempDir(), "new");
  const lease = Lease.take(indexIn(folder));
  writeStatusFile(folder, someStatus(folder, process.pid));
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect([statSync(folder).mode & 0o777, ...modes]).toEqual([0o700, 0o600, 0o600]);
  lease?.release();
  expect(existsSync(join(folder, "daemon-status.json"))).toBe(false);
});

test("what a killed daemon has left of a status file is in nobody's way", () => {
  const folder = tempDir();
  writeFileSync(join(folder, `daemon-status.json.${process.pid}`), "{");
  const lease = Lease.take(indexIn(folder));
  writeStatusFile(folder, someStatus(folder, process.pid));
  expect([askDaemon(indexIn(folder))?.pid, readdirSync(folder).sort()]).toEqual([
    process.pid,
    ["daemon-lock.db", "daemon-status.json"],
  ]);
  lease?.release();
});

test("a holder whose lock was deleted leaves to the next one what that says", () => {
  const folder = tempDir();
  const location = indexIn(folder);
  const first = Lease.take(location);
  rmSync(join(folder, "daemon-lock.db"));
  const second = Lease.take(location);
  writeStatusFile(folder, someStatus(folder, process.pid));
  expect([first?.isInPlace(), second?.isInPlace()]).toEqual([false, true]);
  first?.release();
  expect(askDaemon(location)?.pid).toBe(process.pid);
  second?.release();
});

test("whether a daemon runs in a folder that is another user's is said to be unknown, and why", () => {
  const folder = join(tempDir(), "closed");
  mkdirSync(folder, { mode: 0o700 });
  expect(() => asNobody(() => isDaemonRunning(indexIn(folder)))).toThrow(
    expect.objectContaining({ code: "io", message: expect.stringContaining(folder) }),
  );
});

test("D15: where the file of the lock may only be read nobody takes it, for everybody could", () => {
  const folder = tempDir();
  const path = join(folder, "daemon-lock.db");
  writeFileSync(path, "", { mode: 0o444 });
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) for (const each of [folder, path]) chownSync(each, NOBODY, NOBODY);
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  // Were the lease taken, it would be held until the time is up.
  const argv = [program, folder];
  const { stderr, signal } = spawnSync(process.execPath, argv, {
    ...user,
    timeout: PATIENCE_MS,
    encoding: "utf8",
  });
  expect([stderr, signal]).toEqual([expect.stringContaining(`(EACCES): ${path}`), null]);
});

test("a daemon of a later version is known by what it says, whatever else it says", () => {
  const folder = tempDir();
  const lease = Lease.take(indexIn(folder));
  const later = { ...someStatus(folder, process.pid), state: "resting", mood: "fine" };
  writeFileSync(join(folder, "daemon-status.json"), JSON.stringify(later));
  expect(askDaemon(indexIn(folder))).toEqual(later);
  lease?.release();
});

const { roots: _roots, ...WITHOUT_ROOTS } = someStatus("/folder", 1);
const { version: _version, ...WITHOUT_VERSION } = someStatus("/folder", 1);

test.each([
  "",
  "{",
  "null",
  '{"pid":-1}',
  '{"pid":1,"state":"odd"}',
  ...[WITHOUT_ROOTS, WITHOUT_VERSION].map((status) => JSON.stringify(status)),
])("a status file that makes no sense (%s) is no answer", (text) => {
  const folder = tempDir();
  const lease = Lease.take(indexIn(folder));
  writeFileSync(join(folder, "daemon-status.json"), text);
  expect(askDaemon(indexIn(folder))).toBeNull();
  lease?.release();
});

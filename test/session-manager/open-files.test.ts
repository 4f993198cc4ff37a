/** Files that sessions keep open: few at a time, and never the wrong ones. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { withIndex } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** More than are kept open at one time. */
const MANY = 150;
/** What the process opens and closes of its own meanwhile is less. */
const FEW = 10;
const hello = { role: "user" as const, content: "hello", timestamp: 1 };
const canCount = existsSync("/proc/self/fd");
const openFiles = () => (canCount ? readdirSync("/proc/self/fd").length : 0);

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

let dir: string;
let paths: string[];

beforeEach(() => {
  dir = tempDir();
  const sessions = join(dir, "sessions");
  mkdirSync(sessions);
  paths = Array.from({ length: MANY }, (_, at) => join(sessions, `${at}.jsonl`));
  for (const [at, path] of paths.entries()) {
    writeFileSync(
      path,
      session({ id: `s${at}` })
        .user(`question ${at}`)
        .assistant()
        .bytes(),
    );
  }
  vi.stubEnv("PI_CODING_AGENT_DIR", dir);
  withIndex(join(dir, "sessiondb"), (index) => syncAll(index, [sessions]));
});

test.skipIf(!canCount)(
  "neither looking for a session nor reading a list of them keeps a file open",
  async () => {
    const sessions = join(dir, "sessions");
    await SessionManager.listAll(sessions);
    withIndex(join(dir, "sessiondb"), ({ database }) => database.exec("DELETE FROM files"));
    const before = openFiles();
    expect(SessionManager.findById(dir, "none", sessions)).toBeUndefined();
    const infos = await SessionManager.listAll(sessions);
    expect(infos.map(({ allMessagesText }) => allMessagesText)).toHaveLength(MANY);
    expect(openFiles()).toBeLessThan(before + FEW);
  },
);

test.skipIf(!canCount)("a session that is read whole keeps no file open", () => {
  SessionManager.open(paths[0] ?? "");
  withIndex(join(dir, "sessiondb"), ({ database }) => database.exec("DELETE FROM files"));
  const before = openFiles();
  const managers = paths.slice(1, 20).map((path) => SessionManager.open(path));
  expect(managers.map((manager) => manager.getEntryCount())).toEqual(managers.map(() => 2));
  expect(openFiles()).toBeLessThan(before + FEW);
});

test.skipIf(!canCount)("files that are searched, listed or forked are closed again", async () => {
  const sessions = join(dir, "sessions");
  const listed = await SessionManager.listAll(sessions);
  withIndex(join(dir, "sessiondb"), ({ database }) => database.exec("DELETE FROM files"));
  const before = openFiles();
  expect(listed.map(({ firstMessage }) => firstMessage)).toContain("question 7");
  expect(SessionManager.findById("/", "nobody", sessions)).toBeUndefined();
  expect(await SessionManager.listAll(sessions)).toHaveLength(MANY);
  expect(() => SessionManager.forkFrom(join(sessions, "no.jsonl"), "/", join(dir, "forks"))).toThrow();
  for (const path of paths.slice(0, 9)) SessionManager.forkFrom(path, "/", join(dir, "forks"));
  expect(openFiles()).toBeLessThanOrEqual(before);
});

describe("many sessions in use at once", () => {
  test("keep few files open, and all answer and append", () => {
    const before = openFiles();
    const managers = paths.map((path) => SessionManager.open(path));
    expect(openFiles() - before).toBeLessThan(80);
    for (const manager of managers) manager.appendMessage(hello);
    for (const [at, manager] of managers.entries()) {
      expect(JSON.stringify(manager.getBranch()[0])).toContain(`"question ${at}"`);
      manager.appendMessage(hello);
      expect(
        readFileSync(paths[at] ?? "", "utf8")
          .trimEnd()
          .split("\n"),
      ).toHaveLength(5);
    }
    expect(openFiles() - before).toBeLessThan(80);
  });

  test("never read from or append to a file that has taken another's place while theirs was closed", () => {
    const [first = "", second = ""] = paths;
    const managers = paths.map((path) => SessionManager.open(path));
    renameSync(second, first);
    const replaced = expect.objectContaining({ code: "io" });
    const before = openFiles();
    expect(() => managers[0]?.getEntries()).toThrow(replaced);
    expect(() => managers[0]?.appendMessage(hello)).toThrow(replaced);
    expect(openFiles()).toBeLessThanOrEqual(before);
  });

  test("nor of one that was given the number of theirs, as file systems do with those of deleted files", async () => {
    const [first = ""] = paths;
    const managers = paths.map((path) => SessionManager.open(path));
    const { ino, birthtimeMs } = statSync(first);
    rmSync(first);
    const other = session({ id: "other" }).user("another question").assistant().user("more").bytes();
    // Where it gets another number it is refused for that.
    await pollUntil(() => statOf(first, other).birthtimeMs !== birthtimeMs, { what: "a later birth" });
    const replaced = expect.objectContaining({ code: "io" });
    expect(() => managers[0]?.getEntries(), `${ino} ${statSync(first).ino}`).toThrow(replaced);
    expect(() => managers[0]?.appendMessage(hello)).toThrow(replaced);
    expect(readFileSync(first)).toEqual(Buffer.from(other));
  });
});

/** Makes a file anew. */
function statOf(path: string, bytes: string | Uint8Array): Stats {
  rmSync(path, { force: true });
  writeFileSync(path, bytes);
  return statSync(path);
}

test("a session in a relative folder stays one file when the process goes to another folder", () => {
  const home = process.cwd();
  try {
    process.chdir(dir);
    const manager = SessionManager.create("/p", "relative");
    manager.appendMessage(hello);
    const name = manager.getSessionFile() ?? "";
    mkdirSync(join(dir, "elsewhere"));
    process.chdir(join(dir, "elsewhere"));
    manager.appendMessage(hello);
    expect(readFileSync(join(dir, name), "utf8").trimEnd().split("\n")).toHaveLength(3);
    expect(readdirSync(join(dir, "elsewhere"))).toEqual([]);
  } finally {
    process.chdir(home);
  }
});

test.skipIf(!canCount)("the files of sessions that nobody uses any more are closed", async () => {
  for (const path of paths) SessionManager.open(path).appendMessage(hello);
  const inUse = openFiles();
  const areClosed = () => {
    collectGarbage();
    return openFiles() <= inUse - 60;
  };
  await pollUntil(areClosed, { what: "their files to be closed" });
});

test("a session goes on with the index it was opened through when another one takes that's place", () => {
  const [path = "", other = ""] = paths;
  const manager = SessionManager.open(path);
  const sessiondb = join(dir, "sessiondb");
  rmSync(sessiondb, { recursive: true });
  withIndex(sessiondb, (index) => syncAll(index, [join(dir, "sessions")]));
  expect(SessionManager.open(other).getEntryCount()).toBe(2);
  expect(manager.getBranch()).toEqual(SessionManager.open(path).getBranch());
});

describe("a session that was appended to", () => {
  test("does not let the torn line of another writer swallow the next entry", () => {
    const [path = ""] = paths;
    appendFileSync(path, '{"to');
    SessionManager.open(path).appendMessage(hello);
    expect(SessionManager.open(path).getEntries()).toHaveLength(3);
  });

  test("does not go on writing to its file once that was deleted: it is written again as a whole", () => {
    const [path = ""] = paths;
    const manager = SessionManager.open(path);
    manager.appendMessage(hello);
    rmSync(path);
    manager.appendMessage(hello);
    expect(SessionManager.open(path).getEntries()).toEqual(manager.getEntries());
    manager.appendMessage(hello);
    expect(SessionManager.open(path).getEntries()).toHaveLength(5);
  });

  test("does not go on writing to its file once another stands in its place", () => {
    const [path = "", other = ""] = paths;
    const manager = SessionManager.open(path);
    manager.appendMessage(hello);
    const bytes = readFileSync(other);
    renameSync(other, path);
    expect(() => manager.appendMessage(hello)).toThrow(expect.objectContaining({ code: "io" }));
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});

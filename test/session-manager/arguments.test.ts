/** Folders, ids and options as callers write them: pi and we take them for the same. */
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parseSessionEntries } from "../../src/format/parse.ts";
import type { SessionInfo } from "../../src/session/session-info.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { importPeer } from "../helpers/peers.ts";
import { sampleUsage } from "../helpers/sample-usage.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { describeWithEachPi, piWithFirstWriteOf1x, type SessionManagerClass } from "./pi.ts";
import { ours } from "./portrait-module.ts";
import { difference, files, outcome, type Twin, twinOf } from "./twins.ts";

const HERE = process.cwd();
const hello = { role: "user" as const, content: "hello", timestamp: 1 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_760_000_000_000 });
});
afterEach(() => {
  process.chdir(HERE);
  vi.useRealTimers();
});

/** What can be seen of a manager that was just begun or opened, and after an entry was added. */
function shown(manager: SessionManager): unknown[] {
  const seen = () => [
    manager.getCwd(),
    manager.getSessionDir(),
    existsSync(manager.getSessionDir()),
    manager.getSessionFile(),
    manager.usesDefaultSessionDir(),
    manager.isPersisted(),
    manager.getHeader(),
    manager.getLeafId(),
    manager.getLeafEntry(),
    manager.getBranch(),
    manager.getEntries(),
  ];
  const before = seen();
  manager.appendMessage(hello);
  return [before, seen()];
}

const entriesOf = (built: SessionBuilder) => parseSessionEntries(built.bytes().toString());
const listed = (infos: readonly SessionInfo[] = []) => infos.map(({ path, cwd }) => [path, cwd]);

type Call = (Manager: SessionManagerClass, dir: string) => unknown;

/** Each is called in a folder of its own, which is the home directory and the current one. */
const CALLS: Record<string, Call> = {
  "create in a relative directory": (M) => shown(M.create("project", "sessions")),
  "create in a directory below home": (M) => shown(M.create("~/project", "~/new/sessions")),
  "create without a folder": (M) => shown(M.create("project")),
  "create with an empty folder": (M) => shown(M.create("project", "")),
  "create with the folder of a URL": (M, dir) => shown(M.create("project", `file://${dir}/by-url`)),
  "create with an id and a parent": (M) =>
    shown(M.create("project", "sessions", { id: "mine", parentSession: "/parent.jsonl" })),
  "create with an empty id": (M) => M.create("project", "sessions", { id: "" }),
  "create with an empty parent": (M) => shown(M.create("project", "sessions", { parentSession: "" })),

  "open by a relative path": (M) => shown(M.open("sessions/a.jsonl")),
  "open by a path below home": (M) => shown(M.open("~/sessions/a.jsonl")),
  "open by a URL": (M, dir) => shown(M.open(`file://${dir}/sessions/a.jsonl`)),
  "open with a folder below home": (M) => shown(M.open("sessions/a.jsonl", "~/elsewhere")),
  "open with a relative folder": (M) => shown(M.open("sessions/a.jsonl", "elsewhere")),
  "open with an empty folder": (M) => shown(M.open("sessions/a.jsonl", "")),
  "open with another directory": (M) => shown(M.open("sessions/a.jsonl", undefined, "other")),
  "open with an empty directory": (M) => shown(M.open("sessions/a.jsonl", undefined, "")),
  "open what states no directory": (M) => shown(M.open("sessions/no-cwd.jsonl")),
  "open what states a number for a directory": (M) => shown(M.open("sessions/number-cwd.jsonl")),
  "open what ends in an entry with an empty id": (M) => shown(M.open("sessions/empty-id.jsonl")),
  "open what has two headers": (M) => shown(M.open("sessions/two-headers.jsonl")),
  "open what is not there": (M) => shown(M.open("sessions/new.jsonl")),
  "open what is not there, with another directory": (M) =>
    shown(M.open("sessions/new.jsonl", undefined, "~/other")),
  "open what is empty": (M) => shown(M.open("sessions/empty.jsonl")),
  "open and branch elsewhere": (M) => {
    const manager = M.open("sessions/a.jsonl", "~/elsewhere");
    return [manager.createBranchedSession(manager.getLeafId() ?? ""), shown(manager)];
  },

  "continue in a relative folder": (M) => shown(M.continueRecent("project", "sessions")),
  "continue in a folder below home": (M) => shown(M.continueRecent("~/project", "~/sessions")),
  "continue in a folder without sessions of the directory": (M) =>
    shown(M.continueRecent("nobody", "sessions")),
  "continue without a folder": (M) => shown(M.continueRecent("project")),
  "continue without a folder where another directory shares it": (M, dir) => {
    const shared = M.create("shared/project").getSessionDir();
    const bytes = session({ id: "other", cwd: join(dir, "shared-project") })
      .user("hi")
      .bytes();
    writeFileSync(join(shared, "other.jsonl"), bytes);
    return [shown(M.continueRecent("shared/project")), M.findById("shared/project", "other")];
  },

  "find by id in a relative folder": (M) => M.findById("project", "a", "sessions"),
  "find by id in a folder below home": (M) => M.findById("~/project", "a", "~/sessions"),
  "find by id of another directory": (M) => M.findById("nobody", "a", "sessions"),
  "find by the beginning of an id": (M) => M.findById("project", "ol", "sessions"),
  "find by id in no folder": (M) => M.findById("project", "a", "nowhere"),

  "list a relative folder": async (M) => listed(await M.list("project", "sessions")),
  "list a folder below home": async (M) => listed(await M.list("~/project", "~/sessions")),
  "list a folder without sessions of the directory": async (M) => listed(await M.list("nobody", "sessions")),
  "A35: list the folder of a directory by its name, which another shares": async (M, dir) => {
    const shared = M.create("shared/project").getSessionDir();
    const bytes = session({ id: "other", cwd: join(dir, "shared-project") })
      .user("hi")
      .bytes();
    writeFileSync(join(shared, "other.jsonl"), bytes);
    return listed(await M.list("shared/project", shared));
  },
  "list all of a folder below home": async (M) => listed(await M.listAll("~/sessions")),
  "list all of an empty folder's name": async (M) => listed(await M.listAll("")),
  "list with progress": async (M) => {
    const calls: unknown[] = [];
    await M.list("project", "sessions", (loaded, total, infos) => calls.push([loaded, total, listed(infos)]));
    return calls.at(-1);
  },
  "list all of no folder, with progress": async (M) => {
    const calls: unknown[] = [];
    await M.listAll(undefined, (loaded, total) => calls.push([loaded, total]));
    return calls;
  },
  "list all of a folder, ended before": (M) =>
    M.listAll("sessions", undefined, AbortSignal.abort(new Error("over"))),
  "list all of no folder, ended before": (M) =>
    M.listAll(undefined, undefined, AbortSignal.abort(new Error("over"))),
  "list all, ended before": (M) => M.listAll(() => undefined, AbortSignal.abort(new Error("over"))),
  "list all of what is a file": async (M) => listed(await M.listAll("sessions/a.jsonl")),
  "list all of what is not there, ended before": (M) =>
    M.listAll("nowhere", undefined, AbortSignal.abort(new Error("over"))),
  "list a folder, ended before": (M) =>
    M.list("project", "sessions", undefined, AbortSignal.abort(new Error("over"))),

  "fork into a relative directory": (M) => shown(M.forkFrom("sessions/a.jsonl", "other", "forks")),
  "fork into a directory below home": (M) => shown(M.forkFrom("~/sessions/a.jsonl", "~/other", "~/forks")),
  "fork without a folder": (M) => shown(M.forkFrom("sessions/a.jsonl", "other")),
  "fork with an id and another parent": (M) =>
    shown(M.forkFrom("sessions/a.jsonl", "other", "forks", { id: "fork", parentSession: "/other.jsonl" })),
  "fork what has two headers": (M) => shown(M.forkFrom("sessions/two-headers.jsonl", "other", "forks")),
  "fork what has nothing but a header": (M) =>
    shown(M.forkFrom("sessions/no-entries.jsonl", "other", "forks")),
  "fork what is empty": (M) => M.forkFrom("sessions/empty.jsonl", "other", "forks"),
  "fork what is not there": (M) => M.forkFrom("sessions/nowhere.jsonl", "other", "forks"),

  "in memory": (M) => shown(M.inMemory("project")),
  "in memory, with an id and no entries": (M) => shown(M.inMemory("project", { id: "mine" }, [])),
  "in memory, of entries without a header": (M) => {
    const [, ...entries] = entriesOf(session().user("hi"));
    return shown(M.inMemory("project", { id: "mine", parentSession: "/parent.jsonl" }, entries));
  },
  "in memory, of old entries with a header among them": (M) => {
    const [header, first, ...rest] = entriesOf(session({ version: 1 }).user("hi").assistant());
    return shown(
      M.inMemory(
        "project",
        { id: "mine" },
        [first, header, ...rest].flatMap((each) => each ?? []),
      ),
    );
  },
  "in memory, of a file": (M) => {
    const manager = M.inMemory("project");
    manager.setSessionFile("sessions/a.jsonl");
    const id = manager.appendMessage(hello);
    const branched = [manager.createBranchedSession(id), manager.getHeader(), manager.getSessionFile()];
    return [branched, manager.newSession({ id: "next" }), shown(manager)];
  },
  "in memory, of an old file": (M) => {
    const manager = M.inMemory("project");
    manager.setSessionFile("sessions/old.jsonl");
    return [manager.getHeader(), manager.appendMessage(hello), manager.getEntries()];
  },
  "in memory, of an empty file": (M) => {
    const manager = M.inMemory("project");
    manager.setSessionFile("sessions/empty.jsonl");
    return shown(manager);
  },

  "a new session after another file": (M) => {
    const manager = M.create("project", "sessions");
    manager.setSessionFile("~/sessions/a.jsonl");
    return [manager.getCwd(), manager.newSession({ id: "next" }), shown(manager)];
  },
  "entries of what others leave out": (M) => {
    const manager = M.inMemory("project");
    const first = manager.appendMessage(hello);
    manager.appendUsage("warm", "p", "m", sampleUsage(1), "");
    manager.appendUsage("warm", "p", "m", sampleUsage(1), "noted");
    manager.appendCompaction("empty", "", 1);
    manager.appendCompaction("nothing kept", null, 1, undefined, false);
    manager.appendCompaction("all told", first, 1, { a: 1 }, true, sampleUsage(2));
    manager.appendSessionInfo(" two\r\n\nlines ");
    manager.resetLeaf();
    manager.branchWithSummary(first, "from nowhere");
    manager.branchWithSummary(null, "to nowhere", { a: 1 }, false, sampleUsage(2));
    return [shown(manager), manager.buildSessionContext()];
  },
  "a summary of an empty branch": (M) => M.inMemory("project").branchWithSummary("", "s"),
  "a branch with labels in it": (M) => {
    const manager = M.create("project", "sessions");
    const first = manager.appendMessage(hello);
    const label = manager.appendLabelChange(first, "first");
    const second = manager.appendMessage(hello);
    manager.appendLabelChange(second, "cleared");
    manager.appendMessage(hello);
    manager.appendCompaction("from a label on", label, 1);
    manager.appendCompaction("from an entry on", second, 1);
    manager.appendCompaction("of everything", null, 1);
    manager.appendLabelChange(second, "");
    const last = manager.appendMessage(hello);
    manager.branch(first);
    manager.appendLabelChange(last, "from another branch");
    return [manager.createBranchedSession(last), shown(manager)];
  },
  "a branch of what is unknown": (M) => M.create("project", "sessions").createBranchedSession("nowhere"),
  "a branch of the first entry": (M) => {
    const manager = M.create("project", "sessions");
    return [manager.createBranchedSession(manager.appendMessage(hello)), shown(manager)];
  },
};

/** Sessions in `sessions`, one of each kind, below a home that is the current directory. */
function settledTwin(Manager: SessionManagerClass, dir: string): Twin {
  const twin = twinOf(Manager, dir);
  const sessions = join(dir, "sessions");
  mkdirSync(sessions, { recursive: true });
  const cwd = join(dir, "project");
  const said = (name: string, options: Parameters<typeof session>[0]) =>
    session({ id: name, ...options })
      .user("hi", { id: "first" })
      .assistant({}, { id: "second" });
  const { header, entries } = said("no-cwd", {});
  const second = { ...header, id: "second", cwd: "/second" };
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;
  const written = {
    a: said("a", { cwd, timestamp: "2026-05-01T00:00:00.000Z" }).bytes(),
    old: said("old", { cwd, version: 1 }).bytes(),
    empty: "",
    "no-entries": line({ ...header, id: "no-entries" }),
    "no-cwd": [{ ...header, cwd: undefined }, ...entries].map(line).join(""),
    "number-cwd": [{ ...header, cwd: 7 }, ...entries].map(line).join(""),
    "empty-id": [header, ...entries, { ...entries[0], id: "" }].map(line).join(""),
    "two-headers": [header, ...entries, second].map(line).join(""),
  };
  for (const [at, [name, bytes]] of Object.entries(written).entries()) {
    const path = join(sessions, `${name}.jsonl`);
    writeFileSync(path, bytes);
    utimesSync(path, 1_700_000_000, 1_700_000_000 + at);
  }
  for (const name of ["old.jsonl.bak", "notes.html"]) {
    writeFileSync(join(sessions, name), said("old", { cwd }).bytes());
  }
  vi.stubEnv("HOME", dir);
  vi.stubEnv("PI_CODING_AGENT_DIR", undefined);
  process.chdir(dir);
  return twin;
}

describeWithEachPi("I-2: what callers name", (release) => {
  test.each(Object.entries(CALLS))("%s", async (_, call) => {
    const dir = join(tempDir(), "home");
    const lived = [];
    for (const Manager of [SessionManager, await piWithFirstWriteOf1x(release)]) {
      const twin = settledTwin(Manager, dir);
      const result = await outcome(twin, () => call(twin.Manager, twin.dir));
      lived.push({ result, ...files(twin) });
      process.chdir(HERE);
      rmSync(dir, { recursive: true });
    }
    const [own = {}, theirs = {}] = lived;
    expect(difference(own, theirs)).toBeNull();
  });

  test("is taken for the same by the functions beside the class", async () => {
    const pi = await importPeer<typeof ours>(release.peer);
    const { dir } = settledTwin(SessionManager, tempDir());
    for (const name of [
      "sessions/a.jsonl",
      "~/sessions/a.jsonl",
      `file://${dir}/sessions/a.jsonl`,
      "nowhere",
    ]) {
      expect(ours.loadEntriesFromFile(name)).toEqual(pi.loadEntriesFromFile(name));
    }
    for (const folder of ["sessions", "~/sessions", "nowhere"]) {
      for (const cwd of [undefined, "project", "~/project", "nobody"]) {
        expect(ours.findMostRecentSession(folder, cwd)).toBe(pi.findMostRecentSession(folder, cwd));
      }
    }
  });
});

test("what is shown of a manager is what stands in its file", () => {
  const twin = settledTwin(SessionManager, tempDir());
  const manager = SessionManager.open("sessions/a.jsonl");
  const [, after] = shown(manager);
  expect(readFileSync(join(twin.dir, "sessions", "a.jsonl"), "utf8").split("\n")).toHaveLength(5);
  expect(after).toContain(join(twin.dir, "sessions"));
});

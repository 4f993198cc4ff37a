import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, type Mock, onTestFinished, test, vi } from "vitest";
import { FreshnessServer } from "../../daemon/components/freshness-server.ts";
import type { DaemonOptions } from "../../daemon/daemon.ts";
import { LONGEST_TEXT } from "../../src/format/content.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import type { SessionInfo } from "../../src/session/session-info.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { Running } from "../daemon/running.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { describeWithEachPi, piAsReleased } from "./pi.ts";

const CWD = "/home/ada/projects/orchard";

/** A copy of the samples as pi's agent folder, with times of its own for each file. */
let sessionsDir: string;

beforeEach(() => {
  const agentDir = join(tempDir(), "agent");
  sessionsDir = join(agentDir, "sessions");
  cpSync(join(import.meta.dirname, "..", "samples", "agent", "sessions"), sessionsDir, { recursive: true });
  vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
  const files = readdirSync(sessionsDir, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  for (const [at, name] of files.sort().entries()) {
    utimesSync(join(sessionsDir, name), 1_700_000_000, 1_700_000_000 + ((at * 7) % files.length));
  }
});

/** A list with every call of its progress, as JSON. */
async function listed(
  list: (onProgress: (...call: unknown[]) => void) => Promise<unknown>,
): Promise<{ result: string; calls: string[]; partial: unknown }> {
  const calls: string[] = [];
  let partial: unknown;
  const result = await list((loaded, total, sessions) => {
    calls.push(JSON.stringify([loaded, total]));
    partial = sessions ?? partial;
  });
  return { result: JSON.stringify(result), calls, partial: JSON.stringify(partial) };
}

/** Brings the index beside the sessions up to date, as if it had been a while. */
function sync(dir: string): void {
  withIndex(indexFolder(), (index) => syncAll(index, [dir], { now: () => Date.now() + 60_000 }));
}

function indexFolder(): string {
  return join(sessionsDir, "..", "sessiondb");
}

/** A daemon that vouches for the index of the sessions; only on Linux there is one. */
async function runDaemon(options: Partial<DaemonOptions> = {}): Promise<void> {
  const running = new Running({ root: sessionsDir, indexFolder: indexFolder() }, options);
  if (process.platform === "linux") await running.answering();
}

describeWithEachPi("lists are pi's", (release) => {
  describe.each(["without an index", "with an index", "with a daemon that vouches for the index"])(
    "%s,",
    (way) => {
      const isIndexed = way === "with an index";
      beforeEach(async () => {
        if (isIndexed) sync(sessionsDir);
        if (way.includes("daemon")) await runDaemon();
      });

      test("of all sessions, with progress and a whole partial list at its end", async () => {
        const Pi = await piAsReleased(release);
        const own = await listed((onProgress) => SessionManager.listAll(onProgress));
        expect(own).toEqual(await listed((onProgress) => Pi.listAll(onProgress)));
        expect(own.partial).toBe(own.result);
        expect(JSON.parse(own.result).length).toBe(13);
      });

      test("of all sessions, the one whose file was changed last before all others", async () => {
        const files = readdirSync(sessionsDir, { recursive: true, encoding: "utf8" })
          .filter((name) => name.endsWith(".jsonl"))
          .map((name) => join(sessionsDir, name));
        const changed = (path: string) => statSync(path).mtimeMs;
        const [latest] = files.sort((a, b) => changed(b) - changed(a));
        const partial: string[][] = [];
        await SessionManager.listAll((_loaded, _total, sessions) => {
          if (sessions !== undefined) partial.push(sessions.map(({ path }) => path));
        });
        expect(partial[0]).toEqual([latest]);
      });

      test("of one working directory", async () => {
        const Pi = await piAsReleased(release);
        const own = await listed((onProgress) => SessionManager.list(CWD, undefined, onProgress));
        expect(own).toEqual(await listed((onProgress) => Pi.list(CWD, undefined, onProgress)));
        expect(JSON.parse(own.result).length).toBeGreaterThan(1);
      });

      test("of a flat folder with sessions of many working directories", async () => {
        const Pi = await piAsReleased(release);
        const flat = flatFolder(isIndexed);
        const own = await listed((onProgress) => SessionManager.list(CWD, flat, onProgress));
        expect(own).toEqual(await listed((onProgress) => Pi.list(CWD, flat, onProgress)));
        const all = await listed((onProgress) => SessionManager.listAll(flat, onProgress));
        expect(all).toEqual(await listed((onProgress) => Pi.listAll(flat, onProgress)));
        expect(JSON.parse(all.result).length).toBeGreaterThan(JSON.parse(own.result).length);
      });

      test("of the current directory, and of others as they are named from it", async () => {
        const Pi = await piAsReleased(release);
        const before = process.cwd();
        process.chdir(join(sessionsDir, readdirSync(sessionsDir).sort()[0] ?? ""));
        try {
          for (const dir of [".", "./", "..", `../${basename(process.cwd())}/`]) {
            const own = await listed((onProgress) => SessionManager.listAll(dir, onProgress));
            expect(own).toEqual(await listed((onProgress) => Pi.listAll(dir, onProgress)));
          }
        } finally {
          process.chdir(before);
        }
      });

      test("of folders that are empty or not there", async () => {
        const Pi = await piAsReleased(release);
        const nowhere = join(tempDir(), "nowhere");
        expect(await SessionManager.list("/no/such/project")).toEqual(await Pi.list("/no/such/project"));
        expect(await SessionManager.listAll(nowhere)).toEqual(await Pi.listAll(nowhere));
        vi.stubEnv("PI_CODING_AGENT_DIR", nowhere);
        expect(await SessionManager.listAll()).toEqual(await Pi.listAll());
      });

      test("and the newest session of a folder, of a working directory in it, or by id", async () => {
        const Pi = await piAsReleased(release);
        const flat = flatFolder(isIndexed);
        for (const info of await Pi.listAll(flat)) {
          expect(SessionManager.findById(CWD, info.id, flat)).toBe(Pi.findById(CWD, info.id, flat));
          const own = SessionManager.continueRecent(info.cwd, flat);
          expect(own.getSessionFile()).toBe(Pi.continueRecent(info.cwd, flat).getSessionFile());
        }
        expect(SessionManager.findById(CWD, "no-such-id")).toBeUndefined();
        expect(SessionManager.continueRecent(CWD).getSessionFile()).toBe(
          Pi.continueRecent(CWD).getSessionFile(),
        );
      });

      test("an aborted list ends with the signal's reason", async () => {
        const Pi = await piAsReleased(release);
        for (const Manager of [SessionManager, Pi]) {
          await expect(Manager.listAll(() => undefined, AbortSignal.abort("before"))).rejects.toBe("before");
          const abort = new AbortController();
          const seen: number[] = [];
          const list = Manager.list(
            CWD,
            undefined,
            (loaded) => {
              seen.push(loaded);
              abort.abort(new Error("midway"));
            },
            abort.signal,
          );
          await expect(list).rejects.toThrow("midway");
          expect(seen.length).toBeGreaterThan(0);
        }
      });
    },
  );
});

function flatFolder(isIndexed: boolean): string {
  const flat = join(tempDir(), "flat");
  for (const folder of readdirSync(sessionsDir)) {
    cpSync(join(sessionsDir, folder), flat, { recursive: true, preserveTimestamps: true });
  }
  if (isIndexed) sync(flat);
  return flat;
}

describe.each(["without an index", "with an index"])("what was said, %s,", (way) => {
  const texts = ["firstMessage", "allMessagesText"] as const;

  beforeEach(() => {
    if (way === "with an index") sync(sessionsDir);
  });

  test("looks like plain data", async () => {
    const [info] = await SessionManager.list(CWD);
    expect(Object.keys(info ?? {}).slice(-2)).toEqual(texts);
    for (const text of texts) {
      expect({ ...info }[text]).toBe(info?.[text]);
      expect(JSON.parse(JSON.stringify(info))[text]).toBe(info?.[text]);
    }
    expect(structuredClone(info)).toEqual(info);
  });

  test.each(texts)("is read through a proxy, and by what inherits from the info: %s", async (text) => {
    const [first, second] = [await SessionManager.list(CWD), await SessionManager.list(CWD)];
    const value = (await SessionManager.list(CWD))[0]?.[text];
    expect(new Proxy(first[0] ?? {}, {})).toHaveProperty(text, value);
    expect(Object.create(second[0] ?? null)[text]).toBe(value);
  });

  test.each(texts)("can be replaced and deleted, as plain data can: %s", async (text) => {
    const info: Partial<SessionInfo> = (await SessionManager.list(CWD))[0] ?? {};
    for (const words of ["something else", "and again"]) {
      info[text] = words;
      expect(info[text]).toBe(words);
    }
    delete info[text];
    expect(info).not.toHaveProperty(text);
  });

  test.each(texts)("stays what it was once it was read, whatever becomes of the file: %s", async (text) => {
    const [info] = await SessionManager.list(CWD);
    const words = info?.[text];
    rmSync(info?.path ?? "");
    rmSync(indexFolder(), { recursive: true, force: true });
    expect(info?.[text]).toBe(words);
  });
});

describe("E9: a list from the index", () => {
  const firstMessages = async () => (await SessionManager.listAll()).map((info) => info.firstMessage);

  beforeEach(() => {
    sync(sessionsDir);
    // What no file says shows where it comes from.
    withIndex(indexFolder(), ({ database }) => {
      database.exec("UPDATE message_rows SET text = 'from the index'");
    });
  });

  test("reads no file that was not touched", async () => {
    expect(new Set(await firstMessages())).toEqual(new Set(["from the index"]));
    const [info] = await SessionManager.list(CWD);
    expect(info?.allMessagesText).toMatch(/^from the index( from the index)+$/);
  });

  test("reads a session with a text of which the index has a beginning only", async () => {
    const text = "word ".repeat(LONGEST_TEXT / 5 + 1);
    const path = join(sessionsDir, "--long--", "long.jsonl");
    mkdirSync(dirname(path));
    session({ id: "long" }).user(text).assistant({ text: "Thanks" }).write(path);
    sync(sessionsDir);
    const info = (await SessionManager.listAll()).find(({ id }) => id === "long");
    expect(info?.allMessagesText === `${text} Thanks`).toBe(true);
    const { messages } = SessionManager.open(path).buildSessionContext();
    expect(JSON.stringify(messages[0]).includes(text)).toBe(true);
  });

  test("reads what was touched, and what is irregular", async () => {
    const [info] = await SessionManager.list(CWD);
    appendFileSync(info?.path ?? "", "\n");
    expect((await firstMessages()).filter((text) => text !== "from the index")).toHaveLength(1);
    withIndex(indexFolder(), ({ database }) => database.exec("UPDATE sessions SET irregular = 1"));
    expect(await firstMessages()).not.toContain("from the index");
  });

  test.runIf(process.platform === "linux")(
    "is of what was appended a moment ago when a daemon vouches for the index",
    async () => {
      await runDaemon();
      const path = (await SessionManager.list(CWD))[0]?.path ?? "";
      for (const name of ["red", "green", "blue"]) {
        appendFileSync(path, `${JSON.stringify({ type: "session_info", id: name, parentId: null, name })}\n`);
        expect((await SessionManager.listAll()).find((info) => info.path === path)?.name).toBe(name);
      }
      expect(await firstMessages()).not.toContain("(no messages)");
    },
  );

  test.each(["size", "mtime_ms", "ctime_ms", "device"])(
    "reads a file whose %s is not that of the index",
    async (what) => {
      withIndex(indexFolder(), ({ database }) => database.exec(`UPDATE files SET ${what} = ${what} + 1`));
      expect(await firstMessages()).not.toContain("from the index");
    },
  );

  test.runIf(process.platform === "linux")(
    "looks at no file when the index is vouched for: what stands there of it is not compared",
    async () => {
      withIndex(indexFolder(), ({ database }) => database.exec("UPDATE files SET size = size + 1"));
      await vouchForIndex();
      // Where the machine had other things to do, nobody vouched in time.
      await pollUntil(async () => (await firstMessages()).every((text) => text === "from the index"), {
        what: "a list that was vouched for",
      });
    },
  );

  test("reads a file that may have been written to in the moment it was read", async () => {
    withIndex(indexFolder(), ({ database }) => database.exec("UPDATE files SET settled = 0"));
    expect(await firstMessages()).not.toContain("from the index");
  });

  test("says of a session without activity when it was begun", async () => {
    withIndex(indexFolder(), ({ database }) => database.exec("UPDATE sessions SET last_activity_at = 0"));
    for (const { modified, created } of await SessionManager.listAll()) expect(modified).toEqual(created);
  });

  test.runIf(process.platform === "linux")(
    "is of the sessions of the root, whatever else is in an index that is vouched for",
    async () => {
      const paths = (await SessionManager.listAll()).map(({ path }) => path).sort();
      const folder = join(sessionsDir, readdirSync(sessionsDir)[0] ?? "");
      for (const path of [
        join(sessionsDir, "straight.jsonl"),
        join(folder, "deeper", "nested.jsonl"),
        join(folder, "array.json"),
        join(`${sessionsDir}-elsewhere`, basename(folder), "elsewhere.jsonl"),
      ]) {
        session({ id: basename(path) })
          .user("hello")
          .write(path);
      }
      sync(sessionsDir);
      sync(`${sessionsDir}-elsewhere`);
      const asked = await vouchForIndex();
      expect((await SessionManager.listAll()).map(({ path }) => path).sort()).toEqual(paths);
      await pollUntil(() => asked.mock.calls.length === 1, { what: "the question" });
    },
  );

  test("gives what was said from the file when the rows are gone by then", async () => {
    const [listed] = await SessionManager.list(CWD);
    withIndex(indexFolder(), ({ database }) => database.exec("DELETE FROM files"));
    const [read] = await SessionManager.list(CWD);
    expect(listed?.firstMessage).toBe(read?.firstMessage);
    expect(listed?.allMessagesText).toBe(read?.allMessagesText);
    expect(read?.allMessagesText).not.toContain("from the index");
  });

  test("gives nothing of what was said when rows and file are gone by then", async () => {
    const [listed] = await SessionManager.list(CWD);
    withIndex(indexFolder(), ({ database }) => database.exec("DELETE FROM files"));
    rmSync(listed?.path ?? "");
    expect([listed?.firstMessage, listed?.allMessagesText]).toEqual(["(no messages)", ""]);
  });
});

describeWithEachPi("links below the root", (release) => {
  test.skipIf(process.platform === "win32")(
    "to folders of sessions are followed, as by pi; others are not",
    async () => {
      const Pi = await piAsReleased(release);
      const folder = join(sessionsDir, readdirSync(sessionsDir)[0] ?? "");
      symlinkSync(folder, join(sessionsDir, "linked"));
      symlinkSync(join(folder, readdirSync(folder)[0] ?? ""), join(sessionsDir, "file.jsonl"));
      const paths = (await SessionManager.listAll()).map(({ path }) => path).sort();
      expect(paths).toEqual((await Pi.listAll()).map(({ path }) => path).sort());
      expect(paths.filter((path) => path.includes("linked"))).not.toEqual([]);
    },
  );
});

test("there are no sessions where their root is a file", async () => {
  rmSync(sessionsDir, { recursive: true });
  writeFileSync(sessionsDir, "");
  expect(await SessionManager.listAll()).toEqual([]);
});

/** Somebody vouches for the index without looking. */
async function vouchForIndex(): Promise<Mock> {
  const vouch = vi.fn(async () => true);
  const place = { location: indexIn(indexFolder()), runtimeDir: process.env.XDG_RUNTIME_DIR };
  const server = await FreshnessServer.open(place, vouch);
  onTestFinished(() => server?.close());
  return vouch;
}

describe.each(["without an index", "with an index", "with an index that is vouched for"])(
  "many sessions of one moment, %s,",
  (way) => {
    const MANY = 205;

    beforeEach(async () => {
      rmSync(sessionsDir, { recursive: true });
      for (let at = 0; at < MANY; at++) {
        const path = join(sessionsDir, `--${at % 2}--`, `${"aBcD"[at % 4]}${(at * 37) % MANY}.jsonl`);
        session({ id: `s${at}`, cwd: CWD })
          .user("hello")
          .write(path);
        utimesSync(path, 1_700_000_000, 1_700_000_000);
      }
      if (way !== "without an index") sync(sessionsDir);
      if (way.includes("vouched") && process.platform === "linux") await vouchForIndex();
    });

    const pathsOf = async (list: Promise<{ path: string }[]>) => (await list).map(({ path }) => path);

    describeWithEachPi("are listed", (release) => {
      test("in pi's order", async () => {
        const Pi = await piAsReleased(release);
        const folder = join(sessionsDir, "--1--");
        expect(await pathsOf(SessionManager.listAll())).toEqual(await pathsOf(Pi.listAll()));
        expect(await pathsOf(SessionManager.listAll(folder))).toEqual(await pathsOf(Pi.listAll(folder)));
      });
    });

    test("are told as they come: the first one, then after every hundred, of one folder after every ten, and all", async () => {
      const told = async (...where: string[]) => {
        const partial: (readonly unknown[])[] = [];
        await SessionManager.listAll(where[0], (_loaded, _total, sessions) => {
          if (sessions !== undefined) partial.push(sessions);
        });
        return partial.map(({ length }) => length);
      };
      expect(await told()).toEqual([1, 100, 200, 205]);
      expect(await told(join(sessionsDir, "--1--"))).toEqual([
        1,
        ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => n * 10),
        102,
      ]);
    });
  },
);

test("a progress callback that throws ends the list with its error", async () => {
  const list = SessionManager.listAll(() => {
    throw new Error("the caller's own");
  });
  await expect(list).rejects.toThrow("the caller's own");
});

describe.skipIf(process.platform === "win32")("B13: what is no regular file", () => {
  test.each(["with", "without"])(
    "harms no list, no search and no continuation, %s an index: dangling links, folders, FIFOs",
    async (way) => {
      if (way === "with") sync(sessionsDir);
      const dir = join(tempDir(), "odd");
      mkdirSync(join(dir, "folder.jsonl"), { recursive: true });
      symlinkSync("/no/such/file", join(dir, "dangling.jsonl"));
      symlinkSync("loop.jsonl", join(dir, "loop.jsonl"));
      execFileSync("mkfifo", [join(dir, "fifo.jsonl")]);
      const path = join(dir, "real.jsonl");
      writeFileSync(path, session({ cwd: CWD, id: "real" }).user("hello").assistant().bytes());
      utimesSync(path, 1_600_000_000, 1_600_000_000);
      expect((await SessionManager.listAll(dir)).map((info) => info.path)).toEqual([path]);
      expect(SessionManager.findById(CWD, "real", dir)).toBe(path);
      expect(SessionManager.continueRecent(CWD, dir).getSessionFile()).toBe(path);
      expect(() => SessionManager.open(join(dir, "fifo.jsonl"))).toThrow("is not a valid pi session");
      expect(() => SessionManager.open(join(dir, "folder.jsonl"))).toThrow("EISDIR");
    },
  );
});

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { SessionManager } from "../../src/session/session-manager.ts";
import { asNobody, NOBODY } from "../files/as-nobody.ts";
import { SEED } from "../helpers/fuzz.ts";
import { canLimit, withFileSizeLimit } from "../helpers/limits.ts";
import { mayMount } from "../helpers/mounts.ts";
import { endWithTest } from "../helpers/processes.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { appends } from "./operations/appends.ts";
import { Random } from "./random.ts";

const hello = { role: "user" as const, content: "hello", timestamp: 1 };

const seen = (manager: SessionManager) => [
  structuredClone(manager.getEntries()),
  manager.getLeafId(),
  manager.getEntries().map((entry) => manager.getLabel(entry.id)),
  manager.getSessionName(),
];

function sessionFile(bytes: Uint8Array = session().user("a").assistant().bytes()): string {
  const path = join(tempDir(), "session.jsonl");
  writeFileSync(path, bytes);
  return path;
}

describe("G13: a file rewritten in place under an open session", () => {
  test.each([
    ["to the same length", (bytes: Buffer) => Buffer.from(bytes.toString().replace('"a"', '"b"'))],
    ["and longer", (bytes: Buffer) => Buffer.concat([Buffer.from('{"type":"session"}\n'), bytes])],
  ])("%s, is not appended to, and nothing is lost", (_how, rewrite) => {
    const path = sessionFile();
    const manager = SessionManager.open(path);
    manager.appendMessage(hello);
    const before = seen(manager);
    const rewritten = rewrite(readFileSync(path));
    writeFileSync(path, rewritten);
    expect(() => manager.appendMessage(hello)).toThrow(expect.objectContaining({ code: "io" }));
    expect(seen(manager)).toEqual(before);
    expect(readFileSync(path).equals(rewritten)).toBe(true);
  });
});

describe.skipIf(!canLimit)("B21, I-9, I-11: a disk that is full at any byte", () => {
  test.each([1, 2, 3, 4])("loses nothing, in memory or on disk (seed %i)", (seed) => {
    const random = new Random(seed);
    const makers = Object.values(appends);
    const path = sessionFile();
    let manager = SessionManager.open(path);
    for (let step = 0; step < 60; step++) {
      const [before, bytes] = [seen(manager), readFileSync(path)];
      const maker = makers[random.below(makers.length)] ?? makers[0];
      const operation = maker?.[1](random, step);
      const room = random.below(120);
      const twin = { Manager: SessionManager, manager, dir: dirname(path), plain: String };
      const run = () => operation?.(twin);
      if (failsWith(() => withFileSizeLimit(bytes.length + room, run))) {
        expect(seen(manager)).toEqual(before);
        expect(readFileSync(path).equals(bytes)).toBe(true);
      }
      manager.appendMessage(hello);
      expect(SessionManager.open(path).getEntries()).toEqual(
        JSON.parse(JSON.stringify(manager.getEntries())),
      );
      if (random.below(10) === 0) manager = SessionManager.open(path);
    }
  });

  test("keeps a new session in memory until its file can be written", () => {
    const manager = SessionManager.create(tempDir(), tempDir());
    const path = manager.getSessionFile() ?? "";
    const before = seen(manager);
    expect(() => withFileSizeLimit(100, () => manager.appendMessage(hello))).toThrow("EFBIG");
    expect(seen(manager)).toEqual(before);
    expect(existsSync(path)).toBe(false);
    manager.appendMessage(hello);
    expect(SessionManager.open(path).getEntries()).toEqual(manager.getEntries());
  });

  test("stops a fork and a branch without leaving half a file", () => {
    const path = sessionFile();
    const [cwd, forks] = [tempDir(), tempDir()];
    expect(() => withFileSizeLimit(200, () => SessionManager.forkFrom(path, cwd, forks))).toThrow("EFBIG");
    const manager = SessionManager.open(path, forks);
    const before = seen(manager);
    const branch = () => manager.createBranchedSession(manager.getLeafId() ?? "");
    expect(() => withFileSizeLimit(200, branch)).toThrow("EFBIG");
    expect(seen(manager)).toEqual(before);
    expect(manager.getSessionFile()).toBe(path);
    manager.appendMessage(hello);
    expect(SessionManager.open(path).getEntries()).toHaveLength(3);
    expect(SessionManager.continueRecent(cwd, forks).getEntries()).toEqual([]);
  });

  test("leaves a session in an array where it is, and says why", () => {
    const path = join(tempDir(), "session.json");
    session().user("a").write(path);
    const manager = SessionManager.open(path);
    const before = seen(manager);
    expect(() => withFileSizeLimit(100, () => manager.appendMessage(hello))).toThrow("EFBIG");
    expect([seen(manager), manager.getSessionFile()]).toEqual([before, path]);
    expect(existsSync(`${path}l`)).toBe(false);
    manager.appendMessage(hello);
    expect(SessionManager.open(`${path}l`).getEntries()).toEqual(manager.getEntries());
  });

  test("leaves a session of version 1 unmigrated, which can be read, and goes on once there is room", () => {
    const bytes = session({ version: 1 }).user("a").assistant().bytes();
    const path = sessionFile(bytes);
    const manager = withFileSizeLimit(300, () => SessionManager.open(path));
    const before = seen(manager);
    expect(manager.buildSessionContext().messages).toHaveLength(2);
    expect(() => withFileSizeLimit(300, () => manager.appendMessage(hello))).toThrow(
      expect.objectContaining({
        code: "io",
        message: expect.stringContaining(`${path} has an earlier format version`),
      }),
    );
    expect(seen(manager)).toEqual(before);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    manager.appendMessage(hello);
    expect(seen(SessionManager.open(path))).toEqual(seen(manager));
  });

  test("of which a session of version 1 was deleted before it was migrated, keeps all of it", () => {
    const path = sessionFile(session({ version: 1 }).user("a").assistant().bytes());
    const manager = withFileSizeLimit(300, () => SessionManager.open(path));
    rmSync(path);
    manager.appendMessage(hello);
    expect(manager.getEntries()).toHaveLength(3);
    expect(seen(SessionManager.open(path))).toEqual(seen(manager));
  });
});

function failsWith(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (error) {
    // Operations that are refused for other reasons fail as well; they must change nothing either.
    expect(error).toBeInstanceOf(Error);
    return true;
  }
}

describe.skipIf(process.platform === "win32")("B21: a session that may not be written to", () => {
  test("can be read; an append throws and changes nothing", () => {
    const path = sessionFile();
    withoutPrivileges(dirname(path), path, () => {
      chmodSync(path, 0o400);
      const manager = SessionManager.open(path);
      const before = seen(manager);
      expect(manager.buildSessionContext().messages).toHaveLength(2);
      expect(() => manager.appendMessage(hello)).toThrow("EACCES");
      expect(seen(manager)).toEqual(before);
    });
  });

  test.each<[string, (path: string) => string, number]>([
    ["is write-protected", (path) => path, 0o400],
    ["may have no file beside it", dirname, 0o500],
  ])(
    "of version 1 can be read where it %s; an append throws and changes nothing",
    (_where, guarded, mode) => {
      const bytes = session({ version: 1 }).user("a").assistant().bytes();
      const path = sessionFile(bytes);
      withoutPrivileges(dirname(path), path, () => {
        chmodSync(guarded(path), mode);
        const manager = SessionManager.open(path);
        const opened = seen(manager);
        expect(manager.buildSessionContext().messages).toHaveLength(2);
        expect(() => manager.appendMessage(hello)).toThrow("EACCES");
        expect(seen(manager)).toEqual(opened);
        chmodSync(dirname(path), 0o700);
      });
      expect(readFileSync(path).equals(bytes)).toBe(true);
    },
  );

  test("of version 1 is migrated by the first append that may write", () => {
    const path = sessionFile(session({ version: 1 }).user("a").assistant().bytes());
    withoutPrivileges(dirname(path), path, () => {
      chmodSync(dirname(path), 0o500);
      const manager = SessionManager.open(path);
      chmodSync(dirname(path), 0o700);
      for (let at = 0; at < 2; at++) manager.appendMessage(hello);
      expect(readFileSync(path, "utf8").split("\n")).toHaveLength(6);
      expect(seen(SessionManager.open(path))).toEqual(seen(manager));
    });
  });

  test("of version 1 that was changed since it was opened stays as it is", () => {
    const path = sessionFile(session({ version: 1 }).user("a").bytes());
    withoutPrivileges(dirname(path), path, () => {
      chmodSync(dirname(path), 0o500);
      const manager = SessionManager.open(path);
      chmodSync(dirname(path), 0o700);
      const bytes = session({ version: 1 }).user("a").user("b").bytes();
      writeFileSync(path, bytes);
      expect(() => manager.appendMessage(hello)).toThrow("was changed by another program");
      expect(readFileSync(path).equals(bytes)).toBe(true);
    });
  });
});

/** Root may do anything: then the files are given to nobody, and `act` runs as that user. */
function withoutPrivileges(dir: string, file: string, act: () => void): void {
  if (process.geteuid?.() === 0) for (const path of [dir, file]) chownSync(path, NOBODY, statSync(path).gid);
  asNobody(act);
}

const built = join(
  process.env.SESSIONDB_BUILT ?? join(import.meta.dirname, "../../build"),
  "src/session/session-manager.js",
);
const child = join(import.meta.dirname, "full-disk-child.mjs");
if (!existsSync(built)) console.warn(`skipped: ${built} is missing; build first`);

const OPEN = `const { writeSync } = await import("node:fs");
  const { SessionManager } = await import(process.argv[1]);
  writeSync(1, "loaded");
  SessionManager.open(process.argv[2]);`;

/** Opens a session in another process, which may be killed so many ms after it began to; how many ms it was at it. */
async function openElsewhere(path: string, killedAfterMs?: number): Promise<number> {
  const args = ["--input-type=module", "-e", OPEN, pathToFileURL(built).href, path];
  const child = endWithTest(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  const begun = performance.now();
  if (killedAfterMs !== undefined) {
    await pause(killedAfterMs);
    child.kill("SIGKILL");
  }
  await ended;
  return performance.now() - begun;
}

test.skipIf(!existsSync(built))(
  `A18: a migration killed at any moment leaves the old file or the new one (seed ${SEED})`,
  async () => {
    const entries = 4000;
    const old = session({ version: 1 });
    for (let at = 0; at < entries; at++) old.user(`entry ${at}`);
    const isMigrated = (path: string) => {
      const [header, ...rest] = readFileSync(path, "utf8").trimEnd().split("\n");
      expect(rest).toHaveLength(entries);
      const isNew = JSON.parse(header ?? "").version === 3;
      expect(rest.every((line) => line.includes('"parentId":') === isNew)).toBe(true);
      return isNew;
    };
    const whole = sessionFile(old.bytes());
    const wholeMs = await openElsewhere(whole);
    expect(isMigrated(whole)).toBe(true);
    const random = new Random(SEED);
    for (let round = 0; round < 12; round++) {
      const path = sessionFile(old.bytes());
      await openElsewhere(path, random.below(Math.ceil(wholeMs)));
      isMigrated(path);
    }
  },
);

test.skipIf(!existsSync(built))("E6: four writers of one file lose no entry and tear no line", async () => {
  const path = sessionFile();
  const write = `const { SessionManager } = await import(process.argv[1]);
    const manager = SessionManager.open(process.argv[2]);
    for (let at = 0; at < 200; at++) manager.appendCustomEntry("n", "x".repeat(at * 7));`;
  const args = ["--input-type=module", "-e", write, pathToFileURL(built).href, path];
  const writers = Array.from({ length: 4 }, () => once(spawn(process.execPath, args), "exit"));
  expect(await Promise.all(writers)).toEqual(Array(4).fill([0, null]));
  // Who looks in the middle of another's write sees a torn line, and begins with a newline: that may leave a blank line.
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  expect(lines.map((line) => JSON.parse(line))).toHaveLength(3 + 4 * 200);
});

test.skipIf(!mayMount || !existsSync(built))(
  "B21: a disk that is really full (ENOSPC) loses nothing either",
  () => {
    const dir = tempDir();
    const script = `mount -t tmpfs -o size=128k none "$0" && exec "$1" "$2" "$3" "$0"`;
    const run = spawnSync("unshare", ["-Urm", "sh", "-c", script, dir, process.execPath, child, built], {
      encoding: "utf8",
    });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual({
      codes: ["ENOSPC"],
      memoryKept: true,
      fileKept: true,
      goesOn: true,
    });
  },
);

/** Opens a session, appends to it and prints what came of either. */
const OPEN_AND_APPEND = `const { SessionManager } = await import(process.argv[1]);
  const manager = SessionManager.open(process.argv[2]);
  const said = { opened: manager.getEntries().length };
  try { manager.appendCustomEntry("n"); } catch ({ code, cause }) { Object.assign(said, { code, cause: cause.code }); }
  console.log(JSON.stringify(said));`;

test.skipIf(!mayMount || !existsSync(built)).each([
  ["ENOSPC", "is on a full disk", 'mount -t tmpfs -o size=64k none "$0" && cp "$1" "$0" && cd "$0"'],
  ["EBUSY", "is mounted by itself", 'mount --bind "$1" "$1" && cd "$(dirname "$1")"'],
])("B21: a session of version 1 whose place gives %s, because it %s, can be read", (cause, _why, mount) => {
  const old = session({ version: 1 });
  for (let at = 0; at < 40; at++) old.user("x".repeat(1000));
  const path = sessionFile(old.bytes());
  const script = `${mount} && exec "$2" --input-type=module -e "$3" "$4" session.jsonl`;
  const args = ["-c", script, tempDir(), path, process.execPath, OPEN_AND_APPEND, pathToFileURL(built).href];
  const run = spawnSync("unshare", ["-Urm", "sh", ...args], { encoding: "utf8" });
  expect(run.stderr).toBe("");
  expect(JSON.parse(run.stdout)).toEqual({ opened: 40, code: "io", cause });
});

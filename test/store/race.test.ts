import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { unlessUnreadable } from "../../src/errors.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const PROCESSES = 8;
const program = join(import.meta.dirname, "open-at-barrier.mjs");

interface Outcome {
  id?: string;
  /** It has emptied the rows that were there. */
  wasEmptied?: boolean;
  code?: string;
  message?: string;
}

/** Has the index open, with a log that is in use, for as long as it runs. */
const HOLDER = `import { openIndex } from ${JSON.stringify(new URL("../../build/src/store/open.js", import.meta.url).href)};
  const [indexPath, searchPath] = process.argv.slice(1);
  const { database, search } = openIndex({ indexPath, searchPath });
  for (const each of [database, search]) each.prepare("SELECT count(*) FROM meta").get();
  for (const each of [database, search]) each.exec("CREATE TABLE held (x); DROP TABLE held");
  console.log("open");
  setInterval(() => {}, 1000);`;

/** A process that is about to open an index. */
interface Opener {
  /** Lets it, and gives what came of it. */
  go: () => Promise<Outcome>;
  /** Whether it has the file of the index open; where the system does not tell, whether it was let. */
  isAtIt: () => boolean;
}

async function aboutToOpen(folder: string): Promise<Opener> {
  const child = spawn(process.execPath, [program, folder], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await new Promise<void>((ready) => {
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
      if (output.startsWith("ready\n")) ready();
    });
    child.on("close", () => ready());
  });
  let isLet = false;
  const go = async () => {
    isLet = true;
    child.stdin.end();
    await ended;
    return JSON.parse(output.slice("ready\n".length)) as Outcome;
  };
  return { go, isAtIt: () => openFilesOf(child.pid)?.includes("index-v1.db") ?? isLet };
}

/** The names of the files that a process has open; undefined where the system does not tell, or it has ended. */
function openFilesOf(pid: number | undefined): string[] | undefined {
  const folder = `/proc/${pid}/fd`;
  const open = unlessUnreadable(() => readdirSync(folder));
  return open?.map((each) => basename(unlessUnreadable(() => readlinkSync(join(folder, each))) ?? ""));
}

/** What each of them says when all use the index that is there by then. */
function allUse(folder: string): Outcome[] {
  const id = withIndex(folder, ({ database }) =>
    database.prepare<[], string>("SELECT value FROM meta WHERE name = 'index_id'").pluck().get(),
  );
  expect(id).toBeDefined();
  return Array(PROCESSES).fill({ id, wasEmptied: false });
}

async function openAllAtOnce(folder: string): Promise<Outcome[]> {
  const children = await Promise.all(Array.from({ length: PROCESSES }, () => aboutToOpen(folder)));
  return Promise.all(children.map(({ go }) => go()));
}

describe(`D13: when ${PROCESSES} processes open an index at once`, () => {
  test.each([1, 2, 3])("that is not there, one makes it and all can use it (%i)", async () => {
    const folder = join(tempDir(), "new");
    expect(await openAllAtOnce(folder)).toEqual(allUse(folder));
  });

  test.each([1, 2, 3])("that was deleted but for its log, one makes it and all can use it (%i)", async () => {
    const folder = tempDir();
    for (const path of Object.values(indexIn(folder)))
      writeFileSync(`${path}-wal`, "a log without its database");
    expect(await openAllAtOnce(folder)).toEqual(allUse(folder));
  });

  test("that another process is about to make, each waits for it", async () => {
    const folder = tempDir();
    const children = await Promise.all(Array.from({ length: PROCESSES }, () => aboutToOpen(folder)));
    const other = new (loadSqlite())(join(folder, "index-v1.db"));
    other.pragma("auto_vacuum = INCREMENTAL");
    other.exec("BEGIN IMMEDIATE");
    const outcomes = Promise.all(children.map(({ go }) => go()));
    await pollUntil(() => children.every(({ isAtIt }) => isAtIt()), { what: "those that wait", every: 1 });
    other.exec("COMMIT");
    other.close();
    expect(await outcomes).toEqual(allUse(folder));
  });

  test("that has to be emptied, one empties it and all can use it", async () => {
    const folder = tempDir();
    withIndex(folder, ({ database, search }) => {
      for (const each of [database, search]) each.pragma("user_version = 0");
    });
    const outcomes = await openAllAtOnce(folder);
    expect(outcomes.filter(({ wasEmptied }) => wasEmptied)).toHaveLength(1);
    expect(outcomes.map((each) => ({ ...each, wasEmptied: false }))).toEqual(allUse(folder));
  });

  test("its files are their owner's only", async () => {
    const folder = join(tempDir(), "new");
    mkdirSync(folder, { mode: 0o755 });
    await openAllAtOnce(folder);
    const modes = ["index-v1.db", "search-v1.db"].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });
});

test.skipIf(process.platform === "win32")(
  "D6: an index that is deleted while another process has it open is made again, and is sound",
  async () => {
    const folder = tempDir();
    const paths = Object.values(indexIn(folder));
    withIndex(folder, ({ search }) => search.prepare("SELECT 1").get());
    const args = ["--input-type=module", "-e", HOLDER, ...paths];
    const holder = endWithTest(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }));
    await once(holder.stdout, "data");
    for (const path of paths) rmSync(path);
    const isSound = () =>
      withIndex(folder, ({ database, search }) =>
        [database, search].map((each) => each.pragma("integrity_check", { simple: true })),
      );
    const before = isSound();
    const ended = once(holder, "exit");
    holder.kill();
    await ended;
    expect([before, isSound()]).toEqual([
      ["ok", "ok"],
      ["ok", "ok"],
    ]);
  },
);

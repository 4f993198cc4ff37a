import { spawn } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FreshnessServer } from "../../daemon/components/freshness-server.ts";
import { removeFiles } from "../../src/indexing/remove-files.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, takeIn } from "./pretend-world.ts";

const DELETED_WHILE_SYNCED = join(import.meta.dirname, "deleted-while-synced.mjs");
const SESSIONS = 3;

/** An agent directory with sessions, all of them in the index. */
async function indexed(): Promise<{ agentDir: string; folder: string }> {
  const agentDir = emptyAgent(tempDir());
  for (let number = 0; number < SESSIONS; number++) {
    const built = session({ id: `s${number}`, timestamp: `2026-11-03T1${number}:00:00.000Z` })
      .user("apple")
      .assistant({ text: "pear" });
    built.writeBelow(join(agentDir, "sessions"));
  }
  await takeIn({ agentDir });
  return { agentDir, folder: join(agentDir, "sessiondb") };
}

/** As `sync --rebuild` of another process begins. */
function empty(folder: string): void {
  withIndex(folder, (index) => {
    const paths = index.database.prepare("SELECT path FROM files").pluck().all() as string[];
    removeFiles(index, paths);
  });
}

/** Deletes the index; and another process makes a new one, and has nothing in it yet. */
function replace(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  withIndex(folder, ({ search }) => search.prepare("SELECT 1").get());
}

/** A daemon vouches for the index when it is asked first, and then something happens before anything is read. */
async function whenVouchedFor(folder: string, happen: (folder: string) => void): Promise<{ times: number }> {
  const asked = { times: 0 };
  const place = { location: indexIn(folder), runtimeDir: process.env.XDG_RUNTIME_DIR };
  const server = await FreshnessServer.open(place, async () => {
    asked.times++;
    if (asked.times > 1) return false;
    happen(folder);
    return true;
  });
  onTestFinished(() => server?.close());
  return asked;
}

/** What runs statements, but before it answers its first question another process empties the index. */
function sqlProgramOfAnEmptiedIndex(folder: string): string {
  const place = tempDir();
  const compiled = (path: string) => JSON.stringify(new URL(`../../build/src/${path}`, import.meta.url).href);
  const program = join(place, "sql-process.mjs");
  const lines = [
    'import { existsSync, writeFileSync } from "node:fs";',
    `import { openIndex } from ${compiled("store/open.js")};`,
    `import { removeFiles } from ${compiled("indexing/remove-files.js")};`,
    `const done = ${JSON.stringify(join(place, "done"))};`,
    "function empty() {",
    "  if (existsSync(done)) return;",
    '  writeFileSync(done, "");',
    `  const index = openIndex(${JSON.stringify(indexIn(folder))});`,
    '  removeFiles(index, index.database.prepare("SELECT path FROM files").pluck().all());',
    "  index.close();",
    "}",
    // First of those who hear the question, but not before the real one can hear it too.
    'process.on("newListener", function look(name) {',
    '  if (name === "message") process.off("newListener", look).once("message", empty);',
    "});",
    `await import(${compiled("reports/sql/sql-process.js")});`,
  ];
  writeFileSync(program, lines.join("\n"));
  return program;
}

test("an index that is emptied before a statement sees it is caught up with again", async () => {
  const { agentDir, folder } = await indexed();
  const sqlProgram = sqlProgramOfAnEmptiedIndex(folder);
  const rows = await runJson(["sql", "SELECT count(*) AS n FROM sessions"], { agentDir, sqlProgram });
  expect(rows).toEqual([{ n: SESSIONS }]);
});

describe.runIf(process.platform === "linux").each([
  ["emptied", empty],
  ["deleted and made anew", replace],
])("an index that is %s after it was found to be up to date is caught up with again", (_what, happen) => {
  test.each([
    [["list"], { total: SESSIONS }],
    [["usage", "--all"], { totals: { requests: SESSIONS } }],
    [["search", "apple"], { total: SESSIONS }],
    [["show", "s1"], { session: { id: "s1" } }],
    [["sql", "SELECT count(*) AS n FROM sessions"], [{ n: SESSIONS }]],
  ])("by %j", async (argv, answer) => {
    const { agentDir, folder } = await indexed();
    const asked = await whenVouchedFor(folder, happen);
    const env = { XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR };
    expect(await runJson(argv, { agentDir, env })).toMatchObject(answer);
    expect(asked.times).toBe(2);
  });

  test("by SessionManager.listAll, which reads the files then", async () => {
    const { agentDir, folder } = await indexed();
    vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
    const asked = await whenVouchedFor(folder, happen);
    const infos = await SessionManager.listAll();
    expect([infos.length, asked.times]).toEqual([SESSIONS, 1]);
  });
});

test.each([1, 2, 3, 4])(
  "an index that is emptied while it is verified is verified once all is back (after step %i)",
  async (moment) => {
    const { agentDir, folder } = await indexed();
    let steps = 0;
    const onStep = () => {
      if (++steps === moment) empty(folder);
    };
    const found = await runJson(["verify"], { agentDir, onStep });
    expect(found).toMatchObject({ ok: true, checked: SESSIONS, entries: 2 * SESSIONS });
  },
);

test("verify does not wait for ever for another process that does not let the full text be fed", async () => {
  const { agentDir, folder } = await indexed();
  session({ id: "new" }).user("cherry").writeBelow(join(agentDir, "sessions"));
  withIndex(folder, ({ search }) => search.prepare("SELECT 1").get());
  const other = new (loadSqlite())(indexIn(folder).searchPath);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  let looks = 0;
  const steady = () => 10_000 * looks++;
  expect(await runCli(["verify"], { agentDir, steady })).toMatchObject({
    code: 75,
    stderr: expect.stringContaining("another process is writing to the index"),
  });
});

test("an index that is deleted while it is synced is made again", async () => {
  const agentDir = emptyAgent(tempDir());
  session({ id: "s" }).user("apple").writeBelow(join(agentDir, "sessions"));
  const child = spawn(process.execPath, [DELETED_WHILE_SYNCED, agentDir], { stdio: "ignore" });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  const sessions = withIndex(join(agentDir, "sessiondb"), ({ database }) =>
    database.prepare("SELECT count(*) FROM sessions").pluck().get(),
  );
  expect(sessions).toBe(1);
});

test("a full text that another process is filling, and that lacks much, is waited for beyond the usual time", async () => {
  const { agentDir, folder } = await indexed();
  withIndex(folder, ({ search }) => search.pragma("user_version = 1"));
  withIndex(folder, ({ search }) => search.prepare("SELECT 1").get());
  const other = new (loadSqlite())(indexIn(folder).searchPath);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  let steps = 0;
  const onStep = () => {
    if (++steps === 3) other.exec("COMMIT");
  };
  let seconds = 0;
  const steady = () => 1000 * seconds++;
  const found = await runJson(["search", "apple"], { agentDir, onStep, steady });
  expect(found).toMatchObject({ total: SESSIONS, behind: 0 });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FreshnessServer } from "../../daemon/freshness-server.ts";
import { SessionManager } from "../../src/session-manager.ts";
import { forgetFiles } from "../../src/sync/forget.ts";
import { indexIn, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson } from "./pretend-world.ts";

const SESSIONS = 3;

/** An agent directory with sessions, all of them in the index. */
async function indexed(): Promise<{ agentDir: string; folder: string }> {
  const agentDir = emptyAgent(tempDir());
  for (let number = 0; number < SESSIONS; number++) {
    const built = session({ id: `s${number}` })
      .user("apple")
      .assistant({ text: "pear" });
    built.writeBelow(join(agentDir, "sessions"));
  }
  await runCli(["sync"], { agentDir });
  return { agentDir, folder: join(agentDir, "sessiondb") };
}

/** As `sync --rebuild` of another process begins. */
function empty(folder: string): void {
  withIndex(folder, (index) => {
    const paths = index.database.prepare("SELECT path FROM files").pluck().all() as string[];
    forgetFiles(index, paths);
  });
}

/** A daemon vouches for the index when it is asked first, and another process empties it before anything is read. */
async function emptiedWhenVouchedFor(folder: string): Promise<{ times: number }> {
  const asked = { times: 0 };
  const place = { location: indexIn(folder), runtimeDir: process.env.XDG_RUNTIME_DIR };
  const server = await FreshnessServer.open(place, async () => {
    asked.times++;
    if (asked.times > 1) return false;
    empty(folder);
    return true;
  });
  onTestFinished(() => server?.close());
  return asked;
}

/** What runs statements, but before it answers its first question another process empties the index. */
function sqlProgramOfAnEmptiedIndex(folder: string): string {
  const place = tempDir();
  const compiled = (path: string) => JSON.stringify(new URL(`../../dist/src/${path}`, import.meta.url).href);
  const program = join(place, "sql-process.mjs");
  const lines = [
    'import { existsSync, writeFileSync } from "node:fs";',
    `import { openIndex } from ${compiled("db/open.js")};`,
    `import { forgetFiles } from ${compiled("sync/forget.js")};`,
    `const done = ${JSON.stringify(join(place, "done"))};`,
    "function empty() {",
    "  if (existsSync(done)) return;",
    '  writeFileSync(done, "");',
    `  const index = openIndex(${JSON.stringify(indexIn(folder))});`,
    '  forgetFiles(index, index.database.prepare("SELECT path FROM files").pluck().all());',
    "  index.close();",
    "}",
    // First of those who hear the question, but not before the real one can hear it too.
    'process.on("newListener", function look(name) {',
    '  if (name === "message") process.off("newListener", look).once("message", empty);',
    "});",
    `await import(${compiled("query/sql-process.js")});`,
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

describe.runIf(process.platform === "linux")(
  "an index that is emptied after it was found to be up to date is caught up with again",
  () => {
    test.each([
      [["list"], { total: SESSIONS }],
      [["usage", "--all"], { totals: { requests: SESSIONS } }],
      [["search", "apple"], { total: SESSIONS }],
      [["show", "s1"], { session: { id: "s1" } }],
      [["sql", "SELECT count(*) AS n FROM sessions"], [{ n: SESSIONS }]],
    ])("by %j", async (argv, answer) => {
      const { agentDir, folder } = await indexed();
      const asked = await emptiedWhenVouchedFor(folder);
      const env = { XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR };
      expect(await runJson(argv, { agentDir, env })).toMatchObject(answer);
      expect(asked.times).toBe(2);
    });

    test("by SessionManager.listAll, which reads the files then", async () => {
      const { agentDir, folder } = await indexed();
      vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
      const asked = await emptiedWhenVouchedFor(folder);
      const infos = await SessionManager.listAll();
      expect([infos.length, asked.times]).toEqual([SESSIONS, 1]);
    });
  },
);

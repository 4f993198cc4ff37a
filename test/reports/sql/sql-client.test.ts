import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { isAlive } from "../../../daemon/control/process.ts";
import { SqlProcess } from "../../../src/reports/sql/sql-client.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const PROGRAM = fileURLToPath(new URL("../../../dist/src/reports/sql/sql-process.js", import.meta.url));
const PAUSE = new Int32Array(new SharedArrayBuffer(4));
const MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n";

/** The program itself, which is killed when its first rows are sent, as by a system that is out of memory. */
function killedAfterItsFirstRows(): { program: string; isKilled: () => boolean } {
  const folder = tempDir();
  const [program, marker] = [join(folder, "killed.mjs"), join(folder, "pid")];
  writeFileSync(
    program,
    `import { renameSync, writeFileSync } from "node:fs";
    const marker = ${JSON.stringify(marker)};
    const send = process.send;
    process.send = (message, handle, options, sent) =>
      send.call(process, message, handle, options, (error) => {
        sent(error);
        if (message.kind !== "batch") return;
        writeFileSync(marker + ".new", String(process.pid));
        renameSync(marker + ".new", marker);
        process.kill(process.pid, "SIGKILL");
      });
    await import(${JSON.stringify(pathToFileURL(PROGRAM).href)});`,
  );
  return { program, isKilled: () => existsSync(marker) && !isAlive(Number(readFileSync(marker, "utf8"))) };
}

/** A program of Node's that does something else than to run a statement, or before it. */
function programOf(script: string): string {
  const program = join(tempDir(), "program.mjs");
  writeFileSync(program, script);
  return program;
}

function ask(child: SqlProcess, timeoutMs = 0): ReturnType<SqlProcess["run"]> {
  const folder = tempDir();
  withIndex(folder, () => undefined);
  return child.run({ location: indexIn(folder), sql: MANY, parameters: {}, limits: {} }, timeoutMs);
}

/** Does it where no program of Node can be begun. */
function withoutNode<T>(work: () => T): T {
  const { execPath } = process;
  process.execPath = join(tempDir(), "no-node");
  try {
    return work();
  } finally {
    process.execPath = execPath;
  }
}

test("a process that aborts before it is ready, as where it gets no threads, is not out of memory", async () => {
  const rows = ask(new SqlProcess(programOf("process.abort();")));
  await expect(rows.next()).rejects.toMatchObject({
    code: "io",
    message: "the process that runs the statement ended before it was ready",
    hint: expect.stringContaining("ulimit -u"),
  });
});

test("a process that does not come up is told from a statement that takes long", async () => {
  const child = new SqlProcess(programOf("process.on('message', () => undefined);"), 300);
  await expect(ask(child).next()).rejects.toMatchObject({
    code: "timeout",
    message: "the process that runs the statement was not ready after 0.3 s",
  });
  child.end();
});

test("the time that a process takes to come up is not the statement's", async () => {
  const late = `await new Promise((resolve) => setTimeout(resolve, 1000)); await import(${JSON.stringify(pathToFileURL(PROGRAM).href)});`;
  const rows = ask(new SqlProcess(programOf(late)), 900);
  expect((await rows.next()).done).toBe(false);
  await rows.return();
});

test("what ends a statement between two batches is said, however long it may take", async () => {
  const { program, isKilled } = killedAfterItsFirstRows();
  const rows = ask(new SqlProcess(program));
  expect((await rows.next()).done).toBe(false);
  await pollUntil(isKilled, { what: "its end" });
  // By then this process has heard of it.
  await setImmediate();
  await expect(rows.next()).rejects.toThrow("needs more memory than it may use");
});

test("what ends a statement is said, also where it is asked for more before its end is heard of", async () => {
  const { program, isKilled } = killedAfterItsFirstRows();
  const rows = ask(new SqlProcess(program));
  expect((await rows.next()).done).toBe(false);
  // Nothing is heard meanwhile.
  const giveUpAt = performance.now() + 60_000;
  while (!isKilled() && performance.now() < giveUpAt) Atomics.wait(PAUSE, 0, 0, 10);
  await expect(rows.next()).rejects.toThrow("needs more memory than it may use");
});

test("a process that cannot be begun is told when it is asked, however late", async () => {
  const child = withoutNode(() => new SqlProcess(PROGRAM));
  // By then it has said that it could not be begun.
  await setImmediate();
  await expect(ask(child).next()).rejects.toMatchObject({ code: "io" });
});

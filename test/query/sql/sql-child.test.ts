import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { isAlive } from "../../../daemon/alive.ts";
import { SqlProcess } from "../../../src/query/sql/sql-child.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const PROGRAM = fileURLToPath(new URL("../../../dist/src/query/sql/sql-process.js", import.meta.url));
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
        writeFileSync(marker + ".new", String(process.pid));
        renameSync(marker + ".new", marker);
        process.kill(process.pid, "SIGKILL");
      });
    await import(${JSON.stringify(pathToFileURL(PROGRAM).href)});`,
  );
  return { program, isKilled: () => existsSync(marker) && !isAlive(Number(readFileSync(marker, "utf8"))) };
}

function ask(child: SqlProcess): AsyncGenerator<unknown> {
  const folder = tempDir();
  withIndex(folder, () => undefined);
  return child.run({ location: indexIn(folder), sql: MANY, parameters: {}, limits: {} }, 0);
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

test("what ends a statement between two batches is said, however long it may take", async () => {
  const { program, isKilled } = killedAfterItsFirstRows();
  const rows = ask(new SqlProcess(program));
  expect((await rows.next()).done).toBe(false);
  await pollUntil(isKilled, { what: "its end" });
  // By then this process has heard of it.
  await setImmediate();
  await expect(rows.next()).rejects.toThrow("needs more memory than it is given");
});

test("a process that cannot be begun is told when it is asked, however late", async () => {
  const child = withoutNode(() => new SqlProcess(PROGRAM));
  // By then it has said that it could not be begun.
  await setImmediate();
  await expect(ask(child).next()).rejects.toMatchObject({ code: "io" });
});

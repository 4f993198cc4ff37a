import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { SqlProcess } from "../../../src/query/sql/sql-child.ts";
import { indexIn, withIndex } from "../../helpers/open-index.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const PROGRAM = fileURLToPath(new URL("../../../dist/src/query/sql/sql-process.js", import.meta.url));
const MANY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n";

/** The program itself, which is killed when its first rows are sent, as by a system that is out of memory. */
function killedAfterItsFirstRows(): string {
  const path = join(tempDir(), "killed.mjs");
  writeFileSync(
    path,
    `const send = process.send;
    process.send = (message, handle, options, sent) =>
      send.call(process, message, handle, options, (error) => {
        sent(error);
        process.kill(process.pid, "SIGKILL");
      });
    await import(${JSON.stringify(pathToFileURL(PROGRAM).href)});`,
  );
  return path;
}

function ask(child: SqlProcess): AsyncGenerator<unknown> {
  const folder = tempDir();
  withIndex(folder, () => undefined);
  return child.run({ location: indexIn(folder), sql: MANY, parameters: {}, limits: {} }, 0);
}

const aMoment = () => new Promise((resolve) => setTimeout(resolve, 500));

test("what ends a statement between two batches is said, however long it may take", async () => {
  const rows = ask(new SqlProcess(killedAfterItsFirstRows()));
  expect((await rows.next()).done).toBe(false);
  await aMoment();
  await expect(rows.next()).rejects.toThrow("needs more memory than it is given");
});

test("a process that cannot be begun is told when it is asked, however late", async () => {
  const { execPath } = process;
  process.execPath = join(tempDir(), "no-node");
  const child = new SqlProcess(PROGRAM);
  process.execPath = execPath;
  await aMoment();
  await expect(ask(child).next()).rejects.toMatchObject({ code: "io" });
});

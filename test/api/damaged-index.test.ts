import { closeSync, existsSync, openSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { syncAll } from "../../src/api/maintenance.ts";
import { openIndex } from "../../src/api/open-index.ts";
import { listSessions, runSql } from "../../src/api/queries.ts";
import { SessionDbError } from "../../src/errors.ts";
import { indexIn, usualFolder } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** An index of one session that a program has made and closed, and the warnings of the process from then on. */
function made(location = indexIn(usualFolder())) {
  const root = tempDir();
  session({ id: "a" }).user("apple").assistant().writeBelow(root);
  const index = openIndex(location);
  syncAll(index, [root]);
  index.close();
  const heard: string[] = [];
  const hear = ({ message }: Error): void => void heard.push(message);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const warnings = async (): Promise<string[]> => {
    // They are emitted at the next turn.
    await setImmediate();
    return heard.filter((message) => message.includes(location.indexPath));
  };
  return { root, location, warnings };
}

/** Garbles the first page of the sessions' table. */
function garbleSessions(path: string): void {
  const index = openIndex({ indexPath: path, searchPath: `${path}.search` });
  const page = index.database
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'")
    .pluck()
    .get();
  index.close();
  const fd = openSync(path, "r+");
  writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, (Number(page) - 1) * 4096);
  closeSync(fd);
}

function errorOf(ask: () => unknown): SessionDbError | undefined {
  try {
    ask();
    return undefined;
  } catch (error) {
    if (error instanceof SessionDbError) return error;
    throw error;
  }
}

test("D9: a program that opens a damaged index gets a new one, and a warning", async () => {
  const { root, location, warnings } = made();
  truncateSync(location.indexPath, 20_000);
  const index = openIndex(location);
  syncAll(index, [root]);
  expect(listSessions(index).total).toBe(1);
  index.close();
  expect([existsSync(`${location.indexPath}.damaged`), await warnings()]).toEqual([
    true,
    [expect.stringContaining("was damaged; it was put aside")],
  ]);
});

test("D9: a program that meets the damage later is told to open the index again, which is a new one then", async () => {
  const { root, location, warnings } = made();
  garbleSessions(location.indexPath);
  const index = openIndex(location);
  const error = errorOf(() => listSessions(index));
  index.close();
  expect([error?.code, error?.hint]).toEqual(["index_corrupt", expect.stringContaining("open it again")]);
  const again = openIndex(location);
  syncAll(again, [root]);
  expect([listSessions(again).total, (await warnings()).length]).toEqual([1, 1]);
  again.close();
});

test("D9: a statement of a program that meets damage puts the index aside", () => {
  const { location } = made();
  garbleSessions(location.indexPath);
  expect(errorOf(() => runSql(location, "SELECT * FROM sessions"))?.code).toBe("index_corrupt");
  expect(existsSync(`${location.indexPath}.damaged`)).toBe(true);
});

test("D9: an index that is opened read-only is left as it is", async () => {
  const { location, warnings } = made();
  garbleSessions(location.indexPath);
  const index = openIndex(location, { readonly: true });
  expect(errorOf(() => listSessions(index))?.code).toBe("index_corrupt");
  index.close();
  expect([existsSync(`${location.indexPath}.damaged`), await warnings()]).toEqual([false, []]);
});

test("D9: a file that may be no index at all is refused, and left as it is", () => {
  const path = join(tempDir(), "notes.db");
  writeFileSync(path, "dear diary, ".repeat(1000));
  const location = { indexPath: path, searchPath: `${path}.search` };
  expect(errorOf(() => openIndex(location))?.code).toBe("index_foreign");
  expect(existsSync(`${path}.damaged`)).toBe(false);
});

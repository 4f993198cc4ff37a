import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, takeIn } from "./pretend-world.ts";

/** An agent directory whose index knows one session, `keepme`; a clock on which half a minute is soon over. */
async function indexed() {
  const dir = tempDir();
  const agentDir = emptyAgent(dir);
  const trash = join(dir, "trash");
  mkdirSync(trash);
  const write = (id: string, timestamp: string): string =>
    session({ id, timestamp }).user(id, { timestamp }).writeBelow(join(agentDir, "sessions"));
  const old = write("keepme", "2026-11-18T10:00:00Z");
  await takeIn({ agentDir });
  let now = 0;
  const steady = () => {
    now += 10_000;
    return now;
  };
  return {
    agentDir,
    trash,
    old,
    write,
    world: { agentDir, trash, steady },
    folder: join(agentDir, "sessiondb"),
  };
}

/** Another process that writes to the index, until `end`. */
function writer(folder: string): { end: () => void } {
  const Sqlite = loadSqlite();
  const database = new Sqlite(join(folder, "index-v1.db"));
  database.exec("BEGIN IMMEDIATE");
  onTestFinished(() => void database.close());
  return { end: () => void database.exec("COMMIT") };
}

describe("D18: who does something to a session that is not named by its path", () => {
  test.each([
    ["latest", "scratch"],
    ["keep", "keeper"],
    ["keepme", "keeper"],
  ])(
    "is told that the index is busy where it cannot have everything: delete %s beside %s",
    async (name, id) => {
      const { old, write, world, folder } = await indexed();
      writer(folder);
      const newer = write(id, "2026-11-19T10:00:00Z");
      const { code, stderr } = await runCli(["delete", name, "--yes"], world);
      expect([code, stderr]).toEqual([
        75,
        expect.stringMatching(/another process is writing to the index\. Try again in a moment\.\n$/),
      ]);
      expect([existsSync(old), existsSync(newer)]).toEqual([true, true]);
    },
  );

  test("waits until the other process has written, and deletes what is the latest then", async () => {
    const { old, write, world, folder } = await indexed();
    const other = writer(folder);
    const newer = write("scratch", "2026-11-19T10:00:00Z");
    let steps = 0;
    const onStep = () => {
      steps++;
      if (steps === 2) other.end();
    };
    const { code } = await runCli(["delete", "latest", "--yes"], { ...world, onStep });
    expect([code, existsSync(old), existsSync(newer)]).toEqual([0, true, false]);
  });

  test("is told of a beginning that has become ambiguous meanwhile", async () => {
    const { old, write, world } = await indexed();
    write("keeper", "2026-11-19T10:00:00Z");
    const { code, stderr } = await runCli(["delete", "keep", "--yes"], world);
    expect([code, stderr, existsSync(old)]).toEqual([1, expect.stringContaining("2 sessions begin"), true]);
  });

  test("resumes nothing that may not be the latest", async () => {
    const { write, world, folder } = await indexed();
    writer(folder);
    write("scratch", "2026-11-19T10:00:00Z");
    expect(await runCli(["resume", "latest", "--exec"], world)).toMatchObject({
      code: 75,
      stderr: expect.stringContaining("With --no-sync you get an answer from the index as it stands."),
    });
  });

  test.each(["resume", "show", "export"])("but %s answers, and says what is missing", async (command) => {
    const { write, world, folder } = await indexed();
    writer(folder);
    write("scratch", "2026-11-19T10:00:00Z");
    const { code, stdout, stderr } = await runCli([command, "latest"], world);
    expect([code, stdout]).toEqual([0, expect.stringContaining("keepme")]);
    expect(stderr).toContain("of session files are not in the index yet");
  });

  test("a path means that file, whatever is missing", async () => {
    const { old, write, world, folder } = await indexed();
    const other = writer(folder);
    write("scratch", "2026-11-19T10:00:00Z");
    const onTrash = async () => other.end();
    expect((await runCli(["delete", old, "--yes"], { ...world, onTrash })).code).toBe(0);
    expect(existsSync(old)).toBe(false);
  });
});

describe("B15: where a file cannot be read that may hold the session that is meant", () => {
  async function withUnread() {
    const store = await indexed();
    const unread = join(store.agentDir, "sessions", "unread.jsonl");
    writeFileSync(unread, "");
    withIndex(store.folder, ({ database }) =>
      new FileIndexer(database).giveUp(unread, unread, "out of memory"),
    );
    return { ...store, unread };
  }

  test.each(["latest", "keep"])("nothing is deleted by the name %s", async (name) => {
    const { old, world, unread } = await withUnread();
    const { code, stderr } = await runCli(["delete", name, "--yes"], world);
    expect([code, existsSync(old)]).toEqual([1, true]);
    expect(stderr).toContain(`${unread} cannot be read, and may hold the session you mean. Name the`);
  });

  test("a path is enough", async () => {
    const { old, world } = await withUnread();
    expect((await runCli(["delete", old, "--yes"], world)).code).toBe(0);
    expect(existsSync(old)).toBe(false);
  });

  test("a new session is taken in, and nothing is deleted all the same", async () => {
    const { write, world, unread } = await withUnread();
    const newer = write("scratch", "2026-11-19T10:00:00Z");
    const { code, stderr } = await runCli(["delete", "latest", "--yes"], world);
    expect([code, stderr, existsSync(newer)]).toEqual([1, expect.stringContaining(unread), true]);
  });
});

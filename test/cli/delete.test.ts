import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadSqlite } from "../../src/store/native.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, takeIn } from "./pretend-world.ts";

/** Three sessions, each with a word of its own, and a trash. */
function store() {
  const dir = tempDir();
  const agentDir = emptyAgent(dir);
  const trash = join(dir, "trash");
  mkdirSync(trash);
  const paths = ["zanzibar", "quixotic", "wombat"].map((word) =>
    session({ id: word, cwd: `/tmp/${word}` })
      .user(`about ${word}s`)
      .assistant({ text: `${word} ok` })
      .writeBelow(join(agentDir, "sessions")),
  );
  return { paths, world: { agentDir, trash }, index: join(agentDir, "sessiondb") };
}

const wordsIn = (folder: string, word: string) =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(word));

describe("delete", () => {
  test("B5, F12: moves the file to the trash, and no word of it stays in the index", async () => {
    const { paths, world, index } = store();
    await takeIn(world);
    expect(wordsIn(index, "zanzibar")).not.toEqual([]);
    const outcome = await runCli(["delete", "zanz", "--yes"], world);
    expect(outcome).toMatchObject({ code: 0, stdout: "" });
    expect(outcome.stderr).toContain("Moved to the trash: ");
    expect([existsSync(paths[0] ?? ""), readdirSync(world.trash)]).toMatchObject([false, { length: 1 }]);
    expect(wordsIn(index, "zanzibar")).toEqual([]);
    expect(wordsIn(index, "quixotic")).not.toEqual([]);
    expect(await runJson(["search", "zanzibar", "--no-sync"], world)).toMatchObject({ total: 0 });
  });

  test("takes several, also nearly all there are, and tells them in JSON", async () => {
    const { paths, world } = store();
    const document = await runJson(["delete", "zanzibar", paths[1] ?? "", "--yes"], world);
    expect(document).toMatchObject({ deleted: [{ id: "zanzibar" }, { id: "quixotic", path: paths[1] }] });
    expect(await runJson(["list", "--no-sync"], world)).toMatchObject({ total: 1 });
  });

  test("takes nothing else out of the index, though another process was there first and a new session came", async () => {
    const { world } = store();
    // The last one to be indexed, so that the next one is given its number.
    const write = (id: string) => session({ id }).user(id).writeBelow(join(world.agentDir, "sessions"));
    const onTrash = async () => {
      await takeIn(world);
      write("newcomer");
      await takeIn(world);
    };
    await takeIn(world);
    write("latecomer");
    await runCli(["delete", "latecomer", "--yes"], { ...world, onTrash });
    const { sessions } = (await runJson(["list", "--no-sync"], world)) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toContain("newcomer");
  });

  test("ends with 130 where Ctrl-C comes before the index has forgotten the session, and says who does the rest", async () => {
    const { world } = store();
    const ctrlC = new AbortController();
    const onTrash = async () => ctrlC.abort();
    const outcome = await runCli(["delete", "zanzibar", "--yes", "--json"], { ...world, ctrlC, onTrash });
    expect(outcome).toMatchObject({
      code: 130,
      stderr: expect.stringContaining(
        "interrupted; the next sync removes the deleted sessions from the index",
      ),
    });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ deleted: [{ id: "zanzibar" }] });
    expect(await runJson(["list"], world)).toMatchObject({ total: 2 });
  });

  test("does so too where its words wait for somebody who writes the full text", async () => {
    const { world, index } = store();
    await takeIn(world);
    const Sqlite = loadSqlite();
    const [writer, rows] = ["search-v1.db", "index-v1.db"].map((name) => new Sqlite(join(index, name)));
    writer?.exec("BEGIN IMMEDIATE");
    const ctrlC = new AbortController();
    const outcome = runCli(["delete", "zanzibar", "--yes"], { ...world, ctrlC });
    const sessions = rows?.prepare("SELECT count(*) FROM sessions").pluck();
    await pollUntil(() => sessions?.get() === 2, { what: "a session less" });
    ctrlC.abort();
    const { code, stderr } = await outcome;
    for (const database of [writer, rows]) database?.close();
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining("interrupted; words of deleted sessions may stay"),
    ]);
  });

  test("waits for somebody who writes the full text only so long, and says so", async () => {
    const { world, index } = store();
    await takeIn(world);
    const writer = new (loadSqlite())(join(index, "search-v1.db"));
    writer.exec("BEGIN IMMEDIATE");
    let looks = 0;
    const steady = () => 20_000 * looks++;
    const outcome = await runCli(["delete", "zanzibar", "--yes"], { ...world, steady });
    writer.close();
    expect(outcome).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        "the index is in use; words of deleted sessions may stay in the full text",
      ),
    });
    expect(await runJson(["list"], world)).toMatchObject({ total: 2 });
  });

  test.each([
    ["y\n", 0],
    ["YES\n", 0],
    ["n\n", 1],
    ["\n", 1],
    ["yesterday\n", 1],
    ["", 1],
  ])("asks first: %j is answered with %i", async (stdin, code) => {
    const { paths, world } = store();
    const outcome = await runCli(["delete", "wombat"], { ...world, stdin, typed: true });
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain("about wombats");
    expect(outcome.stderr).toContain("Move this session to the trash? [y/N]");
    expect(existsSync(paths[2] ?? "")).toBe(code === 1);
  });

  test("is wrong usage where cannot ask: standard input is not a terminal", async () => {
    const { paths, world } = store();
    const { code, stderr } = await runCli(["delete", "wombat"], { ...world, stdin: "y\n" });
    expect([code, existsSync(paths[2] ?? "")]).toEqual([2, true]);
    expect(stderr).toContain("--yes");
  });

  test("deletes nothing when one of the names is not clear", async () => {
    const { paths, world } = store();
    expect((await runCli(["delete", "wombat", "nobody", "--yes"], world)).code).toBe(1);
    expect(paths.every((path) => existsSync(path))).toBe(true);
  });

  test("says so when a file is gone before it can be moved, and drops what was", async () => {
    const { paths, world } = store();
    const onTrash = async () => rmSync(paths[1] ?? "");
    const { code, stderr } = await runCli(["delete", "zanzibar", "quixotic", "--yes"], { ...world, onTrash });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${paths[1]} no longer exists. It was`)]);
    expect(await runJson(["list"], world)).toMatchObject({ total: 1 });
  });

  test("takes a session that was named twice once", async () => {
    const { world } = store();
    const { code, stderr } = await runCli(["delete", "zanzibar", "zanz", "--yes"], world);
    expect([code, stderr.match(/Moved to the trash/g)]).toEqual([0, ["Moved to the trash"]]);
  });

  test("keeps in the index what could not be moved, and tells in JSON what was", async () => {
    const { paths, world } = store();
    // The trash is gone when the second one is to follow.
    const onTrash = async () => rmSync(world.trash, { recursive: true });
    const argv = ["delete", "zanzibar", "quixotic", "--yes", "--json"];
    const { code, stdout } = await runCli(argv, { ...world, onTrash });
    expect([code, existsSync(paths[1] ?? "")]).toEqual([1, true]);
    expect(JSON.parse(stdout)).toMatchObject({ deleted: [{ id: "zanzibar" }] });
    expect(await runJson(["list", "--no-sync"], world)).toMatchObject({ total: 2 });
  });

  test.each([
    ["2026-11-20T11:59:30Z", true],
    ["2026-11-20T11:58:00Z", false],
  ])("asks whether a session written at %s is open in pi: %s", async (timestamp, isAsked) => {
    const { world } = store();
    session({ id: "open", timestamp })
      .user("hello", { timestamp })
      .writeBelow(join(world.agentDir, "sessions"));
    const { stderr } = await runCli(["delete", "open"], { ...world, stdin: "n\n", typed: true });
    expect(stderr.includes("It was written to just now: is it open in pi?")).toBe(isAsked);
    expect(stderr).toContain("Nothing was deleted.");
  });

  test("leaves the file where it is when there is no trash", async () => {
    const { paths, world } = store();
    const { code, stderr } = await runCli(["delete", "wombat", "--yes"], { agentDir: world.agentDir });
    expect([code, existsSync(paths[2] ?? "")]).toEqual([1, true]);
    expect(stderr).toContain("cannot be moved to the trash: no trash here");
    expect(await runJson(["search", "wombat"], world)).toMatchObject({ total: 1 });
  });
});

describe("G18: a copy that a crash has left while a session was migrated", () => {
  const left = (folder: string, id: string) => {
    const path = join(folder, `.sessiondb-${randomUUID()}.new`);
    writeFileSync(
      path,
      `{"type":"session","version":3,"id":"${id}","timestamp":"2026-01-01","cwd":"/"}\n{"type":`,
    );
    utimesSync(path, new Date(0), new Date(0));
    return path;
  };

  test("is named by doctor, and removed by its path, after asking", async () => {
    const { world, paths } = store();
    const copy = left(dirname(paths[0] ?? ""), "zanzibar");
    const { stdout } = await runCli(["doctor"], world);
    expect(stdout).toContain("a crash has left this copy");
    const asked = await runCli(["delete", copy], { ...world, typed: true, stdin: "n\n" });
    expect([asked.code, existsSync(copy)]).toEqual([1, true]);
    expect(await runJson(["delete", copy, "--yes"], world)).toMatchObject({ deleted: [{ path: copy }] });
    expect([existsSync(copy), paths.every((path) => existsSync(path))]).toEqual([false, true]);
  });

  test("goes with its session, and those of others stay", async () => {
    const { world, paths } = store();
    const folder = dirname(paths[0] ?? "");
    const [own, other] = [left(folder, "zanzibar"), left(folder, "quixotic-one")];
    await runCli(["delete", "zanzibar", "--yes"], world);
    expect([existsSync(own), existsSync(other)]).toEqual([false, true]);
  });
});

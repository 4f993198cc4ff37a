import { expect, test } from "vitest";
import { BackgroundSync } from "../../src/panels/background-sync.ts";
import { CommandLine, type Run } from "../../src/panels/command-line.ts";
import { KnownSessions } from "../../src/panels/known-sessions.ts";
import { sessionSource } from "../../src/panels/session-source.ts";
import { answering, failing, printing, program, recordingRun } from "./programs.ts";

const cwd = process.cwd();
const EVERYWHERE = { query: "", here: false };

function rowsFrom(answer: ReturnType<typeof program>): KnownSessions {
  return new KnownSessions(new CommandLine([answer]));
}

test("this project is a folder and what lies below it, the topmost folder too", async () => {
  const places = ["/srv", "/srv/tide", "/srvtide", "C:\\srv", "C:\\srvtide"];
  const sessions = rowsFrom(answering({ sessions: places.map((place) => ({ cwd: place })) }));
  await sessions.read(cwd, { all: true });
  const below = (folder: string) =>
    sessions.matching({ query: "", here: true }, folder).map((row) => places.indexOf(row.cwd));
  expect([below("/srv"), below("/"), below("C:\\srv"), below("C:\\")]).toEqual([
    [0, 1],
    [0, 1, 2],
    [3],
    [3, 4],
  ]);
});

test("a session is found by words of its title, first message, project, model and id, in any case", async () => {
  const tide = { id: "a1b2", title: "Tide tables", firstMessage: "Ask the Harbour", cwd: "/srv/newlyn" };
  const sessions = rowsFrom(
    answering({ sessions: [{ ...tide, models: ["opus", "haiku"] }, { id: "c3d4" }] }),
  );
  await sessions.read(cwd, { all: true });
  const found = (query: string) => sessions.matching({ ...EVERYWHERE, query }, cwd).map(({ id }) => id);
  for (const query of ["tide", "HARBOUR", "newlyn", "haiku opus", "a1b", "tide  harbour b2 "]) {
    expect([query, found(query)]).toEqual([query, ["a1b2"]]);
  }
  expect([found(""), found("tide xyzzy")]).toEqual([["a1b2", "c3d4"], []]);
});

test("an index that does not exist yet holds no sessions; other troubles are told", async () => {
  const missing = rowsFrom(failing("not_found"));
  await missing.read(cwd, { all: true });
  expect(missing.matching(EVERYWHERE, cwd)).toEqual([]);
  await expect(rowsFrom(failing("index_corrupt")).read(cwd, { all: true })).rejects.toThrow("it broke");
});

/** As many sessions as are asked for; of those that are asked for without limit there are 300. */
const STORE = program(`const limit = Number(process.argv.at(-1)) || 300;
  console.log(JSON.stringify({ sessions: Array.from({ length: limit }, (_, at) => ({ id: String(at) })) }));`);

test("a first look is enough until all were read, and never takes their place", async () => {
  const sessions = rowsFrom(STORE);
  const count = () => sessions.matching(EVERYWHERE, cwd).length;
  await sessions.read(cwd, { all: false });
  expect(count()).toBe(100);
  await sessions.read(cwd, { all: true });
  expect(count()).toBe(300);
  // pi's start asks for it once the index is up to date; by then somebody may have asked for all.
  await sessions.read(cwd, { all: false });
  expect(count()).toBe(300);
});

/** Answers a catch-up with `files`, and each list of all sessions, the first with so many, with one more than the one before. */
function sourceAfter(files: object, { first = 1 } = {}) {
  const { run, asked } = recordingRun();
  const lists = () => asked.filter(({ args }) => args.at(-1) === "0").length;
  const answer: Run = (command, args, options) => {
    const sessions = Array.from({ length: lists() + first }, (_, at) => ({ id: String(at) }));
    const { before } = answering(args.includes("sync") ? { files } : { sessions });
    return run(command, [...before, ...args], options);
  };
  const commandLine = new CommandLine([{ command: process.execPath, before: [] }], answer);
  const tools = {
    commandLine,
    sessions: new KnownSessions(commandLine),
    catchUp: new BackgroundSync(commandLine),
  };
  const source = sessionSource(tools, cwd);
  const count = async () =>
    (
      await source.find(
        { ...EVERYWHERE, named: false, sort: "recent", role: "", most: 99 },
        new AbortController().signal,
      )
    ).rows.length;
  return { source, count };
}

test("who looks before anything was read waits for it; what a catch-up brings is read too", async () => {
  const { source, count } = sourceAfter({ indexed: 1 });
  const news = source.news();
  // 2 where what the catch-up brings is there sooner.
  expect(await count()).toBeGreaterThan(0);
  expect(await Promise.all(news)).toEqual([true, true, true]);
  expect(await count()).toBe(2);
});

test("after a catch-up that brings nothing nothing is read again", async () => {
  const { source, count } = sourceAfter({ indexed: 0 });
  expect(await Promise.all(source.news())).toEqual([true, true, false]);
  expect(await count()).toBe(1);
});

test("where nothing was there before a catch-up that brings nothing, a question has brought it meanwhile", async () => {
  const { source, count } = sourceAfter({ indexed: 0 }, { first: 0 });
  expect(await Promise.all(source.news())).toEqual([true, true, true]);
  expect(await count()).toBe(1);
});

test("of two answers that of the later question counts, whichever comes first", async () => {
  const waits: (() => void)[] = [];
  const late = new KnownSessions(
    new CommandLine([STORE], async () => {
      const id = String(waits.length);
      await new Promise<void>((resolve) => waits.push(resolve));
      return printing(JSON.stringify({ sessions: [{ id }] }));
    }),
  );
  const [earlier, later] = [late.read(cwd, { all: true }), late.read(cwd, { all: true })];
  waits[1]?.();
  await later;
  waits[0]?.();
  await earlier;
  expect(late.matching(EVERYWHERE, cwd).map(({ id }) => id)).toEqual(["1"]);
});

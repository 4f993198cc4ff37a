import { cpSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { CommandLine, CommandLineError } from "../../src/panels/command-line.ts";
import { agoOf, compact, endOf, markedLine, moneyOf, projectOf } from "../../src/panels/draw.ts";
import { asPrefix, findHits, totalText } from "../../src/panels/hits.ts";
import type { Tui } from "../../src/panels/screen.ts";
import { cutTo, oneLine } from "../../src/panels/text.ts";
import { insertInto } from "../../src/pi/dialogs.ts";
import { type knownPrograms, ownAdvice } from "../../src/pi/own-program.ts";
import { hitsAsText } from "../../src/pi/search-tool.ts";
import { UNSPACED_CHARACTER } from "../../src/search/fts/tokenizer.ts";
import { sampleAgent } from "../cli/pretend-world.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { answering, failing, program, recordingRun } from "./programs.ts";
import { project } from "./run-pi.ts";

const { run, asked } = recordingRun();

const absent = { command: "/no/such/program", before: [] };
const asking = (...programs: { command: string; before: string[] }[]) =>
  new CommandLine(programs, undefined, ownAdvice()).ask(["list"], { cwd: process.cwd() });
const three = answering({ total: 3 });

test("the first program that can answer does, and is asked first from then on", async () => {
  const commandLine = new CommandLine([absent, failing("native_missing"), three], run);
  expect(await commandLine.ask(["one"], { cwd: process.cwd() })).toEqual({ schemaVersion: 1, total: 3 });
  await commandLine.ask(["two"], { cwd: process.cwd() });
  const words = asked.map(({ args }) => args.at(-1));
  expect(words.filter((word) => word === "one" || word === "two")).toEqual(["one", "one", "one", "two"]);
});

test.each(["native_missing", "node_too_old", "index_newer"])(
  "what one program cannot do (%s), another one may",
  async (code) => {
    expect(await asking(failing(code), three)).toMatchObject({ total: 3 });
    await expect(asking(failing(code), absent)).rejects.toThrow("it broke");
  },
);

test("where the project's directory is gone, the question is asked all the same", async () => {
  const gone = join(tempDir(), "gone");
  expect(await new CommandLine([three]).ask(["list"], { cwd: gone })).toMatchObject({ total: 3 });
});

test("an error is one line with its remedy, and no other program is asked", async () => {
  await expect(asking(failing("busy"), three)).rejects.toThrow(
    new CommandLineError("busy", "sessiondb: it broke. Mend it."),
  );
});

test("where no program can answer, the reason of the first one is told", async () => {
  await expect(asking(failing("native_missing"), failing("index_newer"))).rejects.toMatchObject({
    code: "native_missing",
  });
  await expect(asking(absent)).rejects.toThrow("install Node 20.19 or newer");
});

test("what Node says of a program that cannot start is told by its error, or by what mends it", async () => {
  await expect(asking(program("throw new TypeError('it broke')"))).rejects.toThrow(
    "sessiondb failed: TypeError: it broke",
  );
  await expect(asking(program("import('no-such-package')"), absent)).rejects.toThrow(
    /lacks the packages it needs; fix it with: cd .* && npm install/,
  );
  expect(await asking(program("import('no-such-package')"), three)).toMatchObject({ total: 3 });
});

test("of a program that was killed that is told, and no other one is asked", async () => {
  await expect(asking(program("process.kill(process.pid, 'SIGKILL')"), three)).rejects.toThrow(
    new CommandLineError("failed", "sessiondb was stopped by SIGKILL; try again."),
  );
});

test("what is noted about an answer comes with it, each note on one line", async () => {
  const noting = program(`console.error("\\u001b[33mnote: it is behind; ask again\\u001b[39m\\nother words");
    console.log('{"schemaVersion":1}')`);
  const { notes } = await new CommandLine([noting]).answer(["list"], { cwd: process.cwd() });
  expect(notes).toEqual(["it is behind; ask again"]);
});

test("another program of the same name is recognised by its answer", async () => {
  await expect(asking(program('console.log("Hello, world")'))).rejects.toThrow("is another one");
});

test("a question that was withdrawn has no answer", async () => {
  const controller = new AbortController();
  const commandLine = new CommandLine([program("setTimeout(() => undefined, 60_000)")]);
  const question = commandLine.ask(["list"], { cwd: process.cwd(), signal: controller.signal });
  controller.abort();
  await expect(question).rejects.toMatchObject({ code: "aborted" });
});

test.each([
  ["parse", "parse*"],
  ["tide tab", "tide tab*"],
  ["tide ", "tide "],
  ["a OR", "a OR"],
  ['"race cond', '"race cond'],
  ['"race" cond', '"race" cond*'],
  ["role:user", "role:user"],
  ["分量", "分量"],
  ["हिन्दी", "हिन्दी*"],
  ["ภาษาไทย", "ภาษาไทย"],
  ["-x", ""],
  ["tide -w", "tide "],
  ["tide NOT", "tide NOT"],
  ["(tide OR har", "(tide OR har*"],
  ["“high wa", "“high wa"],
])("while it is typed, %j is looked for as %j", (typed, query) => {
  expect(asPrefix(typed)).toBe(query);
});

test("a word goes on unless each of its characters is a word to the full text", () => {
  const isUnspaced = new RegExp(`^(?:${UNSPACED_CHARACTER})$`, "u");
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCodePoint(code));
  const letters = all.filter((character) => /[\p{L}\p{N}\p{M}]/u.test(character));
  const otherwise = letters.filter(
    (letter) => asPrefix(`xx${letter}`).endsWith("*") === isUnspaced.test(letter),
  );
  expect(otherwise).toEqual([]);
});

test("times, tokens and money are short", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const ages = [30, 60, 59 * 60 + 59, 3600, 86_399, 86_400, 14 * 86_400 - 1].map((seconds) =>
    agoOf(new Date(now - 1000 * seconds).toISOString(), now),
  );
  expect(ages).toEqual(["now", "1m", "59m", "1h", "23h", "1d", "13d"]);
  expect(["2026-11-06T12:00:00Z", "2026-10-01T00:00:00Z", ""].map((time) => agoOf(time, now))).toEqual([
    "2026-11-06",
    "2026-10-01",
    "",
  ]);
  expect([812, 4520, 45_200, 999_499, 999_500].map(compact)).toEqual(["812", "4.5K", "45K", "999K", "1.0M"]);
  expect([0, 0.0049, 0.005, 1.234].map(moneyOf)).toEqual(["$0", "<$0.01", "$0.01", "$1.23"]);
  // Half a cent goes up: the binary numbers lie a little below it.
  expect([0.145, 0.285, 1.005, 2.675].map(moneyOf)).toEqual(["$0.15", "$0.29", "$1.01", "$2.68"]);
});

test("a project below the home directory is told from there", () => {
  const home = homedir();
  expect([home, `${home}/tide`, `${home}-of-another`, "/srv/tide"].map(projectOf)).toEqual([
    "~",
    "~/tide",
    `${home}-of-another`,
    "/srv/tide",
  ]);
});

test("a long line is cut so that the first match is in sight", () => {
  const tui = {
    Input: class {} as never,
    matchesKey: () => false,
    wrapTextWithAnsi: () => [],
    truncateToWidth: (text: string, width: number) => text.slice(0, width),
    visibleWidth: (text: string) => text.length,
  };
  const theme = { fg: (_color: string, text: string) => text, bold: (text: string) => `<${text}>` };
  const paint = { tui, theme, width: 40, chosen: false };
  const text = `${"far away ".repeat(10)}the harbour`;
  expect(markedLine(text, [[94, 101]], paint)).toContain("<harbour>");
  expect(markedLine("the \u001b[2Jharbour", [[8, 15]], paint)).toBe("the <harbour>");
});

test("the end of a path is what is left of it, from a separator on", () => {
  const tui = { visibleWidth: (text: string) => [...text].length } as Tui;
  expect(endOf("/home/ada/projects/tide", { tui, width: 15 })).toBe("…/projects/tide");
  expect(endOf("/home/ada", { tui, width: 9 })).toBe("/home/ada");
  expect(endOf("seventeen-letters", { tui, width: 8 })).toBe("…letters");
  expect(endOf(`/${"deep/".repeat(100_000)}tide`, { tui, width: 8 })).toBe("…/tide");
});

test("an escape sequence goes with what it carries, and the text around it stays together", () => {
  const text =
    "la\u001b[31mbel \u001b]0;owned\u0007of \u001b]8;;http://evil.example\u001b\\\u202ea\u009b link";
  expect(oneLine(text)).toBe("label of a link");
});

test("copies of a hit are no hits, and where there may be more that is said", async () => {
  const hit = { session: { title: "tide" }, copies: [{ line: 2 }, { line: 3 }] };
  const question = { query: "tide", limit: 5, options: [], cwd: process.cwd() };
  const found = async (answer: object) => {
    const { hits, ...total } = await findHits(
      new CommandLine([answering({ hits: [hit], ...answer })]),
      question,
    );
    return [hits.length, totalText(total)];
  };
  expect(await found({ total: 1, totalIs: "exact" })).toEqual([1, "1"]);
  expect(await found({ total: 3, totalIs: "atMost" })).toEqual([1, "up to 3"]);
  expect(await found({ total: 1, totalIs: "atLeast" })).toEqual([1, "at least 1"]);
});

test("of a program that takes too long that is told", async () => {
  const commandLine = new CommandLine([program("setInterval(() => undefined, 1000)")]);
  const asked = commandLine.ask(["list"], { cwd: process.cwd(), timeout: 200 });
  await expect(asked).rejects.toMatchObject({ code: "timeout" });
});

test("what a model is told of hits stays below 8,000 characters, and says how many there are", async () => {
  const hit = { session: { title: "tide", path: `/${"p".repeat(300)}` }, snippet: "word ".repeat(100) };
  const commandLine = new CommandLine([answering({ total: 20, hits: Array(20).fill(hit) })]);
  const found = await findHits(commandLine, { query: "tide", limit: 20, options: [], cwd: process.cwd() });
  const text = hitsAsText(found);
  expect(text.length).toBeLessThan(8100);
  expect(text).toMatch(/^1[0-9] of 20 matching entries/);
});

test("hits stand below their session, its project, time and file, each with its handle and speaker, a long title cut", () => {
  const hit = {
    title: "t".repeat(81),
    cwd: "/srv/tide",
    path: "/a.jsonl",
    handle: "01a0e225:7",
    entryId: "",
    line: 7,
    tool: "",
    speaker: "user",
    time: "2026-11-03T10:00:00.000Z",
    snippet: "high\nwater",
    highlights: [],
  };
  const title = `${"t".repeat(79)}…`;
  expect(hitsAsText({ hits: [hit], total: 1, totalIs: "exact", notes: [] })).toBe(
    `"${title}" · /srv/tide · 2026-11-03\n/a.jsonl\n01a0e225:7 user: high water`,
  );
  const second = { ...hit, handle: "01a0e225:9", snippet: "low" };
  expect(hitsAsText({ hits: [hit, second], total: 2, totalIs: "exact", notes: [] })).toMatch(
    /user: high water\n01a0e225:9 user: low$/,
  );
  const notes = ['There is no role "users".'];
  expect(hitsAsText({ hits: [], total: 0, totalIs: "exact", notes: [] })).toBe("Nothing found.");
  expect(hitsAsText({ hits: [], total: 0, totalIs: "exact", notes })).toBe(
    'Nothing found.\nNote: There is no role "users".',
  );
  expect(hitsAsText({ hits: [hit], total: 1, totalIs: "exact", notes })).toMatch(
    /high water\n\nNote: There is no role "users"\.$/,
  );
});

test("a text that fits is not cut, and of what is cut no half of a character stays", () => {
  expect(["tide", "tides", "abc🌊d"].map((text) => cutTo(text, 4))).toEqual(["tide", "tid…", "abc…"]);
  expect(cutTo("abc🌊def", 5)).toBe("abc…");
});

test("what is inserted is drawn at once", () => {
  const done: string[] = [];
  const ui = { pasteToEditor: (text: string) => done.push(`paste ${text}`) };
  insertInto(ui, { requestRender: () => done.push("draw") }, "words");
  expect(done).toEqual(["paste words", "draw"]);
});

test.runIf(Reflect.get(process.features, "typescript"))(
  "a package that nobody has built answers from its sources",
  async () => {
    const folder = join(tempDir(), "package");
    for (const part of ["src", "daemon", "migrations", "package.json"]) {
      cpSync(join(project, part), join(folder, part), { recursive: true });
    }
    symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
    const module = pathToFileURL(join(folder, "src", "pi", "own-program.ts")).href;
    const unbuilt = (await import(/* @vite-ignore */ module)) as { knownPrograms: typeof knownPrograms };
    const agentDir = sampleAgent(tempDir());
    const commandLine = new CommandLine(unbuilt.knownPrograms());
    const words = ["search", "tide", "--agent-dir", agentDir];
    const { schemaVersion, hits } = await commandLine.ask(words, { cwd: folder });
    expect([schemaVersion, hits]).toEqual([
      1,
      expect.arrayContaining([expect.objectContaining({ type: "message" })]),
    ]);
  },
);

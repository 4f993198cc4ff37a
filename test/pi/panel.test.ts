import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BackgroundSync } from "../../src/panels/background-sync.ts";
import { CommandLine } from "../../src/panels/command-line.ts";
import { hitSource } from "../../src/panels/hit-source.ts";
import { KnownSessions } from "../../src/panels/known-sessions.ts";
import { Panel } from "../../src/panels/panel.ts";
import { type Choice, type PanelSource, RESUME } from "../../src/panels/panel-source.ts";
import type { KeyName, Tui } from "../../src/panels/screen.ts";
import { sessionSource } from "../../src/panels/session-source.ts";
import { actionsInPi } from "../../src/pi/panel-actions.ts";
import { blocksOf, readPage } from "../helpers/manual.ts";
import { isMissing, peersDir } from "../helpers/peers.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { answering, failing, program } from "./programs.ts";
import { piWorld, project } from "./run-pi.ts";

const KEYS = {
  up: "\u001b[A",
  down: "\u001b[B",
  pageUp: "\u001b[5~",
  pageDown: "\u001b[6~",
  enter: "\r",
  escape: "\u001b",
  tab: "\t",
  ctrlO: "\u000f",
};
const NAMES: Record<KeyName, string> = {
  "tui.input.tab": KEYS.tab,
  "tui.select.up": KEYS.up,
  "tui.select.down": KEYS.down,
  "tui.select.confirm": KEYS.enter,
  "tui.select.cancel": KEYS.escape,
  "tui.select.pageUp": KEYS.pageUp,
  "tui.select.pageDown": KEYS.pageDown,
};

describe.skipIf(isMissing("piAgentModule"))("a panel", async () => {
  const { agentDir } = piWorld(sharedTempDir());
  const tui = (await import(
    pathToFileURL(join(peersDir, "node_modules/@mariozechner/pi-tui/dist/index.js")).href
  )) as Tui;
  const mainWith = (agent: string) => ({
    command: process.execPath,
    before: [join(project, "dist", "src", "cli", "main.js"), "--agent-dir", agent],
  });
  const commandLine = new CommandLine([mainWith(agentDir)]);
  const catchUp = new BackgroundSync(commandLine);
  const sessions = new KnownSessions(commandLine);
  const cwd = "/home/ada/projects/tide";

  /** The panel with the keys that it has in pi, where no session is open. */
  const inPi = <Row>(source: PanelSource<Row>) => ({
    ...source,
    actions: actionsInPi(
      { commandLine, catchUp, sessions },
      { cwd, sessionManager: { getSessionFile: () => undefined } },
      { setSessionName: () => undefined },
    ) as PanelSource<Row>["actions"],
  });

  /** A panel on a screen of 100 by 40, and what is seen of it. */
  function open<Row>(source: PanelSource<Row>, query = "", rows = 40) {
    const choices: Choice<Row>[] = [];
    const draws: "draw"[] = [];
    const panel = new Panel(
      source,
      {
        tui,
        screen: { requestRender: () => draws.push("draw"), terminal: { rows } },
        theme: { fg: (_color, text) => text, bold: (text) => `\u001b[1m${text}\u001b[22m` },
        keys: { matches: (typed, name) => typed === NAMES[name] },
        done: (choice) => choices.push(choice),
      },
      query,
    );
    onTestFinished(() => panel.dispose());
    const seen = (width = 100) => panel.render(width).map(stripVTControlCharacters);
    const sees = (text: string) => pollUntil(() => seen().join("\n").includes(text), { what: text });
    const type = (...keys: string[]) => {
      for (const key of keys) panel.handleInput(key);
    };
    return { choices, draws, seen, sees, type, close: () => panel.dispose() };
  }

  test("is what the manual shows", async () => {
    const [drawn = ""] = blocksOf(readPage("docs/pi.md").text, "text");
    // How long ago it was depends on the day.
    const told = (line: string) =>
      line
        .replace(/\d+(?:h|d|w|mo|y)$|\d{4}-\d\d-\d\d$/, "")
        .replace(/ {2,}/g, "  ")
        .trimEnd();
    const shown = drawn.split("\n").map(told).filter(Boolean);
    const { seen, sees } = open(inPi(hitSource({ commandLine, catchUp, sessions }, cwd)), "tide har");
    await sees("5 hits · enter");
    vi.stubEnv("HOME", "/home/ada");
    const lines = seen().map(told);
    let at = 0;
    for (const line of shown) {
      const found = lines.indexOf(line, at);
      if (found < 0) expect(lines.slice(at)).toContain(line);
      at = found + 1;
    }
  });

  /** Numbered rows, and the questions they were asked for; each waits until it is answered. */
  function numbered(news: Promise<boolean>[] = []) {
    const asked: { query: string; signal: AbortSignal; answer: (rows: number | number[]) => void }[] = [];
    const source: PanelSource<number> = {
      title: "Numbers",
      hint: "type",
      rowHeight: 1,
      sorts: ["up", "down"],
      roles: [],
      pauseMs: 20,
      most: 100,
      actions: [RESUME, { name: "insert", key: "ctrl+o", about: "insert it" }],
      preview: (row) => Promise.resolve(`before\n▶ about ${row}\n${"after\n".repeat(99)}`),
      news: () => news,
      keyOf: String,
      find: ({ query }, signal) =>
        new Promise((resolve) => {
          const answer = (given: number | number[]) => {
            const rows = typeof given === "number" ? [...Array(given).keys()] : given;
            resolve({ rows, note: `${rows.length} of ${query}` });
          };
          asked.push({ query, signal, answer });
        }),
      row: (row) => [`row ${row}`],
      detail: (row) => [`more about ${row}`],
    };
    return { source, asked };
  }

  test("shows hits while one types, and gives the chosen one", async () => {
    const { choices, sees, type } = open(hitSource({ commandLine, catchUp, sessions }, cwd));
    await sees("since:7d");
    type(..."harbo");
    await sees(" hits");
    type(KEYS.down, KEYS.up, KEYS.enter);
    expect(choices).toEqual([{ action: "resume", row: expect.objectContaining({ cwd }) }]);
  });

  test("looks in this project only, when told to", async () => {
    const { sees, type } = open(
      hitSource({ commandLine, catchUp, sessions }, "/home/ada/projects/shijian"),
      "harbour",
    );
    await sees(" hits");
    type(KEYS.tab);
    await sees("nothing found");
    type(KEYS.tab);
    await sees(" hits");
  });

  test("shows all sessions, those that hold every word typed, and hands one over to be inserted", async () => {
    const { choices, seen, sees, type } = open(inPi(sessionSource({ commandLine, sessions, catchUp }, cwd)));
    await sees("13 sessions");
    type(..."tide changelog");
    await sees("1 session ");
    expect(seen().join("\n")).toContain("write the changelog for 0.4");
    type(KEYS.ctrlO);
    expect(choices).toEqual([{ action: "insert", row: expect.objectContaining({ cwd }) }]);
  });

  test.each([30, 60, 100, 200])("keeps within %i columns, whatever is written in it", async (width) => {
    const { seen, sees } = open(sessionSource({ commandLine, sessions, catchUp }, cwd));
    await sees("sessions");
    expect(seen(width).filter((line) => tui.visibleWidth(line) > width)).toEqual([]);
    const { seen: seenHits, sees: seesHits } = open(
      hitSource({ commandLine, catchUp, sessions }, cwd),
      "诗 OR 分 OR tide",
    );
    await seesHits(" hits");
    expect(seenHits(width).filter((line) => tui.visibleWidth(line) > width)).toEqual([]);
  });

  test("on a low terminal gives its lines to the rows, and leaves room for pi's footer", async () => {
    const { seen, sees } = open(hitSource({ commandLine, catchUp, sessions }, cwd), "tide", 24);
    await sees(" hits");
    const shown = seen().filter((line) => /^[› ] (?:assistant|user) /.test(line));
    expect(shown.length).toBeGreaterThanOrEqual(3);
    expect(seen().length).toBeLessThanOrEqual(20);
    await pollUntil(() => /hits · enter resume · esc close$/.test(seen(40).at(-2) ?? ""), {
      what: "the whole footer",
    });
  });

  test.each([
    [24, 5],
    [25, 5],
    [34, 8],
    [39, 8],
  ])("of %i lines all are used but those of pi's footer and what is above", async (lines, others) => {
    const { source, asked } = numbered();
    const high = {
      rowHeight: 2,
      row: (row: number) => [`row ${row}`, ""],
      detail: () => Array(4).fill("more"),
    };
    const { seen, sees } = open({ ...source, ...high }, "", lines);
    asked[0]?.answer(50);
    await sees("row 0");
    // A line alone is not enough for a row.
    expect(lines - others - seen().length).toBe((lines - others - seen().length) & 1);
  });

  test("on a narrow terminal still says where it looks and how to get out, and nothing by half", async () => {
    const { seen, sees, type } = open(
      hitSource({ commandLine, catchUp, sessions }, "/home/ada/projects/shijian"),
      "xyzzy",
    );
    await pollUntil(() => seen(40).at(-2) === "nothing found · tab scope · esc close", {
      what: "the answer",
    });
    expect(seen(40)[1]).toMatch(/^Search every session {8}◉ everywhere$/);
    type(KEYS.tab);
    expect(seen(40)[1]).toMatch(/◉ this project$/);
    await sees("nothing found");
    expect(seen(24).at(-2)).toBe("nothing found");
  });

  test("rows of a group stand below one heading, which stays in sight with the chosen row", async () => {
    const { source, asked } = numbered();
    const heading = {
      of: (row: number) => String(row < 3 ? row : 3),
      draw: (row: number) => `head of ${row}`,
    };
    const { seen, sees, type } = open({ ...source, heading }, "", 24);
    asked[0]?.answer(30);
    await sees("row 0");
    const shown = () => seen().filter((line) => /row|head/.test(line));
    const height = shown().length;
    expect(shown().slice(0, 8)).toEqual([
      "head of 0",
      "› row 0",
      "head of 1",
      "  row 1",
      "head of 2",
      "  row 2",
      "head of 3",
      "  row 3",
    ]);
    for (let row = 1; row < 30; row++) {
      type(KEYS.down);
      const lines = shown();
      expect([row, lines.length, lines.includes(`› row ${row}`)]).toEqual([row, height, true]);
      expect(lines[0]).toMatch(/^head of/);
      expect(lines.filter((line) => line.startsWith("head")).length).toBe(
        new Set(lines.filter((line) => line.includes("row")).map((line) => heading.of(Number(line.slice(6)))))
          .size,
      );
    }
    // A page is what is in sight where each row has its heading.
    type(KEYS.pageUp);
    expect(shown()).toContain(`› row ${29 - Math.floor(height / 2)}`);
  });

  test("a handle gives the entry that it names, to both panels", async () => {
    const { document } = await commandLine.answer(["search", "harbour", "--limit", "1"], { cwd });
    const [hit] = document.hits as { handle: string; line: number; session: { title: string } }[];
    const handle = hit?.handle ?? "";
    expect(handle).toMatch(/^[0-9a-f]{8}:\d+$/);
    const found = open(hitSource({ commandLine, catchUp, sessions }, cwd), handle);
    await found.sees("1 hit ");
    found.type(KEYS.enter);
    expect(found.choices).toMatchObject([{ row: { handle, line: hit?.line } }]);
    const { sees } = open(sessionSource({ commandLine, sessions, catchUp }, cwd), handle);
    await sees("1 session ");
  });

  test("keeps the chosen row in sight, and the choice between the first row and the last", async () => {
    const { source, asked } = numbered();
    const { seen, sees, type } = open(source);
    asked[0]?.answer(50);
    await sees("row 0");
    const rowsInSight = () => seen().filter((line) => line.includes("row ")).length;
    const page = rowsInSight();
    const chosen = (...keys: string[]) => {
      type(...keys);
      const marked = seen().find((line) => line.startsWith("› ")) ?? "";
      return [
        marked.trim(),
        seen()
          .find((line) => line.includes("more about"))
          ?.trim(),
      ];
    };
    const row = (number: number) => [`› row ${number}`, `more about ${number}`];
    expect(page).toBeGreaterThan(5);
    expect(chosen(KEYS.pageDown)).toEqual(row(page));
    expect(chosen(KEYS.down, KEYS.down, KEYS.pageUp)).toEqual(row(2));
    expect(chosen(...Array(9).fill(KEYS.pageDown))).toEqual(row(49));
    expect(rowsInSight()).toBe(page);
    expect(chosen(KEYS.down, KEYS.up)).toEqual(row(48));
    expect(chosen(...Array(60).fill(KEYS.up), KEYS.down)).toEqual(row(1));
  });

  test("the chosen row stays chosen where a later answer has it elsewhere, else the one in its place", async () => {
    const news: (() => void)[] = [];
    const waiting = () => new Promise<boolean>((resolve) => news.push(() => resolve(true)));
    const { source, asked } = numbered([waiting(), waiting(), waiting()]);
    const { choices, sees, type } = open(source);
    const chosenAmong = async (rows: number[]) => {
      news.shift()?.();
      await new Promise(setImmediate);
      asked.at(-1)?.answer(rows);
      await sees(`${rows.length} of`);
      type(KEYS.enter);
      return choices.at(-1)?.row;
    };
    asked[0]?.answer(9);
    await sees("9 of");
    type(KEYS.down, KEYS.down);
    expect(await chosenAmong([7, 8, 0, 1, 2])).toBe(2);
    expect(await chosenAmong([7, 8, 0, 1])).toBe(1);
    expect(await chosenAmong([5, 6, 7])).toBe(7);
  });

  test("a changed question begins at its first row, and how far one moves before the answer counts", async () => {
    const { source, asked } = numbered();
    const { choices, sees, type } = open(source);
    asked[0]?.answer(9);
    await sees("9 of");
    type(KEYS.pageDown, KEYS.tab);
    asked[1]?.answer(8);
    await sees("8 of");
    type(KEYS.enter, KEYS.pageDown, "t", KEYS.down, KEYS.enter);
    asked[2]?.answer(7);
    await sees("7 of t");
    expect(choices.map((choice) => choice?.row)).toEqual([0, 1]);
  });

  test.each([
    ["resume", KEYS.enter],
    ["insert", KEYS.ctrlO],
  ] as const)("to %s waits for the rows to what was typed, asked for at once", async (action, key) => {
    const { source, asked } = numbered();
    const { choices, sees, type } = open(source);
    asked[0]?.answer([5]);
    await sees("row 5");
    type(..."tide", key, key);
    expect([asked.map(({ query }) => query), choices]).toEqual([["", "tide"], []]);
    asked[1]?.answer([6, 7]);
    await sees("2 of tide");
    expect(choices).toEqual([{ action, row: 6 }]);
  });

  test.each([
    ["typing", "s"],
    ["moving", KEYS.down],
    ["Esc", KEYS.escape],
  ])("what waits for rows is forgotten by %s", async (_what, key) => {
    const { source, asked } = numbered();
    const { choices, sees, type } = open(source);
    type(..."tide", KEYS.enter, key);
    await pollUntil(() => asked.at(-1)?.signal.aborted === false, { what: "a question" });
    asked.at(-1)?.answer([6, 7]);
    await sees("2 of tide");
    expect(choices.filter(Boolean)).toEqual([]);
  });

  test("asks once for what is typed at a stretch, and shows the answer to the last question only", async () => {
    const { source, asked } = numbered();
    const { seen, sees, type } = open(source);
    type(..."tide");
    await pollUntil(() => asked.length > 1, { what: "a question" });
    expect(asked.map(({ query, signal }) => [query, signal.aborted])).toEqual([
      ["", true],
      ["tide", false],
    ]);
    asked[1]?.answer(2);
    await sees("2 of tide");
    asked[0]?.answer(7);
    await new Promise(setImmediate);
    expect(seen().join()).toContain("2 of tide");
  });

  test("asks again when there is something new, unless it was closed", async () => {
    const news: ((isNew: boolean) => void)[] = [];
    const waiting = () => new Promise<boolean>((resolve) => news.push(resolve));
    const { source, asked } = numbered([waiting(), waiting(), waiting()]);
    const { close } = open(source);
    const after = async (isNew: boolean) => {
      news.shift()?.(isNew);
      await new Promise(setImmediate);
      return asked.length;
    };
    expect([await after(false), await after(true)]).toEqual([1, 2]);
    close();
    expect([await after(true), asked[1]?.signal.aborted]).toEqual([2, true]);
  });

  test("says so while sessions are read for the first time, and what is wrong when they are not", async () => {
    const none = new CommandLine([failing("not_found")]);
    const reading = new BackgroundSync(new CommandLine([program("setInterval(() => undefined, 1000)")]));
    onTestFinished(() => reading.end());
    const first = open(
      hitSource({ commandLine: none, catchUp: reading, sessions: new KnownSessions(none) }, cwd),
      "tide",
    );
    await first.sees("your sessions are being read for the first time · reading…");
    const idle = new BackgroundSync(new CommandLine([answering({ files: {} })]));
    const second = open(
      {
        ...hitSource({ commandLine: none, catchUp: idle, sessions: new KnownSessions(none) }, cwd),
        news: () => [],
      },
      "tide",
    );
    await second.sees("it broke");
  });

  test("says while what is new is still being read, and no longer when it was", async () => {
    let end = (_isNews: boolean): void => undefined;
    const reading = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const { source, asked } = numbered([reading]);
    const { seen, sees } = open(source);
    asked[0]?.answer(0);
    await sees("0 of  · reading…");
    end(false);
    await new Promise(setImmediate);
    expect([seen(120).join().includes("reading…"), asked.length]).toEqual([false, 1]);
  });

  test("lines of a text that is pasted stay apart", async () => {
    const { source, asked } = numbered();
    const { type } = open(source);
    type("\u001b[200~high\r\nwater\nmark\u001b[201~");
    await pollUntil(() => asked.length === 2, { what: "a question" });
    expect(asked[1]?.query).toBe("high water mark");
  });

  test("says why there is nothing when a name in the query does not exist", async () => {
    const { sees } = open(hitSource({ commandLine, catchUp, sessions }, cwd), "tide role:users");
    await sees('nothing found · There is no role "users". Did you mean user?');
  });

  test("says that there is nothing when what was read for the first time was no session", async () => {
    const none = new CommandLine([mainWith(tempDir())]);
    const { sees } = open(
      hitSource(
        { commandLine: none, catchUp: new BackgroundSync(none), sessions: new KnownSessions(none) },
        project,
      ),
      "tide",
    );
    await sees("nothing found");
  });

  test("rows stay when the index cannot be brought up to date, and it says why", async () => {
    const broken = Promise.reject<boolean>(new Error("the disk is full"));
    const { source, asked } = numbered([broken]);
    const { seen, sees } = open(source);
    await sees("the disk is full");
    asked[0]?.answer(2);
    await sees("row 1");
    expect(seen(120).at(-2)).toContain("2 of  · not up to date: the disk is full");
  });

  test("is not drawn any more once it was closed, whatever becomes of what it asked for", async () => {
    let fail = (_error: Error): void => undefined;
    const news = new Promise<boolean>((_, reject) => {
      fail = reject;
    });
    const { source, asked } = numbered([news]);
    const { close, draws } = open(source);
    close();
    fail(new Error("the disk is full"));
    asked[0]?.answer(2);
    await new Promise(setImmediate);
    expect(draws).toEqual([]);
  });

  test("what the model was answered by its own search is no hit", async () => {
    const hits = [{ tool: "session_search" }, { tool: "bash" }, {}];
    const few = new CommandLine([answering({ total: 9, hits })]);
    const { sees } = open(
      hitSource(
        { commandLine: few, catchUp: new BackgroundSync(few), sessions: new KnownSessions(few) },
        cwd,
      ),
      "tide",
    );
    await sees("2 of up to 8 hits");
  });

  test.each([
    [{ total: 0, hits: [] }, "nothing found"],
    [{ total: 1, hits: [{}] }, "1 hit ·"],
    [{ total: 2, hits: [{}, {}] }, "2 hits ·"],
    [{ total: 60, hits: [{}, {}] }, "2 of up to 60 hits ·"],
  ])("says how many hits there are: %j", async (answer, said) => {
    const few = new CommandLine([answering(answer)]);
    const { sees } = open(
      hitSource(
        { commandLine: few, catchUp: new BackgroundSync(few), sessions: new KnownSessions(few) },
        cwd,
      ),
      "tide",
    );
    await sees(said);
  });

  test("says in its own place what is wrong with the command line", async () => {
    const absent = new CommandLine([{ command: join(agentDir, "no-such-program"), before: [] }]);
    const source = hitSource(
      { commandLine: absent, catchUp: new BackgroundSync(absent), sessions: new KnownSessions(absent) },
      cwd,
    );
    const { choices, sees, type } = open(source);
    await sees("install Node 20.19 or newer");
    type(KEYS.enter, KEYS.escape);
    expect(choices).toEqual([undefined]);
  });
});

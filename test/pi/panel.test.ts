import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { CatchUp } from "../../src/pi/catch-up.ts";
import { CommandLine } from "../../src/pi/command-line.ts";
import type { Exec, KeyName } from "../../src/pi/host.ts";
import { type Choice, Panel, type PanelSource } from "../../src/pi/panel.ts";
import { hitSource } from "../../src/pi/search-command.ts";
import { SessionRows } from "../../src/pi/session-rows.ts";
import { sessionSource } from "../../src/pi/sessions-command.ts";
import type { Tui } from "../../src/pi/tui.ts";
import { isMissing, peersDir } from "../helpers/peers.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { piWorld, project } from "./run-pi.ts";

const KEYS = { up: "\u001b[A", down: "\u001b[B", enter: "\r", escape: "\u001b", tab: "\t", ctrlO: "\u000f" };
const NAMES: Record<KeyName, string | undefined> = {
  "tui.input.tab": KEYS.tab,
  "tui.select.up": KEYS.up,
  "tui.select.down": KEYS.down,
  "tui.select.confirm": KEYS.enter,
  "tui.select.cancel": KEYS.escape,
  "tui.select.pageUp": undefined,
  "tui.select.pageDown": undefined,
};

describe.skipIf(isMissing("piAgentModule"))("a panel", async () => {
  const { agentDir } = piWorld(sharedTempDir());
  const tui = (await import(
    pathToFileURL(join(peersDir, "node_modules/@mariozechner/pi-tui/dist/index.js")).href
  )) as Tui;
  const exec: Exec = (command, args, options) =>
    new Promise((resolve) => {
      const env = { ...process.env, PI_CODING_AGENT_DIR: agentDir };
      execFile(command, args, { ...options, env }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: error ? 1 : 0, killed: false }),
      );
    });
  const program = { command: process.execPath, before: [join(project, "dist", "src", "cli", "main.js")] };
  const commandLine = new CommandLine(exec, [program]);
  const catchUp = new CatchUp(commandLine);
  const sessions = new SessionRows(commandLine);
  const cwd = "/home/ada/projects/tide";

  /** A panel on a screen of 100 by 40, and what is seen of it. */
  function open<Row>(source: PanelSource<Row>, query = "", rows = 40) {
    const choices: Choice<Row>[] = [];
    const panel = new Panel(
      source,
      {
        tui,
        screen: { requestRender: () => undefined, terminal: { rows } },
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
    return { choices, seen, sees, type };
  }

  test("shows hits while one types, and gives the chosen one", async () => {
    const { choices, sees, type } = open(hitSource({ commandLine, catchUp }, cwd));
    await sees("since:7d");
    type(..."harbo");
    await sees(" hits");
    type(KEYS.down, KEYS.up, KEYS.enter);
    expect(choices).toEqual([{ action: "resume", row: expect.objectContaining({ cwd }) }]);
  });

  test("looks in this project only, when told to", async () => {
    const { sees, type } = open(hitSource({ commandLine, catchUp }, "/home/ada/projects/shijian"), "harbour");
    await sees(" hits");
    type(KEYS.tab);
    await sees("nothing found");
    type(KEYS.tab);
    await sees(" hits");
  });

  test("shows all sessions, those that hold every word typed, and hands one over to be inserted", async () => {
    const { choices, seen, sees, type } = open(sessionSource({ sessions, catchUp }, cwd));
    await sees("13 sessions");
    type(..."tide changelog");
    await sees("1 session ");
    expect(seen().join("\n")).toContain("write the changelog for 0.4");
    type(KEYS.ctrlO);
    expect(choices).toEqual([{ action: "insert", row: expect.objectContaining({ cwd }) }]);
  });

  test.each([30, 60, 100, 200])("keeps within %i columns, whatever is written in it", async (width) => {
    const { seen, sees } = open(sessionSource({ sessions, catchUp }, cwd));
    await sees("sessions");
    expect(seen(width).filter((line) => tui.visibleWidth(line) > width)).toEqual([]);
    const { seen: seenHits, sees: seesHits } = open(
      hitSource({ commandLine, catchUp }, cwd),
      "诗 OR 分 OR tide",
    );
    await seesHits(" hits");
    expect(seenHits(width).filter((line) => tui.visibleWidth(line) > width)).toEqual([]);
  });

  test("on a low terminal gives its lines to the rows, and leaves room for pi's footer", async () => {
    const { seen, sees } = open(hitSource({ commandLine, catchUp }, cwd), "tide", 24);
    await sees(" hits");
    const titles = seen().filter((line) => line.includes(" · assistant") || line.includes(" · user"));
    expect(titles.length).toBeGreaterThanOrEqual(3);
    expect(seen().length).toBeLessThanOrEqual(20);
    expect(seen(40).at(-2)).toMatch(/hits · enter.* esc$/);
  });

  test("on a narrow terminal still says where it looks and how to get out, and nothing by half", async () => {
    const { seen, sees, type } = open(
      hitSource({ commandLine, catchUp }, "/home/ada/projects/shijian"),
      "xyzzy",
    );
    await sees("nothing found");
    expect([seen(40)[1], seen(40).at(-2)]).toEqual([
      expect.stringMatching(/^Search every session {8}◉ everywhere$/),
      "nothing found · tab scope · esc close",
    ]);
    type(KEYS.tab);
    expect(seen(40)[1]).toMatch(/◉ this project$/);
    await sees("nothing found");
    expect(seen(24).at(-2)).toBe("nothing found");
  });

  test("says in its own place what is wrong with the command line", async () => {
    const absent = new CommandLine(exec, [{ command: join(agentDir, "no-such-program"), before: [] }]);
    const source = hitSource({ commandLine: absent, catchUp: new CatchUp(absent) }, cwd);
    const { choices, sees, type } = open(source);
    await sees("install Node 20.19 or newer");
    type(KEYS.enter, KEYS.escape);
    expect(choices).toEqual([undefined]);
  });
});

// Draws docs/sessiondb.svg, the picture at the top of the README: real output on the sample sessions.
//
//   npm run build && npm run docs
//
// `draw.mjs FILE` draws it elsewhere.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { run } from "../../../build/src/cli/run.js";
import { BackgroundSync } from "../../../build/src/panels/background-sync.js";
import { CommandLine } from "../../../build/src/panels/command-line.js";
import { hitSource } from "../../../build/src/panels/hit-source.js";
import { KnownSessions } from "../../../build/src/panels/known-sessions.js";
import { Panel } from "../../../build/src/panels/panel.js";
import { actionsInPi } from "../../../build/src/pi/panel-actions.js";
import * as tui from "../../peers/node_modules/@mariozechner/pi-tui/dist/index.js";
import { terminalSvg } from "./terminal-svg.mjs";

const COLUMNS = 98;
const NOW = Date.parse("2026-11-20T12:00:00Z");
const ESCAPE = "\u001b";
/** Control sequences that are no colours. */
const MOVES = new RegExp(String.raw`${ESCAPE}\[\??[\d;]*[A-LN-Za-ln-z]`, "g");
const project = join(import.meta.dirname, "..", "..", "..");
const PROGRAM = join(project, "dist", "src", "cli", "main.js");
const agentDir = join(mkdtempSync(join(tmpdir(), "picture-")), "agent");
cpSync(join(project, "test", "samples", "agent"), agentDir, { recursive: true });

execFileSync(process.execPath, [PROGRAM, "sync"], {
  env: { ...process.env, PI_CODING_AGENT_DIR: agentDir },
  stdio: "ignore",
});
process.env.TZ = "UTC";
// The panel says how long ago it was.
Date.now = () => NOW;
const screens = [
  await shell("sessiondb", "search", "harbour"),
  await insidePi("tide har"),
  await shell("sessiondb"),
  await shell("sessiondb", "usage", "model", "--all"),
];
const title = "sessiondb: a search, the same inside pi, what there is, and what each model cost";
const target = process.argv[2] ?? join(project, "docs", "sessiondb.svg");
writeFileSync(target, terminalSvg(screens, { columns: COLUMNS, title }));
rmSync(join(agentDir, ".."), { recursive: true });

async function shell(...words) {
  const screen = terminal();
  await run(words.slice(1), {
    stdin: Readable.from([]),
    stdout: screen,
    stderr: screen,
    env: { PI_CODING_AGENT_DIR: agentDir, FORCE_COLOR: "1" },
    home: "/home/ada",
    cwd: "/home/ada/projects/tide",
    now: () => NOW,
    steady: () => 0,
    timezone: "UTC",
    sqlProgram: join(project, "dist/src/reports/sql/sql-process.js"),
    moveToTrash: () => Promise.reject(new Error("nothing is deleted here")),
    interruptible: (work) => work(new AbortController().signal),
  });
  return asAda(`\u001b[32m$\u001b[39m \u001b[1m${words.join(" ")}\u001b[22m\n\n${settled(screen.text)}`);
}

function terminal() {
  const screen = Object.assign(new Writable({ decodeStrings: false, write }), {
    ...{ text: "", isTTY: true, columns: COLUMNS, rows: 200 },
  });
  return screen;

  function write(chunk, _encoding, done) {
    screen.text += String(chunk);
    done();
  }
}

/** What is left of lines that progress was drawn over. */
function settled(text) {
  return text
    .replace(MOVES, "")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n")
    .trimEnd();
}

async function insidePi(query) {
  const program = { command: process.execPath, before: [PROGRAM, "--agent-dir", agentDir] };
  const commandLine = new CommandLine([program]);
  const catchUp = new BackgroundSync(commandLine);
  const cwd = "/home/ada/projects/tide";
  const tools = { commandLine, catchUp, sessions: new KnownSessions(commandLine) };
  const context = { cwd, sessionManager: { getSessionFile: () => undefined } };
  const actions = actionsInPi(tools, context, { setSessionName: () => undefined });
  const source = { ...hitSource(tools, cwd), actions };
  const colors = { accent: 36, border: 34, dim: 90, muted: 37, error: 31, text: 37 };
  const theme = {
    fg: (color, text) => `\u001b[${colors[color] ?? 37}m${text}\u001b[39m`,
    bold: (text) => `\u001b[1m${text}\u001b[22m`,
  };
  const screen = { requestRender: () => undefined, terminal: { rows: 34 } };
  const panel = new Panel(
    source,
    { tui, screen, theme, keys: { matches: () => false }, done: () => undefined },
    query,
  );
  const seen = () => panel.render(COLUMNS).join("\n");
  // The folder is removed at the end: nothing may be writing there then.
  await catchUp.run(cwd);
  for (let tries = 0; !seen().includes(" hits") || seen().includes("reading"); tries++) {
    if (tries > 500) throw new Error(`no hits: ${seen()}`);
    await pause(20);
  }
  panel.dispose();
  // pi's panel shows directories from the home of the process on.
  process.env.HOME = "/home/ada";
  return asAda(`\u001b[90mInside pi:\u001b[39m \u001b[1m/search ${query}\u001b[22m\n\n${seen()}`);
}

/** The samples lie in a temporary folder; they are shown where they would be Ada's own. No line is wrapped. */
function asAda(text) {
  // The index is made as the picture is drawn, on no day in particular.
  const dated = text.replace(/(?<=last change read )[\d-]+/, new Date(NOW).toISOString().slice(0, 10));
  const lines = dated.replaceAll(agentDir, "~/.pi/agent").split("\n");
  return lines.map((line) => tui.truncateToWidth(line, COLUMNS, "…")).join("\n");
}

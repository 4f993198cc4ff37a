// A program that embeds SessionManager and talks without end: begins, continues, forks and names sessions, and migrates
// old ones through pi. Writes a line for every append that returned into the ledger: `file \t entry id`.
//
//   node test/soak/talker.mjs <agent folder> <ledger> <canary>
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SessionManager } from "../../build/src/session/session-manager.js";
import { SessionManager as PiSessionManager } from "../peers/node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";

const [agentDir, ledger, canary] = process.argv.slice(2);
const folder = join(agentDir, "sessions", "--kept--");
mkdirSync(folder, { recursive: true });
const counts = { appended: 0, refused: 0, forked: 0, migrated: 0 };
let manager = SessionManager.create("/home/ada/kept", folder);

for (let turn = 0; ; turn++) {
  try {
    step(turn);
  } catch (error) {
    // A full disk, or pi's own reader on a file that is being replaced: nothing was promised, and it goes on.
    if (!(error instanceof Error)) throw error;
    counts.refused++;
  }
  if (turn % 20 === 0) console.log(JSON.stringify(counts));
  await setTimeout(20);
}

function step(turn) {
  if (turn % 40 === 39) manager = SessionManager.continueRecent("/home/ada/kept", folder);
  else if (turn % 150 === 149) fork();
  else if (turn % 200 === 199) manager = SessionManager.create("/home/ada/kept", folder);
  else if (turn % 60 === 59) migrate(turn);
  else if (turn % 90 === 89) note(manager.appendSessionInfo(`named ${turn}`));
  else note(manager.appendMessage(message(turn)));
}

function fork() {
  manager = SessionManager.forkFrom(manager.getSessionFile(), "/home/ada/kept", folder);
  counts.forked++;
}

/** A session of version 1, which pi brings up to date in place. */
function migrate(turn) {
  const timestamp = new Date().toISOString();
  const path = join(folder, `old-${process.pid}-${turn}.jsonl`);
  const lines = [{ type: "session", id: `old-${process.pid}-${turn}`, timestamp, cwd: "/home/ada/kept" }];
  for (let at = 0; at < 50; at++) lines.push({ type: "message", timestamp, message: message(at) });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  PiSessionManager.open(path);
  counts.migrated++;
}

function message(turn) {
  if (turn % 2 === 0) return { role: "user", content: `${canary} question ${turn}`, timestamp: Date.now() };
  const cost = { input: 0.001, output: 0.002, cacheRead: 0, cacheWrite: 0, total: 0.003 };
  const usage = { input: 10, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 30, cost };
  const content = [{ type: "text", text: `${canary} answer ${turn} ${"word ".repeat(turn % 300)}` }];
  const model = { api: "faux", provider: "faux", model: "faux-1" };
  return { role: "assistant", content, ...model, usage, stopReason: "stop", timestamp: Date.now() };
}

/** The ledger holds what was promised: the append returned. */
function note(id) {
  counts.appended++;
  appendFileSync(ledger, `${manager.getSessionFile()}\t${id}\n`);
}

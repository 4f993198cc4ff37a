#!/usr/bin/env node
// Our SessionManager beside pi's, in one run: opening, appending, listing. Ratios count, times are this machine's.
// Never fails by the clock; fails when two sides do not agree about what they read.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeCorpus } from "./corpus.mjs";
import { against, inChild, inMs, median, report, sideBySide, timed } from "./session/measure.mjs";

const project = join(import.meta.dirname, "..", "..");
const built = process.env.SESSIONDB_BUILT ?? join(project, "dist");
const ownModule = join(built, "src", "session-manager.js");
const piModule = join(
  project,
  "test/peers/node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js",
);
const scale = Number(process.argv[2] ?? 1);
const APPENDS = 2000;

for (const path of [ownModule, piModule]) {
  if (!existsSync(path)) {
    console.error(`${path} is missing: run \`npm run build\` and \`node test/peers/install.mjs\` first`);
    process.exit(2);
  }
}

const imported = (path) => import(pathToFileURL(path).href);
const { SessionManager } = await imported(ownModule);
const pi = await imported(piModule);
const { openIndex } = await imported(join(built, "src/db/open.js"));
const { syncAll } = await imported(join(built, "src/sync/sync-all.js"));

const dir = mkdtempSync(join(tmpdir(), "bench-session-"));

/** A corpus in an agent folder of its own, indexed. */
function agentWith(name, size) {
  const agent = join(dir, name);
  const root = join(agent, "sessions");
  makeCorpus(name, root, { scale: size });
  const folder = join(agent, "sessiondb");
  const index = openIndex({
    indexPath: join(folder, "index-v1.db"),
    searchPath: join(folder, "search-v1.db"),
  });
  // Files written just now count as settled, as they will in a moment.
  syncAll(index, [root], { now: () => Date.now() + 60_000 });
  index.close();
  return { agent, root, folder };
}

function assertEqual(what, own, theirs) {
  if (own !== theirs) throw new Error(`${what}: ours ${own}, theirs ${theirs}`);
}

/** Each in a process of its own: what one leaves in memory must not slow another down. */
async function benchOpening() {
  const { agent, root } = agentWith("B100", scale);
  const file = fileIn(root);
  const openWith = (module, agentDir) => inChild(["open", module, file], { PI_CODING_AGENT_DIR: agentDir });
  const runs = Array.from({ length: 3 }, () => ({
    theirs: openWith(piModule, agent),
    whole: openWith(ownModule, join(dir, "nowhere")),
    own: openWith(ownModule, agent),
  }));
  const of = (who, what) => median(runs.map((run) => run[who][what]));
  for (const who of ["own", "whole"]) {
    assertEqual("messages in the context", of(who, "messages"), of("theirs", "messages"));
  }
  const ratio = (who, what) => of("theirs", what) / of(who, what);
  console.log(`open + buildSessionContext, one session of ${(statSync(file).size / 1e6).toFixed(0)} MB`);
  report("  pi", inMs(of("theirs", "ms")));
  report("  ours, from the file", inMs(of("whole", "ms")), `${ratio("whole", "ms").toFixed(2)}x`);
  report("  ours, through the index", inMs(of("own", "ms")), against(ratio("own", "ms"), 50, "atLeast"));
  console.log("the same as the first thing a process does, with the memory of that process at its peak");
  report(`  pi, ${of("theirs", "peakMb").toFixed(0)} MB`, inMs(of("theirs", "firstMs")));
  report(`  ours, from the file, ${of("whole", "peakMb").toFixed(0)} MB`, inMs(of("whole", "firstMs")));
  const memory = against(ratio("own", "peakMb"), 8, "atLeast");
  const first = `${ratio("own", "firstMs").toFixed(0)}x`;
  report(
    `  ours, through the index, ${of("own", "peakMb").toFixed(0)} MB`,
    inMs(of("own", "firstMs")),
    `${first}, memory ${memory}`,
  );
}

function fileIn(root) {
  const [name] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((each) =>
    each.endsWith(".jsonl"),
  );
  return join(root, name ?? "");
}

const MESSAGE = {
  role: "assistant",
  content: [{ type: "text", text: "x".repeat(700) }],
  provider: "p",
  model: "m",
  usage: {},
  stopReason: "stop",
  timestamp: 1,
};

/** Milliseconds for as many appends, ours and bare, of the same lines. */
async function appendingRound(round) {
  const place = mkdtempSync(join(dir, "append-"));
  const manager = SessionManager.create(place, place);
  manager.appendMessage(MESSAGE);
  const own = await timed(() => {
    for (let at = 0; at < APPENDS; at++) manager.appendMessage(MESSAGE);
  });
  const lines = readFileSync(manager.getSessionFile(), "utf8")
    .split(/(?<=\n)/)
    .slice(-APPENDS);
  const path = join(place, "bare");
  const bare = await timed(() => {
    for (const line of lines) appendFileSync(path, line);
  });
  const entry = manager.getLeafEntry();
  const serialised = await timed(() => {
    for (let at = 0; at < APPENDS; at++) appendFileSync(path, `${JSON.stringify(entry)}\n`);
  });
  const theirs = await piAppending(place);
  assertEqual(`lines of round ${round}`, lines.length, APPENDS);
  return { own: own.ms, bare: bare.ms, serialised: serialised.ms, theirs };
}

async function piAppending(place) {
  const manager = pi.SessionManager.create(place, place);
  manager.appendMessage(MESSAGE);
  const { ms } = await timed(() => {
    for (let at = 0; at < APPENDS; at++) manager.appendMessage(MESSAGE);
  });
  return ms;
}

async function appendings(title) {
  const rounds = [];
  for (let round = 0; round < 9; round++) rounds.push(await appendingRound(round));
  // The first warms up.
  const measured = rounds.slice(1);
  const of = (who) => median(measured.map((round) => round[who]));
  const ratio = (to) => median(measured.map((round) => round.own / round[to]));
  console.log(title);
  const each = (who) => `${((of(who) / APPENDS) * 1000).toFixed(1)} us`;
  report("  appendFileSync of lines", each("bare"));
  report("  appendFileSync of JSON.stringify(entry)", each("serialised"));
  report("  pi", each("theirs"), `${(of("theirs") / of("bare")).toFixed(2)}x the lines`);
  report("  ours", each("own"), `${ratio("bare").toFixed(2)}x the lines`);
  report("", "", `${against(ratio("serialised"), 1.5, "atMost")} of the entries`);
}

async function benchAppending() {
  await appendings(`append, ${APPENDS} entries`);
  const { root, folder } = agentWith("M", scale / 10);
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "session/child.mjs"), "index", built, folder, root],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  await appendings("append while another process indexes in bulk");
  child.stdin.end();
  await once(child, "exit");
  rmSync(join(dir, "M"), { recursive: true });
}

async function benchListing() {
  const { agent } = agentWith("M", scale);
  process.env.PI_CODING_AGENT_DIR = agent;
  const all = await sideBySide({ own: () => SessionManager.listAll() });
  const theirs = await sideBySide({ theirs: () => pi.SessionManager.listAll() }, 1);
  const sessions = theirs.theirs.value;
  assertEqual("sessions listed", all.own.value.length, sessions.length);
  console.log(`list, ${sessions.length} sessions`);
  report("  listAll, pi", inMs(theirs.theirs.ms));
  report("  listAll, ours", inMs(all.own.ms), against(theirs.theirs.ms / all.own.ms, 200, "atLeast"));
  for (const [at, info] of all.own.value.entries()) {
    assertEqual("a listed session", JSON.stringify(info), JSON.stringify(sessions[at]));
  }
  const cwd = mostCommon(sessions.map((info) => info.cwd));
  const { own, pis } = await sideBySide({
    own: () => SessionManager.list(cwd),
    pis: () => pi.SessionManager.list(cwd),
  });
  assertEqual("sessions of a folder", JSON.stringify(own.value), JSON.stringify(pis.value));
  report(`  list of ${own.value.length}, pi`, inMs(pis.ms));
  report(`  list of ${own.value.length}, ours`, inMs(own.ms), `${(pis.ms / own.ms).toFixed(0)}x`);
}

function mostCommon(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0][0];
}

try {
  await benchOpening();
  await benchAppending();
  await benchListing();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

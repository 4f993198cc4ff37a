/**
 * Appending through SessionManager beside a bare append of the same entries, alone and while another process indexes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { assertEqual, median, moduleAt, timed } from "../measure.mjs";
import { PEERS } from "../peers.mjs";
import { timesAsMuch } from "../rows.mjs";

const APPENDS = 2000;
/** Many, because a round takes a fiftieth of a second only, and another process may be using both cores. */
const ROUNDS = 41;

const MESSAGE = {
  role: "assistant",
  content: [{ type: "text", text: "x".repeat(700) }],
  provider: "p",
  model: "m",
  usage: {},
  stopReason: "stop",
  timestamp: 1,
};

/** @param {import("../bench.mjs").Place} place */
export async function appending(place) {
  const own = await moduleAt(join(place.built, "src/session/session-manager.js"));
  const pi = PEERS.pi87.path && (await moduleAt(PEERS.pi87.path));
  const alone = await rounds(place, own, pi, "append an entry");
  const folder = mkdtempSync(join(place.dir, "bulk-"));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "../child.mjs"), "index", place.built, folder, place.corpora.M.root],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  await once(child.stdout, "data");
  const meanwhile = await rounds(place, own, pi, "append while another process indexes");
  child.stdin.end();
  await once(child, "exit");
  rmSync(folder, { recursive: true });
  return [...alone, ...meanwhile];
}

async function rounds(place, own, pi, what) {
  const results = [];
  for (let round = 0; round <= ROUNDS; round++) results.push(await oneRound(place, own, pi));
  // The first round warms up.
  const measured = results.slice(1);
  const micros = (who) => (median(measured.map((round) => round[who])) / APPENDS) * 1000;
  const bare = { name: "JSON.stringify and appendFileSync", value: micros("bare") };
  const theirs = { name: PEERS.pi87.name, value: pi ? micros("theirs") : null };
  return [
    timesAsMuch(what, bare, micros("own"), 1.5, "us"),
    timesAsMuch(what, theirs, micros("own"), null, "us"),
  ];
}

/** The milliseconds that `APPENDS` appends of the same entries take: ours, bare ones and pi's. */
async function oneRound(place, own, pi) {
  const folder = mkdtempSync(join(place.dir, "append-"));
  const manager = await filled(own, folder);
  const lines = readFileSync(manager.manager.getSessionFile(), "utf8").split("\n").length - 1;
  // The header, the first entry, and those of the round.
  assertEqual("lines", lines, APPENDS + 2);
  const entry = manager.manager.getLeafEntry();
  const bare = await timed(() => {
    for (let at = 0; at < APPENDS; at++) appendFileSync(join(folder, "bare"), `${JSON.stringify(entry)}\n`);
  });
  const theirs = pi ? (await filled(pi, folder)).ms : null;
  rmSync(folder, { recursive: true });
  return { own: manager.ms, bare: bare.ms, theirs };
}

async function filled({ SessionManager }, folder) {
  const manager = SessionManager.create(folder, folder);
  manager.appendMessage(MESSAGE);
  const { ms } = await timed(() => {
    for (let at = 0; at < APPENDS; at++) manager.appendMessage(MESSAGE);
  });
  return { manager, ms };
}
